// paddle/phi/kernels/impl/fmod_kernel_impl.h: the kernel of CPU and GPU.
#pragma once

#include "paddle/phi/kernels/fmod_kernel.h"

#include "paddle/phi/kernels/funcs/elementwise_base.h"
#include "paddle/phi/kernels/impl/fmod_functors.h"

namespace phi {

template <typename T>
struct FmodFunctor {
    HOSTDEVICE T operator()(const T x, const T y) const
    {
        using Wide = funcs::FmodWide<T>;
        return static_cast<T>(funcs::FmodOf(static_cast<Wide>(x), static_cast<Wide>(y)));
    }
};

// ElementwiseCompute swaps the operands when y has more dimensions.
template <typename T>
struct InverseFmodFunctor {
    HOSTDEVICE T operator()(const T x, const T y) const { return FmodFunctor<T>()(y, x); }
};

// Exact in every mode.
template <typename T, typename Context>
void FmodKernel(const Context& dev_ctx, const DenseTensor& x, const DenseTensor& y, int /* precision_mode */,
                DenseTensor* out)
{
    dev_ctx.template Alloc<T>(out);
    if (x.dims().size() >= y.dims().size()) {
        funcs::ElementwiseCompute<FmodFunctor<T>, T>(dev_ctx, x, y, FmodFunctor<T>(), out);
    } else {
        funcs::ElementwiseCompute<InverseFmodFunctor<T>, T>(dev_ctx, x, y, InverseFmodFunctor<T>(), out);
    }
}

} // namespace phi
