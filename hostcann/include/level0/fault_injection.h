#ifndef HOSTCANN_LEVEL0_FAULT_INJECTION_H
#define HOSTCANN_LEVEL0_FAULT_INJECTION_H

#include "opdev/op_executor.h"

namespace l0op {

// Declared, as operators include this header; nothing here defines it, and none of the public ones calls it.
const aclTensor* FaultInjection(const aclTensor* injectObj, const aclTensor* injectPara, aclTensor* out,
                                aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_LEVEL0_FAULT_INJECTION_H
