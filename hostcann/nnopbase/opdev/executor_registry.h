// Which executors exist. The aclnn contract forbids using one after its run; instead of memory corruption the caller
// gets an error.
#ifndef HOSTCANN_NNOPBASE_EXECUTOR_REGISTRY_H
#define HOSTCANN_NNOPBASE_EXECUTOR_REGISTRY_H

#include "aclnn/acl_meta.h"

namespace op {
namespace internal {

void AddExecutor(const aclOpExecutor* executor);
// False when it is not there: destroyed, or run by another thread.
bool RemoveExecutor(const aclOpExecutor* executor);
bool IsLiveExecutor(const aclOpExecutor* executor);
// Reports an error naming `function` when the executor is not live.
bool ExpectLive(const aclOpExecutor* executor, const char* function);
// opbase keeps executors of generated interfaces for later calls: destroying one that has run changes nothing there.
void RememberGenerated(const aclOpExecutor* executor);
bool HasRunGenerated(const aclOpExecutor* executor);

} // namespace internal
} // namespace op
#endif // HOSTCANN_NNOPBASE_EXECUTOR_REGISTRY_H
