#ifndef HOSTCANN_ACLNN_KERNELS_CONTIGUOUS_H
#define HOSTCANN_ACLNN_KERNELS_CONTIGUOUS_H

#include "opdev/common_types.h"
#include "opdev/op_def.h"

namespace l0op {

// A tensor whose storage, origin and view shape are x's view shape. No kernel for a contiguous x.
const aclTensor* Contiguous(const aclTensor* x, aclOpExecutor* executor);

// Writes x into y, a tensor of the caller. When x is a contiguous workspace tensor and y is contiguous, no kernel runs:
// x's producer writes y's memory instead.
const aclTensor* ViewCopy(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor);

// x seen as the dense block its elements form; op::CanPickViewAsContiguous(x) must hold.
const aclTensor* PickViewAsContiguous(const aclTensor* x, aclOpExecutor* executor);

// Lets x's producer write y's memory, in the element order of that memory.
const aclTensor* ReViewToOut(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_ACLNN_KERNELS_CONTIGUOUS_H
