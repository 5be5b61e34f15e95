#ifndef HOSTCANN_LEVEL0_MUL_H
#define HOSTCANN_LEVEL0_MUL_H

#include "opdev/op_executor.h"

namespace l0op {

// Of one data type; the shapes broadcast.
const aclTensor* Mul(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_LEVEL0_MUL_H
