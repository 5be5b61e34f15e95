// Tensors of AI CPU kernels as Eigen's.
#ifndef HOSTCANN_AICPU_EIGEN_TENSOR_H
#define HOSTCANN_AICPU_EIGEN_TENSOR_H

#include "cpu_tensor.h"
#include "log.h"
#include "unsupported/Eigen/CXX11/Tensor"

namespace aicpu {

template <typename T, int NDIMS = 1, typename IndexType = Eigen::DenseIndex>
struct TTypes {
    template <typename Element, int Rank>
    using Map = Eigen::TensorMap<Eigen::Tensor<Element, Rank, Eigen::RowMajor, IndexType>>;
    template <typename Element, int Rank>
    using AlignedMap = Eigen::TensorMap<Eigen::Tensor<Element, Rank, Eigen::RowMajor, IndexType>, Eigen::Aligned>;

    using Tensor = AlignedMap<T, NDIMS>;
    using ConstTensor = AlignedMap<const T, NDIMS>;
    using UnalignedTensor = Map<T, NDIMS>;
    using UnalignedConstTensor = Map<const T, NDIMS>;
    using Flat = AlignedMap<T, 1>;
    using ConstFlat = AlignedMap<const T, 1>;
    using Vec = AlignedMap<T, 1>;
    using ConstVec = AlignedMap<const T, 1>;
    using Matrix = AlignedMap<T, 2>;
    using ConstMatrix = AlignedMap<const T, 2>;
};

class EigenTensor {
public:
    EigenTensor(Tensor* tensor, void* data) : tensor_(tensor), data_(data) {}

    const Tensor* GetTensor() const { return tensor_; }
    template <typename T>
    typename TTypes<T>::Vec vec()
    {
        return tensor<T, 1>();
    }
    template <typename T>
    typename TTypes<T>::Matrix matrix()
    {
        return tensor<T, 2>();
    }
    template <typename T>
    typename TTypes<T>::Flat flat()
    {
        return typename TTypes<T>::Flat(static_cast<T*>(data_), tensor_->NumElements());
    }
    template <typename T, size_t NDIMS>
    typename TTypes<T, NDIMS>::Tensor tensor()
    {
        Eigen::DSizes<Eigen::DenseIndex, NDIMS> sizes;
        const auto shape = tensor_->GetTensorShape();
        for (size_t d = 0; d < NDIMS; ++d) {
            const auto at = static_cast<int32_t>(d);
            sizes[d] = at < shape->GetDims() ? shape->GetDimSize(at) : 1;
        }
        return typename TTypes<T, NDIMS>::Tensor(static_cast<T*>(data_), sizes);
    }

private:
    Tensor* tensor_;
    void* data_;
};

} // namespace aicpu

#endif // HOSTCANN_AICPU_EIGEN_TENSOR_H
