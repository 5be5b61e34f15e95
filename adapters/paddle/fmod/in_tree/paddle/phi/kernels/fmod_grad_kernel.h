// paddle/phi/kernels/fmod_grad_kernel.h
#pragma once

#include "paddle/phi/core/dense_tensor.h"

namespace phi {

// x_grad = out_grad, y_grad = -out_grad * trunc(x / y), each summed over the
// axes along which the input was repeated.
template <typename T, typename Context>
void FmodGradKernel(const Context& dev_ctx, const DenseTensor& x, const DenseTensor& y, const DenseTensor& out_grad,
                    DenseTensor* x_grad, DenseTensor* y_grad);

} // namespace phi
