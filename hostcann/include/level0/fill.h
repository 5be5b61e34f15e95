#ifndef HOSTCANN_LEVEL0_FILL_H
#define HOSTCANN_LEVEL0_FILL_H

#include "opdev/op_executor.h"

namespace l0op {

// A new tensor of the shape, every element the one of `value`; `dims` is the tensor form of outShape.
const aclTensor* Fill(const aclTensor* dims, const aclTensor* value, const aclIntArray* outShape,
                      aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_LEVEL0_FILL_H
