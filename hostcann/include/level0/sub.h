#ifndef HOSTCANN_LEVEL0_SUB_H
#define HOSTCANN_LEVEL0_SUB_H

#include "opdev/op_executor.h"

namespace l0op {

// Of one data type; the shapes broadcast.
const aclTensor* Sub(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_LEVEL0_SUB_H
