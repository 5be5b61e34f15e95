#ifndef HOSTCANN_LEVEL0_ZERO_OP_H
#define HOSTCANN_LEVEL0_ZERO_OP_H

#include "opdev/op_executor.h"

namespace l0op {

// A new tensor of 0.
const aclTensor* ZerosLike(const aclTensor* self, aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_LEVEL0_ZERO_OP_H
