#ifndef HOSTCANN_LEVEL0_ONES_LIKE_H
#define HOSTCANN_LEVEL0_ONES_LIKE_H

#include "opdev/op_executor.h"

namespace l0op {

// A new tensor of 1.
const aclTensor* OnesLike(const aclTensor* self, aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_LEVEL0_ONES_LIKE_H
