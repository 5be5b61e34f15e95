#ifndef HOSTCANN_ACLNN_KERNELS_RESHAPE_H
#define HOSTCANN_ACLNN_KERNELS_RESHAPE_H

#include "opdev/op_def.h"
#include "opdev/shape_utils.h"

namespace l0op {

// x must be contiguous; one dim may be -1.
const aclTensor* Reshape(const aclTensor* x, const op::Shape& shape, aclOpExecutor* executor);
const aclTensor* Reshape(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_ACLNN_KERNELS_RESHAPE_H
