#ifndef ACLNN_CHECKED_SCALE_H
#define ACLNN_CHECKED_SCALE_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

// `overflows` is written for INT64 and DOUBLE only.
__attribute__((visibility("default"))) aclnnStatus aclnnCheckedScaleGetWorkspaceSize(const aclTensor* x, int64_t factor,
                                                                                     aclTensor* out,
                                                                                     aclTensor* overflows,
                                                                                     uint64_t* workspaceSize,
                                                                                     aclOpExecutor** executor);
__attribute__((visibility("default"))) aclnnStatus aclnnCheckedScale(void* workspace, uint64_t workspaceSize,
                                                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
