#ifndef CHECKED_SCALE_L0_H
#define CHECKED_SCALE_L0_H

#include "opdev/op_executor.h"

namespace l0op {
const aclTensor* CheckedScale(const aclTensor* x, int64_t factor, const aclTensor* out, const aclTensor* overflows,
                              aclOpExecutor* executor);
}

#endif
