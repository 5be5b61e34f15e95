// What a thread is doing: set by the L2_DFX and L0_DFX macros, read by logs, reports and new executors.
#ifndef HOSTCANN_NNOPBASE_OP_CONTEXT_H
#define HOSTCANN_NNOPBASE_OP_CONTEXT_H

#include <cstdint>
#include <string>

#include "opdev/op_config.h"
#include "opdev/op_dfx.h"

namespace op {
namespace internal {

struct OpThreadContext {
    OpLogInfo logInfo;
    OpConfigInfo config;
    uint64_t errors{0}; // that it has logged
};

OpThreadContext& ThreadContext();
// "aclnnFmodTensor: text" inside an API, the text alone elsewhere.
std::string WithApiName(const std::string& text);

} // namespace internal
} // namespace op
#endif // HOSTCANN_NNOPBASE_OP_CONTEXT_H
