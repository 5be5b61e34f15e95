#ifndef HOSTCANN_EXE_GRAPH_TILING_DATA_H
#define HOSTCANN_EXE_GRAPH_TILING_DATA_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "graph/error_codes.h"
#include "securec.h"

namespace gert {
enum class AttrDataType : int32_t {
    kBool = 0,
    kString,
    kInt32,
    kInt64,
    kUint32,
    kFloat32,
    kFloat16,
    kListBool,
    kListString,
    kListInt32,
    kListInt64,
    kListUint32,
    kListFloat32,
    kListFloat16,
    kListListInt32,
    kListListInt64,
    kBfloat16,
    kInt8,
    kInt16,
    kListInt8,
    kListInt16,
    kListListBool,
    kListListFloat16,
    kListBfloat16,
    kListListBfloat16,
    kListListFloat32,
    kListListInt8,
    kListListInt16,
    kUint8,
    kListUint8,
    kListListUint8,
    kUint16,
    kListUint16,
    kListListUint16,
    kListListUint32,
    kUint64,
    kListUint64,
    kListListUint64,
    kTypeEnd,
};

// The buffer a tiling function fills. Its bytes are not cleared: a tiling function assigns every field it uses.
class TilingData {
public:
    size_t GetCapacity() const { return capacity_; }
    size_t GetDataSize() const { return data_size_; }
    void SetDataSize(const size_t size) { data_size_ = size; }
    void* GetData() { return data_; }
    const void* GetData() const { return data_; }

    template <typename T, typename std::enable_if<std::is_standard_layout<T>::value, int>::type = 0>
    ge::graphStatus Append(const T& data)
    {
        return Append(&data, 1U);
    }
    template <typename T, typename std::enable_if<std::is_standard_layout<T>::value, int>::type = 0>
    ge::graphStatus Append(const T* data, size_t append_num)
    {
        size_t bytes = 0;
        if (__builtin_mul_overflow(sizeof(T), append_num, &bytes)) {
            return ge::GRAPH_FAILED;
        }
        void* place = Expand(bytes);
        if (place == nullptr) {
            return ge::GRAPH_FAILED;
        }
        (void)std::memcpy(place, data, bytes);
        return ge::GRAPH_SUCCESS;
    }
    // Room for `size` more bytes, nullptr above the capacity.
    void* Expand(size_t size)
    {
        if (size > capacity_ || data_size_ > capacity_ - size) {
            return nullptr;
        }
        void* place = static_cast<uint8_t*>(data_) + data_size_;
        data_size_ += size;
        return place;
    }
    ge::graphStatus AppendConvertedAttrVal(const RuntimeAttrs* attrs, const size_t attr_index,
                                           const AttrDataType src_type, const AttrDataType dst_type);

    // A TilingData and its buffer in one allocation.
    static std::unique_ptr<uint8_t[]> CreateCap(const size_t cap_size)
    {
        size_t total_size = 0;
        if (CalcTotalSize(cap_size, total_size) != ge::GRAPH_SUCCESS) {
            return nullptr;
        }
        std::unique_ptr<uint8_t[]> buffer(new (std::nothrow) uint8_t[total_size]());
        if (buffer != nullptr) {
            reinterpret_cast<TilingData*>(buffer.get())->Init(cap_size, buffer.get() + sizeof(TilingData));
        }
        return buffer;
    }
    static ge::graphStatus CalcTotalSize(const size_t cap_size, size_t& total_size)
    {
        return __builtin_add_overflow(sizeof(TilingData), cap_size, &total_size) ? ge::GRAPH_FAILED : ge::GRAPH_SUCCESS;
    }
    void Init(const size_t cap_size, void* const data)
    {
        capacity_ = cap_size;
        data_size_ = 0U;
        data_ = data;
    }

    TilingData(const TilingData&) = delete;
    TilingData(TilingData&&) = delete;
    TilingData operator=(const TilingData&) = delete;
    TilingData operator=(TilingData&&) = delete;

private:
    TilingData() = default;
    size_t capacity_;
    size_t data_size_;
    void* data_;
    uint8_t reserved_[40];
};

template <typename T>
TilingData& operator<<(TilingData& out, const T& data)
{
    (void)out.Append(data);
    return out;
}
static_assert(std::is_standard_layout<TilingData>::value, "contexts address TilingData by its layout");
static_assert(sizeof(TilingData) == 64, "size of gert::TilingData on a real toolkit");
} // namespace gert

#endif
