// hostcann has no private formats, so TransData and TransDataSpecial are not declared here.
#ifndef HOSTCANN_ACLNN_KERNELS_TRANSDATA_H
#define HOSTCANN_ACLNN_KERNELS_TRANSDATA_H

#include "opdev/op_executor.h"

namespace l0op {

// Gives x another format; no data moves. Without an executor x itself is changed: never do that to a user's tensor.
const aclTensor* ReFormat(const aclTensor* x, const op::Format& format, aclOpExecutor* executor = nullptr);

} // namespace l0op
#endif // HOSTCANN_ACLNN_KERNELS_TRANSDATA_H
