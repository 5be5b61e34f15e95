#ifndef HOSTCANN_OP_COMMON_UTIL_BFLOAT16_H
#define HOSTCANN_OP_COMMON_UTIL_BFLOAT16_H

#include <complex>

#include "aclnn/opdev/bfloat16.h"

namespace Ops {
namespace Base {
using complex64 = std::complex<float>;
using complex128 = std::complex<double>;
using bfloat16 = op::bfloat16;
} // namespace Base
} // namespace Ops

#endif
