#ifndef HOSTCANN_LEVEL0_LOGICAL_OR_H
#define HOSTCANN_LEVEL0_LOGICAL_OR_H

#include "opdev/op_executor.h"

namespace l0op {

// Of bool; the shapes broadcast.
const aclTensor* LogicalOr(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_LEVEL0_LOGICAL_OR_H
