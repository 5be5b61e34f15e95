// ListTensorDesc and TensorDesc: the descriptor of a dynamic input or output.
//
// Memory layout, in 64-bit words: offset in bytes from the start to the data pointers; then one record per tensor (low
// half: dimensions, high half: number of tensors in the first record, index in later ones; then the dimensions); then
// the data pointers. 0 dimensions: pointers only, and they start at byte 24.
#ifndef HOSTCANN_ASCENDC_KERNEL_LIST_TENSOR_H
#define HOSTCANN_ASCENDC_KERNEL_LIST_TENSOR_H

#include "ascendc/kernel/tensor.h"

namespace AscendC {

template <typename T>
class TensorDesc {
public:
    // Memory of the kernel that GetDesc fills with the dimensions.
    HOSTCANN_API void SetShapeAddr(uint64_t* shapePtr) { shape_ = shapePtr; }
    HOSTCANN_API uint64_t GetDim() { return dim_; }
    HOSTCANN_API uint64_t GetIndex() { return index_; }
    HOSTCANN_API uint64_t GetShape(uint32_t offset)
    {
        if (offset >= dim_) {
            aic_misuse("TensorDesc::GetShape", "offset", "no such dimension", "less than GetDim()", offset,
                       "loop over GetDim() dimensions");
        }
        return shape_[offset];
    }
    HOSTCANN_API __gm__ T* GetDataPtr() { return data_; }
    // The toolkit gives the tensor a size in bytes here, not in elements.
    HOSTCANN_API GlobalTensor<T> GetDataObj()
    {
        uint64_t size = sizeof(T);
        for (uint32_t i = 0; i < dim_; ++i) {
            size *= shape_[i];
        }
        GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer(data_, size);
        return tensor;
    }

private:
    friend class ListTensorDesc;
    uint32_t dim_ = 0;
    uint32_t index_ = 0;
    uint64_t* shape_ = nullptr;
    __gm__ T* data_ = nullptr;
};

class ListTensorDesc {
public:
    ListTensorDesc() = default;
    HOSTCANN_API ListTensorDesc(__gm__ void* data, uint32_t length = UNCHECKED, uint32_t shapeSize = UNCHECKED)
    {
        Init(data, length, shapeSize);
    }
    HOSTCANN_API void Init(__gm__ void* data, uint32_t length = UNCHECKED, uint32_t shapeSize = UNCHECKED)
    {
        head_ = static_cast<__gm__ uint64_t*>(data);
        const uint64_t pointers = Word(0);
        const uint64_t first = Word(1);
        dim_ = static_cast<uint32_t>(first);
        words_ = dim_ == 0 ? 2 : 1 + dim_;
        pointers_ = static_cast<uint32_t>(pointers / sizeof(uint64_t));
        count_ = static_cast<uint32_t>(first >> 32);
        if (count_ == 0) {
            // The last record holds the last index.
            count_ = static_cast<uint32_t>(Word(pointers_ - words_) >> 32) + 1;
        }
        if (length != UNCHECKED && shapeSize != UNCHECKED &&
            (count_ != shapeSize || length != pointers + count_ * sizeof(uint64_t))) {
            aic_misuse("ListTensorDesc", "shapeSize", "the descriptor has another number of tensors",
                       "the number the kernel passes (got: what the descriptor holds)", count_,
                       "pass the kernel argument of a dynamic input, and its own length");
        }
    }
    template <typename T>
    HOSTCANN_API void GetDesc(TensorDesc<T>& desc, uint32_t index)
    {
        desc.data_ = GetDataPtr<T>(index);
        desc.dim_ = dim_;
        desc.index_ = index;
        if (dim_ != 0 && desc.shape_ == nullptr) {
            aic_misuse("ListTensorDesc::GetDesc", "desc", "nowhere to put the dimensions",
                       "SetShapeAddr before GetDesc", 0, "give the TensorDesc an array of uint64_t with SetShapeAddr");
        }
        for (uint32_t i = 0; i < dim_; ++i) {
            desc.shape_[i] = Word(1 + index * words_ + 1 + i);
        }
    }
    template <typename T>
    HOSTCANN_API __gm__ T* GetDataPtr(uint32_t index)
    {
        if (index >= count_) {
            aic_misuse("ListTensorDesc::GetDataPtr", "index", "no such tensor", "less than GetSize()", index,
                       "loop over GetSize() tensors");
        }
        return reinterpret_cast<__gm__ T*>(Word(pointers_ + index));
    }
    HOSTCANN_API uint32_t GetSize() { return count_; }

private:
    static constexpr uint32_t UNCHECKED = 0xffffffff;

    HOSTCANN_API uint64_t Word(uint32_t index)
    {
        aic_gm_scalar(head_ + index, sizeof(uint64_t), 0);
        return head_[index];
    }

    __gm__ uint64_t* head_ = nullptr;
    uint32_t dim_ = 0;
    uint32_t words_ = 0;
    uint32_t pointers_ = 0;
    uint32_t count_ = 0;
};

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_LIST_TENSOR_H
