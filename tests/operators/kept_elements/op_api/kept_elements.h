#ifndef KEPT_ELEMENTS_L0_H
#define KEPT_ELEMENTS_L0_H

#include "opdev/op_executor.h"

namespace l0op {
const aclTensor* KeptElements(const aclTensor* x, const aclTensor* out, aclOpExecutor* executor);
}

#endif
