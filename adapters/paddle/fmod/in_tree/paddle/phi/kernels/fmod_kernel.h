// paddle/phi/kernels/fmod_kernel.h
#pragma once

#include "paddle/phi/core/dense_tensor.h"

namespace phi {

// out = x - trunc(x / y) * y with broadcasting.
template <typename T, typename Context>
void FmodKernel(const Context& dev_ctx, const DenseTensor& x, const DenseTensor& y, int precision_mode,
                DenseTensor* out);

} // namespace phi
