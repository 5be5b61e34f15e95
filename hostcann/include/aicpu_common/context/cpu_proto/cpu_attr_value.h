// An attribute of an AI CPU kernel. Asked for as another kind than it is, it is that kind's empty value.
#ifndef HOSTCANN_AICPU_CPU_ATTR_VALUE_H
#define HOSTCANN_AICPU_CPU_ATTR_VALUE_H

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cpu_types.h"

namespace aicpu {

class AICPU_VISIBILITY AttrValue {
    friend class CpuKernelUtils;

public:
    AttrValue(const AttrValue&) = delete;
    AttrValue& operator=(const AttrValue&) = delete;

    std::string GetString() const { return Get<std::string>(); }
    std::vector<std::string> GetListString() const { return Get<std::vector<std::string>>(); }
    int64_t GetInt() const { return Get<int64_t>(); }
    std::vector<int64_t> GetListInt() const { return Get<std::vector<int64_t>>(); }
    std::vector<std::vector<int64_t>> GetListListInt() const { return Get<std::vector<std::vector<int64_t>>>(); }
    float GetFloat() const { return Get<float>(); }
    std::vector<float> GetListFloat() const { return Get<std::vector<float>>(); }
    bool GetBool() const { return Get<bool>(); }
    std::vector<bool> GetListBool() const { return Get<std::vector<bool>>(); }
    DataType GetDataType() const { return Get<DataType>(); }
    std::vector<DataType> GetListDataType() const { return Get<std::vector<DataType>>(); }

    int32_t ListStringSize() const { return Count<std::string>(); }
    int32_t ListIntSize() const { return Count<int64_t>(); }
    int32_t ListFloatSize() const { return Count<float>(); }
    int32_t ListBoolSize() const { return Count<bool>(); }
    int32_t ListDataTypeSize() const { return Count<DataType>(); }

    void SetString(const std::string& value) { value_ = value; }
    void SetListString(const std::vector<std::string>& value) { value_ = value; }
    void SetInt(int64_t value) { value_ = value; }
    void SetListInt(const std::vector<int64_t>& value) { value_ = value; }
    void SetListListInt(const std::vector<std::vector<int64_t>>& value) { value_ = value; }
    void SetFloat(float value) { value_ = value; }
    void SetListFloat(const std::vector<float>& value) { value_ = value; }
    void SetBool(bool value) { value_ = value; }
    void SetListBool(const std::vector<bool>& value) { value_ = value; }
    void SetDataType(DataType value) { value_ = value; }
    void SetListDataType(const std::vector<DataType>& value) { value_ = value; }

private:
    AttrValue() = default;

    template <typename T>
    T Get() const
    {
        const T* value = std::get_if<T>(&value_);
        return value == nullptr ? T() : *value;
    }
    template <typename T>
    int32_t Count() const
    {
        const auto* list = std::get_if<std::vector<T>>(&value_);
        return list == nullptr ? 0 : static_cast<int32_t>(list->size());
    }

    std::variant<std::monostate, std::string, int64_t, float, bool, DataType, std::vector<std::string>,
                 std::vector<int64_t>, std::vector<float>, std::vector<bool>, std::vector<DataType>,
                 std::vector<std::vector<int64_t>>>
        value_;
};

} // namespace aicpu

#endif // HOSTCANN_AICPU_CPU_ATTR_VALUE_H
