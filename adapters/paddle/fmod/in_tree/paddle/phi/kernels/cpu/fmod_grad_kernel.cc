// paddle/phi/kernels/cpu/fmod_grad_kernel.cc
#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/impl/fmod_grad_kernel_impl.h"

PD_REGISTER_KERNEL(fmod_grad, CPU, ALL_LAYOUT, phi::FmodGradKernel, float, double, phi::dtype::float16,
                   phi::dtype::bfloat16)
{
}
