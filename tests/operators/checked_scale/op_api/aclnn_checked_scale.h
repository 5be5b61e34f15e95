#ifndef ACLNN_CHECKED_SCALE_H
#define ACLNN_CHECKED_SCALE_H

#include "aclnn/acl_meta.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// `overflows` is written for INT64 and DOUBLE only.
ACLNN_API aclnnStatus aclnnCheckedScaleGetWorkspaceSize(const aclTensor* x, int64_t factor, aclTensor* out,
                                                        aclTensor* overflows, uint64_t* workspaceSize,
                                                        aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnCheckedScale(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                        aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
