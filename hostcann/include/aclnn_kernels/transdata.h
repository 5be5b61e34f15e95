#ifndef HOSTCANN_ACLNN_KERNELS_TRANSDATA_H
#define HOSTCANN_ACLNN_KERNELS_TRANSDATA_H

#include "opdev/op_executor.h"

namespace l0op {

// Gives x another format; no data moves. Without an executor x itself is changed: never do that to a user's tensor.
const aclTensor* ReFormat(const aclTensor* x, const op::Format& format, aclOpExecutor* executor = nullptr);

// Private formats (NC1HWC0, FRACTAL_NZ and their like) are not modelled: x itself where it has the format already, an
// error otherwise.
const aclTensor* TransData(const aclTensor* x, op::Format dstPrimaryFormat, int64_t groups, aclOpExecutor* executor);
const aclTensor* TransDataSpecial(const aclTensor* x, op::Format dstPrimaryFormat, int64_t groups,
                                  aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_ACLNN_KERNELS_TRANSDATA_H
