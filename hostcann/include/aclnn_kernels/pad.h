// l0op::Pad is the checkout's (conversion/pad/op_api), its node runs on the host where no package has the op type.
#ifndef HOSTCANN_ACLNN_KERNELS_PAD_H
#define HOSTCANN_ACLNN_KERNELS_PAD_H

#include "opdev/make_op_executor.h"
#include "opdev/op_executor.h"

namespace l0op {
const aclTensor* Pad(const aclTensor* self, const aclTensor* paddings, aclOpExecutor* executor);
} // namespace l0op

#endif // HOSTCANN_ACLNN_KERNELS_PAD_H
