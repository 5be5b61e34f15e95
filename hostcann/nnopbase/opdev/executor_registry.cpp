#include "executor_registry.h"

#include <mutex>
#include <unordered_set>

#include "aclnn/hostcann_probe.h"
#include "opdev/op_log.h"

namespace {

std::mutex& Mutex()
{
    static std::mutex mutex;
    return mutex;
}

std::unordered_set<const aclOpExecutor*>& Executors()
{
    static std::unordered_set<const aclOpExecutor*> executors;
    return executors;
}

// Addresses of generated interfaces' executors that have run, until a new executor has the address.
std::unordered_set<const aclOpExecutor*>& Generated()
{
    static std::unordered_set<const aclOpExecutor*> generated;
    return generated;
}

} // namespace

size_t hc_live_executors(void)
{
    const std::lock_guard<std::mutex> lock(Mutex());
    return Executors().size();
}

namespace op {
namespace internal {

void AddExecutor(const aclOpExecutor* executor)
{
    const std::lock_guard<std::mutex> lock(Mutex());
    Executors().insert(executor);
    Generated().erase(executor);
}

bool RemoveExecutor(const aclOpExecutor* executor)
{
    const std::lock_guard<std::mutex> lock(Mutex());
    return Executors().erase(executor) != 0;
}

bool IsLiveExecutor(const aclOpExecutor* executor)
{
    const std::lock_guard<std::mutex> lock(Mutex());
    return Executors().count(executor) != 0;
}

void RememberGenerated(const aclOpExecutor* executor)
{
    const std::lock_guard<std::mutex> lock(Mutex());
    Generated().insert(executor);
}

bool HasRunGenerated(const aclOpExecutor* executor)
{
    const std::lock_guard<std::mutex> lock(Mutex());
    return Generated().count(executor) != 0;
}

bool ExpectLive(const aclOpExecutor* executor, const char* function)
{
    if (IsLiveExecutor(executor)) {
        return true;
    }
    OP_LOGE(
        ACLNN_ERR_INNER_NULLPTR,
        "%s: executor %p does not exist; an executor is gone after its run unless it was made repeatable with "
        "aclSetAclOpExecutorRepeatable, and after aclDestroyAclOpExecutor. Call the GetWorkspaceSize function again",
        function, static_cast<const void*>(executor));
    return false;
}

} // namespace internal
} // namespace op
