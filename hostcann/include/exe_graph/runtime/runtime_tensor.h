#ifndef HOSTCANN_EXE_GRAPH_RUNTIME_TENSOR_H
#define HOSTCANN_EXE_GRAPH_RUNTIME_TENSOR_H

#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/stride.h"
#include "exe_graph/runtime/tensor_data.h"
#include "graph/error_codes.h"

namespace gert {
using ConstTensorAddress = void* const;

enum TensorVersion : uint8_t { kTensorV1 = 0, kTensorV2 = 1 };

class Tensor {
public:
    Tensor() : version_(kTensorV1), reserved_{}, data_type_(ge::DT_FLOAT), reserved_field_{} {}
    Tensor(const StorageShape& storage_shape, const StorageFormat& storage_format, const TensorPlacement placement,
           const ge::DataType data_type, TensorAddress addr)
        : Tensor(storage_shape, storage_format, placement, data_type, addr, nullptr)
    {
    }
    Tensor(const StorageShape& storage_shape, const StorageFormat& storage_format, ge::DataType data_type)
        : storage_shape_(storage_shape),
          storage_format_(storage_format),
          version_(kTensorV1),
          reserved_{},
          data_type_(data_type),
          reserved_field_{}
    {
    }
    Tensor(const StorageShape& storage_shape, const StorageFormat& storage_format, const TensorPlacement placement,
           const ge::DataType data_type, TensorAddress addr, TensorAddrManager manager)
        : storage_shape_(storage_shape),
          storage_format_(storage_format),
          version_(kTensorV1),
          reserved_{},
          data_type_(data_type),
          tensor_data_(addr, manager, static_cast<size_t>(ge::GetSizeInBytes(GetShapeSize(), data_type)), placement),
          reserved_field_{}
    {
    }

    // Elements of the storage shape.
    int64_t GetShapeSize() const { return storage_shape_.GetStorageShape().GetShapeSize(); }

    template <class T>
    const T* GetData() const
    {
        return static_cast<const T*>(GetAddr());
    }
    template <class T>
    T* GetData()
    {
        return static_cast<T*>(GetAddr());
    }
    void SetData(TensorData&& data) { tensor_data_ = std::move(data); }
    const void* GetAddr() const
    {
        return tensor_data_.GetPlacement() == kFollowing ? static_cast<const void*>(Behind()) : tensor_data_.GetAddr();
    }
    void* GetAddr()
    {
        return tensor_data_.GetPlacement() == kFollowing ? const_cast<void*>(Behind()) : tensor_data_.GetAddr();
    }
    size_t GetSize() const { return tensor_data_.GetSize(); }
    void SetSize(const size_t size) { tensor_data_.SetSize(size); }

    ge::DataType GetDataType() const { return data_type_; }
    void SetDataType(const ge::DataType data_type) { data_type_ = data_type; }

    // A tensor with its data directly behind it, in one buffer of total_size bytes. nullptr for impossible sizes.
    static std::unique_ptr<uint8_t[]> CreateFollowing(const int64_t shape_size, const ge::DataType dt,
                                                      size_t& total_size)
    {
        const int64_t bytes = ge::GetSizeInBytes(shape_size, dt);
        return bytes < 0 ? nullptr : CreateFollowing(dt, static_cast<size_t>(bytes), total_size);
    }
    static std::unique_ptr<uint8_t[]> CreateFollowing(const ge::DataType dt, const size_t tensor_size,
                                                      size_t& total_size)
    {
        return MakeFollowing<Tensor>(dt, tensor_size, total_size);
    }

    const Shape& GetStorageShape() const { return storage_shape_.GetStorageShape(); }
    Shape& MutableStorageShape() { return storage_shape_.MutableStorageShape(); }
    const Shape& GetOriginShape() const { return storage_shape_.GetOriginShape(); }
    Shape& MutableOriginShape() { return storage_shape_.MutableOriginShape(); }
    const StorageShape& GetShape() const { return storage_shape_; }
    StorageShape& GetShape() { return storage_shape_; }
    ge::Format GetStorageFormat() const { return storage_format_.GetStorageFormat(); }
    void SetStorageFormat(const ge::Format storage_format) { storage_format_.SetStorageFormat(storage_format); }
    ge::Format GetOriginFormat() const { return storage_format_.GetOriginFormat(); }
    void SetOriginFormat(const ge::Format origin_format) { storage_format_.SetOriginFormat(origin_format); }
    const StorageFormat& GetFormat() const { return storage_format_; }
    StorageFormat& MutableFormat() { return storage_format_; }
    ExpandDimsType GetExpandDimsType() const { return storage_format_.GetExpandDimsType(); }
    void SetExpandDimsType(const ExpandDimsType& expand_dims_type)
    {
        storage_format_.SetExpandDimsType(expand_dims_type);
    }
    TensorPlacement GetPlacement() const { return tensor_data_.GetPlacement(); }
    void SetPlacement(const TensorPlacement placement) { tensor_data_.SetPlacement(placement); }
    const TensorData& GetTensorData() const { return tensor_data_; }
    TensorData& MutableTensorData() { return tensor_data_; }
    TensorVersion GetVersion() const { return version_; }

protected:
    void SetVersion(const TensorVersion version) { version_ = version; }

    template <typename TensorType>
    static std::unique_ptr<uint8_t[]> MakeFollowing(const ge::DataType dt, const size_t tensor_size, size_t& total_size)
    {
        if (__builtin_add_overflow(sizeof(TensorType), tensor_size, &total_size)) {
            return nullptr;
        }
        std::unique_ptr<uint8_t[]> buffer(new (std::nothrow) uint8_t[total_size]());
        if (buffer != nullptr) {
            auto* tensor = new (buffer.get()) TensorType({}, {}, dt);
            tensor->SetPlacement(kFollowing);
            tensor->SetSize(tensor_size);
        }
        return buffer;
    }

private:
    inline const void* Behind() const;

    StorageShape storage_shape_;
    StorageFormat storage_format_;
    TensorVersion version_;
    uint8_t reserved_[3];
    ge::DataType data_type_;
    TensorData tensor_data_;
    uint8_t reserved_field_[40];
};
static_assert(std::is_standard_layout<Tensor>::value, "contexts address Tensor by its binary layout");
static_assert(sizeof(Tensor) == 752, "size of gert::Tensor on a real toolkit");

// A Tensor with view strides (elements) and an offset, told apart by its version tag. A real toolkit holds the Tensor
// as first member; deriving keeps that layout and lets a TensorV2* stand where a Tensor* is asked for.
class TensorV2 : public Tensor {
public:
    TensorV2() : offset_(0), reserved_v2_{} { SetVersion(kTensorV2); }
    TensorV2(const StorageShape& storage_shape, const StorageFormat& storage_format, const TensorPlacement placement,
             const ge::DataType data_type, TensorAddress addr)
        : TensorV2(storage_shape, storage_format, placement, data_type, addr, nullptr)
    {
    }
    TensorV2(const StorageShape& storage_shape, const StorageFormat& storage_format, ge::DataType data_type)
        : Tensor(storage_shape, storage_format, data_type), offset_(0), reserved_v2_{}
    {
        SetVersion(kTensorV2);
    }
    TensorV2(const StorageShape& storage_shape, const StorageFormat& storage_format, const TensorPlacement placement,
             const ge::DataType data_type, TensorAddress addr, TensorAddrManager manager)
        : TensorV2(storage_shape, storage_format, placement, data_type, addr, manager, Stride(), 0)
    {
    }
    TensorV2(const StorageShape& storage_shape, const StorageFormat& storage_format, const TensorPlacement placement,
             const ge::DataType data_type, TensorAddress addr, TensorAddrManager manager, const Stride& stride,
             const int64_t offset)
        : Tensor(storage_shape, storage_format, placement, data_type, addr, manager),
          stride_(stride),
          offset_(offset),
          reserved_v2_{}
    {
        SetVersion(kTensorV2);
    }

    static std::unique_ptr<uint8_t[]> CreateFollowing(const int64_t shape_size, const ge::DataType dt,
                                                      size_t& total_size)
    {
        const int64_t bytes = ge::GetSizeInBytes(shape_size, dt);
        return bytes < 0 ? nullptr : CreateFollowing(dt, static_cast<size_t>(bytes), total_size);
    }
    static std::unique_ptr<uint8_t[]> CreateFollowing(const ge::DataType dt, const size_t tensor_size,
                                                      size_t& total_size)
    {
        return MakeFollowing<TensorV2>(dt, tensor_size, total_size);
    }

    const Stride& GetStride() const { return stride_; }
    Stride& MutableStride() { return stride_; }
    int64_t GetOffset() const { return offset_; }
    void SetOffset(const int64_t offset) { offset_ = offset; }

private:
    Stride stride_;
    int64_t offset_;
    uint8_t reserved_v2_[40];
};
static_assert(sizeof(TensorV2) == 1048, "size of gert::TensorV2 on a real toolkit");

inline const void* Tensor::Behind() const
{
    return reinterpret_cast<const uint8_t*>(this) + (version_ == kTensorV2 ? sizeof(TensorV2) : sizeof(Tensor));
}
} // namespace gert

#endif
