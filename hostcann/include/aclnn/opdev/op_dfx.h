// Entry tracing of L2 and L0 functions, and the registration of op types.
#ifndef HOSTCANN_OPDEV_OP_DFX_H
#define HOSTCANN_OPDEV_OP_DFX_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "graph/ascend_string.h"
#include "opdev/format_utils.h"
#include "opdev/op_arg_def.h"
#include "opdev/shape_utils.h"

void InitL2Phase1Context(const char* l2Name, aclOpExecutor** executor);
void InitL2Phase2Context(const char* l2Name, aclOpExecutor* executor);
void InitL0Context(const char* profilingName, aclOpExecutor* executor);

namespace op {

ge::AscendString ToString(const std::string& str);

// DFX names must equal the enclosing function's.
constexpr bool ValidDfxName(const char* a, const char* b) { return std::string_view(a) == b; }

uint32_t GenOpTypeId(const char* opName);
// 161001 and a reported error when either is null.
aclnnStatus CheckPhase1Params(aclOpExecutor** executor, uint64_t* workspaceSize);

namespace internal {

// The API and the L0 function the calling thread is in.
struct OpLogInfo {
    const char* l2ApiName{nullptr};
    const char* l0Name{nullptr};
    uint64_t l2SequenceCounter{0};
};

template <typename T>
std::string DescribeArg(const T& value)
{
    if constexpr (std::is_same_v<T, char*> || std::is_same_v<T, const char*>) {
        return value == nullptr ? "nullptr" : value;
    } else if constexpr (std::is_pointer_v<T> && std::is_arithmetic_v<std::remove_pointer_t<T>>) {
        return value == nullptr ? "nullptr" : std::to_string(*value);
    } else if constexpr (std::is_arithmetic_v<T>) {
        return std::to_string(value);
    } else {
        return ToString(value).GetString();
    }
}

template <typename... Args>
std::string DescribeArgs(const std::tuple<Args...>& args)
{
    std::string text;
    std::apply([&text](const auto&... value) { ((text += (text.empty() ? "" : ", ") + DescribeArg(value)), ...); },
               args);
    return text;
}

// Puts the thread's API and L0 names back when a traced function ends.
class DfxScope {
public:
    DfxScope();
    ~DfxScope();
    DfxScope(const DfxScope&) = delete;
    DfxScope& operator=(const DfxScope&) = delete;

private:
    OpLogInfo before_;
};

void LogEntry(const char* function, const char* names, const std::string& values);

template <typename... Args>
void TraceEntry(const char* function, const char* names, const std::tuple<Args...>& args)
{
    if (LogEnabled(OP_LOG_INFO)) {
        LogEntry(function, names, DescribeArgs(args));
    }
}

} // namespace internal
} // namespace op

// Registering one op type in two places of a library is a link error.
#define OP_TYPE_REGISTER(kernelName)                                            \
    [[maybe_unused]] uint32_t kernelName##_kernelName_Be_Defined_Multi_Times__; \
    [[maybe_unused]] inline uint32_t kernelName##OpTypeId()                     \
    {                                                                           \
        static const uint32_t opTypeId = op::GenOpTypeId(#kernelName);          \
        return opTypeId;                                                        \
    }                                                                           \
    static_assert(true, "a semicolon follows OP_TYPE_REGISTER")

#define DFX_IN(...) std::make_tuple(__VA_ARGS__)
#define DFX_OUT(...) std::make_tuple(__VA_ARGS__)

// Needs `workspaceSize` and `executor` in scope. hostcann keeps no cache of executors: every phase 1 runs its checks.
#define L2_DFX_PHASE_1_WITHOUT_CACHE(APIName, IN, OUT)                                          \
    static_assert(op::ValidDfxName(#APIName "GetWorkspaceSize", __func__),                      \
                  "L2_DFX_PHASE_1 of " #APIName " must stand in " #APIName "GetWorkspaceSize"); \
    const op::internal::DfxScope dfxScope_;                                                     \
    InitL2Phase1Context(#APIName, executor);                                                    \
    op::internal::TraceEntry(__func__, #IN, IN);                                                \
    op::internal::TraceEntry(__func__, #OUT, OUT)

#define L2_DFX_PHASE_1(APIName, IN, OUT)                                   \
    L2_DFX_PHASE_1_WITHOUT_CACHE(APIName, IN, OUT);                        \
    if (op::CheckPhase1Params(executor, workspaceSize) != ACLNN_SUCCESS) { \
        return ACLNN_ERR_PARAM_NULLPTR;                                    \
    }                                                                      \
    static_assert(true, "a semicolon follows L2_DFX_PHASE_1")

#define L2_DFX_PHASE_2(APIName)                                                                                    \
    static_assert(op::ValidDfxName(#APIName, __func__), "L2_DFX_PHASE_2 of " #APIName " must stand in " #APIName); \
    const op::internal::DfxScope dfxScope_;                                                                        \
    InitL2Phase2Context(#APIName, executor)

#define L0_DFX(profilingName, ...)                                           \
    static_assert(op::ValidDfxName(#profilingName, __func__),                \
                  "L0_DFX(" #profilingName ") must stand in that function"); \
    const op::internal::DfxScope dfxScope_;                                  \
    InitL0Context(#profilingName, executor);                                 \
    op::internal::TraceEntry(__func__, #__VA_ARGS__, std::make_tuple(__VA_ARGS__));

#endif // HOSTCANN_OPDEV_OP_DFX_H
