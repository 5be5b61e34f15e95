#ifndef ACLNN_KEPT_ELEMENTS_H
#define ACLNN_KEPT_ELEMENTS_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((visibility("default"))) aclnnStatus aclnnKeptElementsGetWorkspaceSize(const aclTensor* x, aclTensor* out,
                                                                                     uint64_t* workspaceSize,
                                                                                     aclOpExecutor** executor);
__attribute__((visibility("default"))) aclnnStatus aclnnKeptElements(void* workspace, uint64_t workspaceSize,
                                                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
