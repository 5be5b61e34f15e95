#ifndef HOSTCANN_LEVEL0_BROADCAST_TO_H
#define HOSTCANN_LEVEL0_BROADCAST_TO_H

#include "opdev/op_executor.h"

namespace l0op {

// A new contiguous tensor of the shape.
const aclTensor* BroadcastTo(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_LEVEL0_BROADCAST_TO_H
