// The AI CPU kernels that libraries have made known.
#ifndef HOSTCANN_NNOPBASE_CPU_REGISTRY_H
#define HOSTCANN_NNOPBASE_CPU_REGISTRY_H

#include <string>

#include "cpu_kernel.h"

namespace aicpu {
namespace hostcann {

// Null when nobody has made one known. Looks into the installed packages first.
KERNEL_CREATOR_FUN FindCpuKernel(const std::string& opType);
// Libraries of installed packages that could not be loaded, each behind "; ".
std::string LoadFailures();
// The first error line since the last call on this thread.
std::string TakeFirstError();

} // namespace hostcann
} // namespace aicpu

#endif // HOSTCANN_NNOPBASE_CPU_REGISTRY_H
