#ifndef HOSTCANN_OP_COMMON_OP_KERNEL_PLATFORM_UTIL_H
#define HOSTCANN_OP_COMMON_OP_KERNEL_PLATFORM_UTIL_H

#include "kernel_operator.h"

namespace Ops {
namespace Base {
// Bytes of a block of the unified buffer.
__aicore__ inline constexpr uint32_t GetUbBlockSize() { return 32U; }
// Bytes that one repeat of the vector unit takes.
__aicore__ inline constexpr uint32_t GetVRegSize() { return 256U; }
} // namespace Base
} // namespace Ops

#endif
