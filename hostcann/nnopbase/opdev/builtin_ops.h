// Operators whose kernels a device has in its own package and that run on the host here.
#ifndef HOSTCANN_NNOPBASE_BUILTIN_OPS_H
#define HOSTCANN_NNOPBASE_BUILTIN_OPS_H

#include "op_impl.h"

namespace op {
namespace internal {

// Adds the node of an op type that no package has. False when hostcann has none either; then nothing is reported.
bool LaunchBuiltin(const OpCall& call, aclOpExecutor* executor, aclnnStatus* status);

} // namespace internal
} // namespace op
#endif // HOSTCANN_NNOPBASE_BUILTIN_OPS_H
