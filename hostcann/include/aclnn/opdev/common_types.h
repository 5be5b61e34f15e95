// aclTensor, aclScalar, arrays and lists as op_api sources see them.
#ifndef HOSTCANN_OPDEV_COMMON_TYPES_H
#define HOSTCANN_OPDEV_COMMON_TYPES_H

#include <complex>
#include <memory>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "acl/acl_base.h"
#include "aclnn/acl_meta.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/runtime_tensor.h"
#include "exe_graph/runtime/tensor_data.h"
#include "graph/ascend_string.h"
#include "graph/types.h"
#include "opdev/bfloat16.h"
#include "opdev/fast_vector.h"
#include "opdev/fp16_t.h"
#include "opdev/object.h"
#include "opdev/op_def.h"
#include "securec.h"

namespace op {

constexpr uint64_t MAX_DIM_NUM = 25;

using Strides = FVector<int64_t, MAX_DIM_NUM>;
using ShapeVector = FVector<int64_t, MAX_DIM_NUM>;
using Shape = gert::Shape;
using Format = ge::Format;
using DataType = ge::DataType;
using Tensor = gert::TensorV2;
using StorageShape = gert::StorageShape;
using StorageFormat = gert::StorageFormat;
using TensorPlacement = gert::TensorPlacement;

ge::AscendString ToString(op::DataType dataType);
size_t TypeSize(DataType dataType);
void ToContiguousStrides(const op::Shape& shape, op::Strides& strides);

namespace internal {
class ExecutorPlan;
} // namespace internal

} // namespace op

// The memory behind one or more tensors: an address given by the user, a place in the workspace, or host bytes.
class aclStorage : public op::Object {
    friend class aclTensor;
    friend class op::internal::ExecutorPlan;

public:
    aclStorage() = default;
    explicit aclStorage(void* addr) : addr_(addr) {}
    explicit aclStorage(bool fromWorkspace) : fromWorkspace_(fromWorkspace) {}
    aclStorage(void* addr, bool fromWorkspace) : addr_(addr), fromWorkspace_(fromWorkspace) {}
    aclStorage(const aclStorage&) = delete;
    aclStorage& operator=(const aclStorage&) = delete;

    void* GetAddr() const { return addr_; }
    void SetAddr(void* addr) { addr_ = addr; }
    void SetWorkspaceOffset(uint64_t offset) { workspaceOffset_ = offset; }
    uint64_t GetWorkspaceOffset() const { return workspaceOffset_; }
    void SetFromWorkspace(bool fromWorkspace) { fromWorkspace_ = fromWorkspace; }
    bool IsFromWorkspace() const { return fromWorkspace_; }
    // In elements.
    void SetStorageOffset(int64_t offset) { storageOffset_ = offset; }
    int64_t GetStorageOffset() const { return storageOffset_; }

private:
    void* addr_{nullptr};
    uint64_t workspaceOffset_{0};
    int64_t storageOffset_{0};
    bool fromWorkspace_{false};
    const aclTensor* owner_{nullptr};      // the tensor it was made for, null once that tensor is gone
    bool ownerDestroyed_{false};           // the user destroyed the tensor
    std::unique_ptr<uint8_t[]> hostBytes_; // data of host tensors
};

template <typename T>
class aclArray : public op::Object {
public:
    T& operator[](uint64_t i) { return value_[i]; }
    const T& operator[](uint64_t i) const { return value_[i]; }
    uint64_t Size() const { return value_.size(); }
    const T* GetData() const { return value_.data(); }
    ge::AscendString ToString() const;

protected:
    aclArray(const T* value, uint64_t size)
    {
        if (value != nullptr) {
            value_.assign(value, value + size);
        }
    }

private:
    op::FVector<T> value_;
};

#define HOSTCANN_ACL_ARRAY_(Kind, T)                                                    \
    class acl##Kind##Array : public aclArray<T> {                                       \
        friend struct aclOpExecutor;                                                    \
        friend acl##Kind##Array* aclCreate##Kind##Array(const T* value, uint64_t size); \
                                                                                        \
    private:                                                                            \
        acl##Kind##Array(const T* value, uint64_t size) : aclArray<T>(value, size) {}   \
    }

HOSTCANN_ACL_ARRAY_(Bool, bool);
HOSTCANN_ACL_ARRAY_(Int, int64_t);
HOSTCANN_ACL_ARRAY_(Float, float);
HOSTCANN_ACL_ARRAY_(Fp16, op::fp16_t);
HOSTCANN_ACL_ARRAY_(Bf16, op::bfloat16);
#undef HOSTCANN_ACL_ARRAY_

// The gert tensor inside carries the storage dims of a user's tensor, not its view: that is what tiling and infershape
// see of a tensor which did not go through Contiguous, Reshape or CreateView.
class aclTensor : public op::Object {
    friend struct aclOpExecutor;
    friend class op::internal::ExecutorPlan;
    friend aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                                      const int64_t* stride, int64_t offset, aclFormat format,
                                      const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData);
    friend aclnnStatus aclDestroyTensor(const aclTensor* tensor);

public:
    aclTensor(aclTensor&& other) = delete;
    aclTensor& operator=(const aclTensor& other) = delete;
    aclTensor& operator=(aclTensor&& other) = delete;

    const op::Shape& GetStorageShape() const;
    void SetStorageShape(const op::Shape& shape) const;
    const op::Shape& GetOriginalShape() const;
    void SetOriginalShape(const op::Shape& shape) const;
    const op::Shape& GetViewShape() const { return viewShape_; }
    void SetViewShape(const op::Shape& shape); // also makes the strides contiguous

    op::Format GetStorageFormat() const;
    void SetStorageFormat(op::Format format);
    op::Format GetOriginalFormat() const;
    void SetOriginalFormat(op::Format format);
    op::Format GetViewFormat() const { return viewFormat_; }
    void SetViewFormat(op::Format format) { viewFormat_ = format; }

    const op::Strides& GetViewStrides() const { return viewStrides_; }
    void SetViewStrides(const op::Strides& strides) { viewStrides_ = strides; }
    void SetViewStrides(op::Strides&& strides) { viewStrides_ = std::move(strides); }

    op::Tensor* GetTensor() const { return tensor_.get(); }
    // Address of the first element of the view.
    void* GetData() const;
    void* GetStorageAddr() const;
    void SetStorageAddr(void* addr) const;
    const aclStorage* GetStorage() const { return storage_.get(); }

    int64_t Size() const;  // elements of the storage
    int64_t Numel() const; // elements of the view
    bool IsEmpty() const;
    op::DataType GetDataType() const;
    void SetDataType(op::DataType dataType);
    op::TensorPlacement GetPlacement() const;

    int64_t GetViewOffset() const { return viewOffset_; }
    void SetViewOffset(int64_t offset) const { viewOffset_ = offset; }
    int64_t GetStorageOffset() const;
    void SetStorageOffset(int64_t offset);

    void SetFromWorkspace(bool fromWorkspace) const;
    bool IsFromWorkspace() const;
    void SetWorkspaceOffset(uint64_t offset) const;
    uint64_t GetWorkspaceOffset() const;

    // Host tensors only: writes value(s) converted to `dataType`, which must be the tensor's.
    template <typename T>
    void SetData(int64_t index, const T value, op::DataType dataType);
    template <typename T>
    void SetData(const T* value, uint64_t size, op::DataType dataType);
    void SetBoolData(const bool* value, uint64_t size, op::DataType dataType) { SetData(value, size, dataType); }
    void SetIntData(const int64_t* value, uint64_t size, op::DataType dataType) { SetData(value, size, dataType); }
    void SetFloatData(const float* value, uint64_t size, op::DataType dataType) { SetData(value, size, dataType); }
    void SetFp16Data(const op::fp16_t* value, uint64_t size, op::DataType dataType) { SetData(value, size, dataType); }
    void SetBf16Data(const op::bfloat16* value, uint64_t size, op::DataType dataType)
    {
        SetData(value, size, dataType);
    }

    void InitTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t* stride,
                    int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                    void* tensorDataAddr);
    ge::AscendString ToString() const;

private:
    // A tensor with storage of its own: user memory, workspace or host bytes.
    aclTensor(const op::Shape& storageShape, const op::Shape& originShape, op::DataType dataType,
              op::Format storageFormat, op::Format originFormat, op::TensorPlacement placement,
              std::shared_ptr<aclStorage> storage);
    // A view of another tensor's storage. Empty strides mean contiguous.
    aclTensor(const aclTensor& other, const op::Shape& viewShape, const op::Shape& storageShape,
              const op::Strides& strides, int64_t offset);
    ~aclTensor() override;

    std::unique_ptr<op::Tensor> tensor_;
    std::shared_ptr<aclStorage> storage_;
    mutable int64_t viewOffset_{0};
    op::Strides viewStrides_;
    op::Shape viewShape_;
    op::Format viewFormat_{op::Format::FORMAT_ND};
    bool isView_{false};
};

struct aclTensorList : public op::Object {
    friend struct aclOpExecutor;
    friend aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size);

public:
    aclTensor*& operator[](uint64_t i) { return tensors_[i]; }
    const aclTensor* operator[](uint64_t i) const { return tensors_[i]; }
    uint64_t Size() const { return tensors_.size(); }
    const aclTensor* const* GetData() const { return tensors_.data(); }
    ge::AscendString ToString() const;

private:
    aclTensorList(const aclTensor* const* tensors, uint64_t size);
    std::vector<aclTensor*> tensors_;
};

class aclScalar : public op::Object {
    friend struct aclOpExecutor;

public:
    // Throws std::invalid_argument for data types it cannot hold.
    aclScalar(const void* data, op::DataType dataType);

    const void* GetData() const { return &value_; }
    uint64_t Size() const;
    op::DataType GetDataType() const { return dataType_; }

    // Plain C++ conversions: float to integer truncates and is undefined out of range.
    bool ToBool() const;
    int8_t ToInt8() const;
    int16_t ToInt16() const;
    int32_t ToInt32() const;
    int64_t ToInt64() const;
    uint8_t ToUint8() const;
    uint16_t ToUint16() const; // by way of int16_t
    uint32_t ToUint32() const;
    uint64_t ToUint64() const;
    float ToFloat() const;
    double ToDouble() const;
    op::fp16_t ToFp16() const;
    op::bfloat16 ToBf16() const;
    std::complex<float> ToComplex64() const;
    std::complex<double> ToComplex128() const;
    ge::AscendString ToString() const;

    // Whether the value is outside the range of T: bool, the integers, fp16_t, bfloat16, float, double, complex.
    template <typename T>
    bool CheckOverflows() const;

private:
    template <typename T>
    T To() const;

    op::DataType dataType_;
    union Value {
        bool b;
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f;
        double d;
        std::complex<float> c64;
        std::complex<double> c128;
        Value() : c128() {}
    } value_;
};

struct aclScalarList : public op::Object {
    friend struct aclOpExecutor;
    friend aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size);

public:
    aclScalar*& operator[](uint64_t i) { return scalars_[i]; }
    const aclScalar* operator[](uint64_t i) const { return scalars_[i]; }
    uint64_t Size() const { return scalars_.size(); }
    const aclScalar* const* GetData() const { return scalars_.data(); }
    ge::AscendString ToString() const;

private:
    aclScalarList(const aclScalar* const* scalars, uint64_t size);
    std::vector<aclScalar*> scalars_;
};

// "nullptr" for a null pointer.
ge::AscendString ToString(const aclTensor* t);
ge::AscendString ToString(const aclTensorList* t);
ge::AscendString ToString(const aclIntArray* t);
ge::AscendString ToString(const aclBoolArray* t);
ge::AscendString ToString(const aclFloatArray* t);
ge::AscendString ToString(const aclFp16Array* t);
ge::AscendString ToString(const aclBf16Array* t);
ge::AscendString ToString(const aclScalar* t);
ge::AscendString ToString(const aclScalarList* t);
ge::AscendString ToString(aclDataType dataType);

#endif // HOSTCANN_OPDEV_COMMON_TYPES_H
