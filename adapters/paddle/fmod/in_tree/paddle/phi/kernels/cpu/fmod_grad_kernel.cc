// paddle/phi/kernels/cpu/fmod_grad_kernel.cc
#include "paddle/phi/kernels/fmod_grad_kernel.h"

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/elementwise_grad_base.h"
#include "paddle/phi/kernels/impl/fmod_functors.h"

namespace phi {
namespace {

template <typename T>
struct FmodGradXFunctor {
    T operator()(T x, T y, T /* out */, T out_grad) const
    {
        using W = funcs::FmodWide<T>;
        return static_cast<T>(funcs::FmodGradX(static_cast<W>(x), static_cast<W>(y), static_cast<W>(out_grad)));
    }
};

template <typename T>
struct FmodGradYFunctor {
    T operator()(T x, T y, T /* out */, T out_grad) const
    {
        using W = funcs::FmodWide<T>;
        return static_cast<T>(funcs::FmodGradY(static_cast<W>(x), static_cast<W>(y), static_cast<W>(out_grad)));
    }
};

} // namespace

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

PD_REGISTER_KERNEL(fmod_grad, CPU, ALL_LAYOUT, phi::FmodGradKernel, float, double, phi::dtype::float16,
                   phi::dtype::bfloat16)
{
}
