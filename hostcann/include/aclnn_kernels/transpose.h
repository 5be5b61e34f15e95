#ifndef HOSTCANN_ACLNN_KERNELS_TRANSPOSE_H
#define HOSTCANN_ACLNN_KERNELS_TRANSPOSE_H

#include "opdev/common_types.h"
#include "opdev/op_def.h"

namespace l0op {

// Dim i of the result is dim perm[i] of x.
const aclTensor* Transpose(const aclTensor* x, const aclIntArray* perm, aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_ACLNN_KERNELS_TRANSPOSE_H
