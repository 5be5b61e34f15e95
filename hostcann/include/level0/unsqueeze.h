#ifndef HOSTCANN_LEVEL0_UNSQUEEZE_H
#define HOSTCANN_LEVEL0_UNSQUEEZE_H

#include "opdev/op_executor.h"

namespace l0op {

// Views with new dims of size 1 at these positions of the result.
const aclTensor* UnsqueezeNd(const aclTensor* x, const aclIntArray* dim, aclOpExecutor* executor);
const aclTensor* UnsqueezeNd(const aclTensor* x, int64_t dim, aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_LEVEL0_UNSQUEEZE_H
