// paddle/phi/kernels/cpu/fmod_kernel.cc
#include "paddle/phi/kernels/fmod_kernel.h"

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/elementwise_base.h"
#include "paddle/phi/kernels/impl/fmod_functors.h"

namespace phi {
namespace {

template <typename T>
struct FmodFunctor {
    T operator()(const T x, const T y) const
    {
        using Wide = funcs::FmodWide<T>;
        return static_cast<T>(funcs::FmodOf(static_cast<Wide>(x), static_cast<Wide>(y)));
    }
};

// ElementwiseCompute swaps the operands when y has more dimensions.
template <typename T>
struct InverseFmodFunctor {
    T operator()(const T x, const T y) const { return FmodFunctor<T>()(y, x); }
};

} // namespace

// The host computes exactly in every mode.
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

PD_REGISTER_KERNEL(fmod, CPU, ALL_LAYOUT, phi::FmodKernel, float, double, int, int64_t, int16_t, int8_t, uint8_t,
                   phi::dtype::float16, phi::dtype::bfloat16)
{
}
