// Op types and the context of a thread.
#include "op_context.h"

#include <mutex>
#include <unordered_map>
#include <vector>

#include "opdev/op_arg_def.h"
#include "opdev/op_def.h"

namespace op {
namespace {

struct OpTypes {
    std::mutex mutex;
    std::vector<std::string> names;
    std::unordered_map<std::string, uint32_t> ids;
};

OpTypes& Types()
{
    static OpTypes types;
    return types;
}

} // namespace

// Ids start at 1; 0 is CANN's invalid op type.
uint32_t GenOpTypeId(const char* opName)
{
    OpTypes& types = Types();
    const std::lock_guard<std::mutex> lock(types.mutex);
    const auto added = types.ids.emplace(opName, static_cast<uint32_t>(types.names.size() + 1));
    if (added.second) {
        types.names.emplace_back(opName);
    }
    return added.first->second;
}

uint32_t OpTypeDict::ToOpType(const std::string& opName)
{
    OpTypes& types = Types();
    const std::lock_guard<std::mutex> lock(types.mutex);
    const auto found = types.ids.find(opName);
    return found == types.ids.end() ? INVALID_OP_TYPE_ID : found->second;
}

const ge::AscendString OpTypeDict::ToString(uint32_t opType)
{
    OpTypes& types = Types();
    const std::lock_guard<std::mutex> lock(types.mutex);
    const bool known = opType >= 1 && opType <= types.names.size();
    return ge::AscendString(known ? types.names[opType - 1].c_str() : "UNKNOWN");
}

size_t OpTypeDict::GetAllOpTypeSize()
{
    OpTypes& types = Types();
    const std::lock_guard<std::mutex> lock(types.mutex);
    return types.names.size();
}

ge::AscendString ToString(OpImplMode implMode)
{
    switch (implMode) {
        case OpImplMode::IMPL_MODE_DEFAULT:
            return "default";
        case OpImplMode::IMPL_MODE_HIGH_PERFORMANCE:
            return "high_performance";
        case OpImplMode::IMPL_MODE_HIGH_PRECISION:
            return "high_precision";
        case OpImplMode::IMPL_MODE_SUPER_PERFORMANCE:
            return "super_performance";
        case OpImplMode::IMPL_MODE_SUPPORT_OUT_OF_BOUND_INDEX:
            return "support_out_of_bound_index";
        case OpImplMode::IMPL_MODE_ENABLE_FLOAT32_EXECUTION:
            return "enable_float_32_execution";
        case OpImplMode::IMPL_MODE_ENABLE_HI_FLOAT32_EXECUTION:
            return "enable_hi_float_32_execution";
        case OpImplMode::IMPL_MODE_KEEP_FP16:
            return "keep_fp16";
        default:
            return "";
    }
}

ge::AscendString ToString(const std::string& str) { return ge::AscendString(str.c_str()); }

namespace internal {

OpThreadContext& ThreadContext()
{
    thread_local OpThreadContext context;
    return context;
}

} // namespace internal
} // namespace op
