// Tiling data described by macros (metadef register/tilingdata_base.h). Layout: a scalar is aligned to its size, an
// array to its element size, a nested struct and the end to 8 bytes; everything starts as zero.
#ifndef HOSTCANN_REGISTER_TILINGDATA_BASE_H
#define HOSTCANN_REGISTER_TILINGDATA_BASE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "securec.h"

namespace optiling {
class FieldInfo {
public:
    FieldInfo(const char* dtype, const char* name) : dtype_(dtype), name_(name), classType_("0") {}
    FieldInfo(const char* dtype, const char* name, size_t arrSize)
        : dtype_(dtype), name_(name), arrSize_(arrSize), classType_("1")
    {
    }
    FieldInfo(const char* dtype, const char* name, const char* structType, size_t structSize)
        : dtype_(dtype), name_(name), structType_(structType), structSize_(structSize), classType_("2")
    {
    }

    const char* dtype_;
    const char* name_;
    size_t arrSize_ = 0;
    const char* structType_ = nullptr;
    size_t structSize_ = 0;
    const char* classType_; // "0" scalar, "1" array (also padding), "2" struct
};

class TilingDef {
public:
    TilingDef() = default;
    virtual ~TilingDef() = default;
    // A copy of a struct in another class shares its values, so that a function may fill its own parameter; any other
    // copy has its values to itself. A copy of one with structs in it is an error in the log: they stay the original's.
    TilingDef(const TilingDef& other);
    // The values of an object of the same class; where they live stays as it is.
    TilingDef& operator=(const TilingDef& other)
    {
        if (other.data_ptr_ != nullptr && other.data_size_ == data_size_) {
            PutBytes(0, other.data_ptr_, data_size_);
        }
        return *this;
    }

    // Copies the data; nothing to do when SetDataPtr made the object write there already. Too small a buffer is an
    // error in the log and leaves it untouched.
    void SaveToBuffer(void* pdata, size_t capacity);
    std::vector<FieldInfo> GetFieldInfo() const { return fields_; }
    const char* GetTilingClassName() const { return class_name_; }
    size_t GetDataSize() const { return data_size_; }
    // From now on fields live at dataPtr.
    void SetDataPtr(void* dataPtr);

protected:
    size_t AddScalar(const char* dtype, const char* name, size_t size, const char* padName);
    size_t AddArray(const char* dtype, const char* name, size_t size, size_t count, const char* padName);
    size_t AddStruct(const char* name, const char* structType, TilingDef& nested, const char* padName);
    // Closes the layout; own: with a buffer of its own.
    void Finish(const char* className, const char* padName, bool own);

    template <typename T>
    void Put(size_t offset, const T& value)
    {
        if (data_ptr_ != nullptr) {
            (void)std::memcpy(data_ptr_ + offset, &value, sizeof(T));
        }
    }
    template <typename T>
    T Get(size_t offset) const
    {
        T value{};
        if (data_ptr_ != nullptr) {
            (void)std::memcpy(&value, data_ptr_ + offset, sizeof(T));
        }
        return value;
    }
    void* At(size_t offset) { return data_ptr_ == nullptr ? nullptr : data_ptr_ + offset; }
    void PutBytes(size_t offset, const void* from, size_t bytes)
    {
        if (data_ptr_ != nullptr && data_ptr_ + offset != from) {
            (void)std::memcpy(data_ptr_ + offset, from, bytes);
        }
    }

private:
    void Align(size_t alignment, const char* padName);

    const char* class_name_ = nullptr;
    std::vector<FieldInfo> fields_;
    std::vector<std::pair<TilingDef*, size_t>> nested_;
    size_t data_size_ = 0;
    uint8_t* data_ptr_ = nullptr;
    std::unique_ptr<uint8_t[]> own_;
};

using TilingDataConstructor = std::shared_ptr<TilingDef> (*)();

// Tiling data classes by op type; "<Struct>Op" for nested structs, "<Op>_<key>" for one tiling key.
class CTilingDataClassFactory {
public:
    static CTilingDataClassFactory& GetInstance();
    void RegisterTilingData(const char* op_type, const TilingDataConstructor constructor);
    std::shared_ptr<TilingDef> CreateTilingDataInstance(const char* op_type); // nullptr when unknown
};
} // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name)                             \
    class class_name : public optiling::TilingDef {                   \
    public:                                                           \
        class_name() { Finish(#class_name, #class_name "PH", true); } \
        explicit class_name(void* ptr)                                \
        {                                                             \
            Finish(#class_name, #class_name "PH", false);             \
            if (ptr != nullptr) {                                     \
                SetDataPtr(ptr);                                      \
            }                                                         \
        }

#define TILING_DATA_FIELD_DEF(data_type, field_name)                                        \
public:                                                                                     \
    void set_##field_name(data_type value) { Put<data_type>(field_name##_offset_, value); } \
    data_type get_##field_name() { return Get<data_type>(field_name##_offset_); }           \
                                                                                            \
private:                                                                                    \
    size_t field_name##_offset_ = AddScalar(#data_type, #field_name, sizeof(data_type), #field_name "PH");

#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)                                                      \
public:                                                                                                                \
    void set_##field_name(arr_type* values) { PutBytes(field_name##_offset_, values, (arr_size) * sizeof(arr_type)); } \
    arr_type* get_##field_name() { return static_cast<arr_type*>(At(field_name##_offset_)); }                          \
                                                                                                                       \
private:                                                                                                               \
    size_t field_name##_offset_ = AddArray(#arr_type, #field_name, sizeof(arr_type), arr_size, #field_name "PH");

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name) \
public:                                                       \
    struct_type field_name{nullptr};                          \
                                                              \
private:                                                      \
    size_t field_name##_offset_ = AddStruct(#field_name, #struct_type, field_name, #field_name "PH");

#define END_TILING_DATA_DEF \
    }                       \
    ;

#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                                                         \
    namespace {                                                                                                 \
    [[maybe_unused]] const bool g_tilingdata_##op_type##class_name##registered = [] {                           \
        optiling::CTilingDataClassFactory::GetInstance().RegisterTilingData(                                    \
            #op_type, []() -> std::shared_ptr<optiling::TilingDef> { return std::make_shared<class_name>(); }); \
        return true;                                                                                            \
    }();                                                                                                        \
    }

#endif
