// The AI CPU kernels that libraries have made known.
#ifndef HOSTCANN_NNOPBASE_CPU_REGISTRY_H
#define HOSTCANN_NNOPBASE_CPU_REGISTRY_H

#include <string>

#include "cpu_kernel.h"

namespace aicpu {
namespace internal {

// Null when nobody has made one known. Looks into the installed packages first.
KERNEL_CREATOR_FUN FindCpuKernel(const std::string& opType);
// The first error line since the last call on this thread.
std::string TakeFirstError();

} // namespace internal
} // namespace aicpu

#endif // HOSTCANN_NNOPBASE_CPU_REGISTRY_H
