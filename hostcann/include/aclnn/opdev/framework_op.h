#ifndef HOSTCANN_OPDEV_FRAMEWORK_OP_H
#define HOSTCANN_OPDEV_FRAMEWORK_OP_H

#include "aclnn/acl_meta.h"

namespace op {

// A device copy of a contiguous host tensor, made when the executor runs.
const aclTensor* CopyToNpu(const aclTensor* src, aclOpExecutor* executor);
// The copy is made at once, in device memory that belongs to nobody: operators keep such tables for later calls.
const aclTensor* CopyToNpuSync(const aclTensor* src, aclOpExecutor* executor);
// Copies between contiguous tensors of the same size when the executor runs.
aclnnStatus CopyNpuToNpu(const aclTensor* src, const aclTensor* dst, aclOpExecutor* executor);

} // namespace op
#endif // HOSTCANN_OPDEV_FRAMEWORK_OP_H
