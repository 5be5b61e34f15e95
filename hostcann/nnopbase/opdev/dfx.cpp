// The functions that the DFX macros call: they fill the context of the thread.
#include <atomic>
#include <string>

#include "executor_plan.h"
#include "executor_registry.h"
#include "hostcann/host_abi.h"
#include "op_context.h"
#include "opdev/op_executor.h"
#include "opdev/platform.h"

namespace op {

void DestroyOpArgContext(OpArgContext* ctx) { delete ctx; }

aclnnStatus CheckPhase1Params(aclOpExecutor** executor, uint64_t* workspaceSize)
{
    if (workspaceSize == nullptr || executor == nullptr) {
        OP_LOGE(ACLNN_ERR_PARAM_NULLPTR, "argument [%s]: expected a non-null pointer, got nullptr",
                workspaceSize == nullptr ? "workspaceSize" : "executor");
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    return ACLNN_SUCCESS;
}

namespace internal {

DfxScope::DfxScope() : before_(ThreadContext().logInfo) {}

DfxScope::~DfxScope() { ThreadContext().logInfo = before_; }

void LogEntry(const char* function, const char* names, const std::string& values)
{
    OP_LOGI("Entering function %s. %s = (%s)", function, names, values.c_str());
}

} // namespace internal
} // namespace op

void InitL2Phase1Context(const char* l2Name, aclOpExecutor**)
{
    static std::atomic<uint64_t> sequence{0};
    op::internal::OpThreadContext& context = op::internal::ThreadContext();
    context.logInfo = {l2Name, nullptr, ++sequence};
    const op::PlatformInfo& platform = op::GetCurrentPlatformInfo();
    context.config.aicNum_ = platform.GetCubeCoreNum();
    context.config.aivNum_ = platform.GetVectorCoreNum();
    const int64_t level = hc_deterministic_level();
    context.config.deterministicLevel_ = static_cast<uint8_t>(level);
    context.config.isDeterministicOn_ = level >= 1;
}

void InitL2Phase2Context(const char* l2Name, aclOpExecutor* executor)
{
    op::internal::OpThreadContext& context = op::internal::ThreadContext();
    context.logInfo = {l2Name, nullptr, 0};
    if (executor != nullptr && op::internal::IsLiveExecutor(executor)) {
        context.logInfo.l2SequenceCounter = executor->GetLogInfo().l2SequenceCounter;
    }
}

void InitL0Context(const char* profilingName, aclOpExecutor*)
{
    op::internal::ThreadContext().logInfo.l0Name = profilingName;
}
