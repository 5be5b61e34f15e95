#ifndef HOSTCANN_ACLNN_KERNELS_CAST_H
#define HOSTCANN_ACLNN_KERNELS_CAST_H

#include "opdev/make_op_executor.h"
#include "opdev/op_executor.h"

namespace l0op {

// `self` itself when it already has the type; nullptr when the device has no such cast.
const aclTensor* Cast(const aclTensor* self, op::DataType dstDtype, aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_ACLNN_KERNELS_CAST_H
