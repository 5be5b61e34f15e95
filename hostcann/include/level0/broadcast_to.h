#ifndef HOSTCANN_LEVEL0_BROADCAST_TO_H
#define HOSTCANN_LEVEL0_BROADCAST_TO_H

#include "opdev/op_executor.h"

namespace l0op {

// A new contiguous tensor of the shape.
const aclTensor* BroadcastTo(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor);
// Of the shape of y, which `shape` holds as a tensor.
const aclTensor* BroadcastTo(const aclTensor* x, const aclTensor* y, const aclTensor* shape, aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_LEVEL0_BROADCAST_TO_H
