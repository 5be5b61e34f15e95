// paddle/phi/kernels/cpu/fmod_kernel.cc
#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/impl/fmod_kernel_impl.h"

PD_REGISTER_KERNEL(fmod, CPU, ALL_LAYOUT, phi::FmodKernel, float, double, int, int64_t, int16_t, int8_t, uint8_t,
                   phi::dtype::float16, phi::dtype::bfloat16)
{
}
