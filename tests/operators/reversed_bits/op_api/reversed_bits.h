#ifndef REVERSED_BITS_L0_H
#define REVERSED_BITS_L0_H

#include "opdev/op_executor.h"

namespace l0op {
const aclTensor* ReversedBits(const aclTensor* x, const aclTensor* out, aclOpExecutor* executor);
}

#endif
