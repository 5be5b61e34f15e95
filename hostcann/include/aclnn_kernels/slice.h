#ifndef HOSTCANN_ACLNN_KERNELS_SLICE_H
#define HOSTCANN_ACLNN_KERNELS_SLICE_H

#include "opdev/common_types.h"
#include "opdev/op_def.h"

namespace l0op {

// x[offsets[i] : offsets[i] + size[i]] in every dim; a size of -1 means up to the end.
const aclTensor* Slice(const aclTensor* x, const aclIntArray* offsets, const aclIntArray* size,
                       aclOpExecutor* executor);

} // namespace l0op
#endif // HOSTCANN_ACLNN_KERNELS_SLICE_H
