// paddle/phi/kernels/gpu/fmod_grad_kernel.cu
#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/impl/fmod_grad_kernel_impl.h"

PD_REGISTER_KERNEL(fmod_grad, GPU, ALL_LAYOUT, phi::FmodGradKernel, float, double, phi::dtype::float16,
                   phi::dtype::bfloat16)
{
}
