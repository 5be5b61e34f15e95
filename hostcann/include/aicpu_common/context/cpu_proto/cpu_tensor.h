// An input or output of an AI CPU kernel.
#ifndef HOSTCANN_AICPU_CPU_TENSOR_H
#define HOSTCANN_AICPU_CPU_TENSOR_H

#include <cstdint>
#include <memory>
#include <string>

#include "cpu_tensor_shape.h"

namespace aicpu {

class AICPU_VISIBILITY Tensor {
    friend class CpuKernelUtils;

public:
    // Copies the shape; false for a null pointer.
    bool SetTensorShape(const TensorShape* shape);
    // Changes of what it returns are changes of the tensor's shape.
    std::shared_ptr<TensorShape> GetTensorShape() const { return shape_; }
    void SetDataType(DataType type) { type_ = type; }
    DataType GetDataType() const { return type_; }
    void SetData(void* addr) { data_ = addr; }
    void* GetData() const { return data_; }
    void SetDataSize(uint64_t size) { size_ = size; }
    uint64_t GetDataSize() const { return size_; }
    // -1 when shape or type has no size.
    int64_t CalcDataSizeByShape() const;
    int64_t NumElements() const { return shape_->NumElements(); }

private:
    Tensor();

    std::shared_ptr<TensorShape> shape_;
    DataType type_{DT_UNDEFINED};
    void* data_{nullptr};
    uint64_t size_{0};
    std::string name_;
};

} // namespace aicpu

#endif // HOSTCANN_AICPU_CPU_TENSOR_H
