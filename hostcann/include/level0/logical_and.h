#ifndef HOSTCANN_LEVEL0_LOGICAL_AND_H
#define HOSTCANN_LEVEL0_LOGICAL_AND_H

#include "opdev/op_executor.h"

namespace l0op {

// Of bool; the shapes broadcast.
const aclTensor* LogicalAnd(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_LEVEL0_LOGICAL_AND_H
