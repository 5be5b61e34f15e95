// paddle/phi/kernels/impl/fmod_grad_kernel_impl.h: the kernel of CPU and GPU.
#pragma once

#include "paddle/phi/kernels/fmod_grad_kernel.h"

#include "paddle/phi/kernels/funcs/elementwise_grad_base.h"
#include "paddle/phi/kernels/impl/fmod_functors.h"

namespace phi {

template <typename T>
struct FmodGradXFunctor {
    HOSTDEVICE T operator()(T x, T y, T /* out */, T out_grad) const
    {
        using W = funcs::FmodWide<T>;
        return static_cast<T>(funcs::FmodGradX(static_cast<W>(x), static_cast<W>(y), static_cast<W>(out_grad)));
    }
};

template <typename T>
struct FmodGradYFunctor {
    HOSTDEVICE T operator()(T x, T y, T /* out */, T out_grad) const
    {
        using W = funcs::FmodWide<T>;
        return static_cast<T>(funcs::FmodGradY(static_cast<W>(x), static_cast<W>(y), static_cast<W>(out_grad)));
    }
};

// ElemwiseGradCompute sums over repeated axes. The functors do not read out.
template <typename T, typename Context>
void FmodGradKernel(const Context& dev_ctx, const DenseTensor& x, const DenseTensor& y, const DenseTensor& out_grad,
                    DenseTensor* x_grad, DenseTensor* y_grad)
{
    const int axis = -1;
    funcs::ElemwiseGradCompute<Context, T, FmodGradXFunctor<T>, FmodGradYFunctor<T>>(
        dev_ctx, x, y, out_grad, out_grad, axis, x_grad, y_grad, FmodGradXFunctor<T>(), FmodGradYFunctor<T>());
}

} // namespace phi
