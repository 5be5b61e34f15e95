#ifndef HOSTCANN_LEVEL0_SQUEEZE_H
#define HOSTCANN_LEVEL0_SQUEEZE_H

#include "opdev/op_executor.h"

namespace l0op {

// Views without the dims of size 1 that are named; no dims means all of size 1.
const aclTensor* SqueezeNd(const aclTensor* x, const aclIntArray* dim, aclOpExecutor* executor);
const aclTensor* SqueezeNd(const aclTensor* x, int64_t dim, aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_LEVEL0_SQUEEZE_H
