// The registered functions of an op type, and running them.
#ifndef HOSTCANN_NNOPBASE_OP_IMPL_H
#define HOSTCANN_NNOPBASE_OP_IMPL_H

#include <string>
#include <vector>

#include "executor_plan.h"
#include "opdev/common_types.h"
#include "opdev/op_arg_def.h"
#include "register/op_impl_kernel_registry.h"

namespace op {
namespace internal {

using OpImplFunctions = gert::OpImplKernelRegistry::OpImplFunctionsV2;

// Arguments of a launch as the contexts want them: one entry per input or output of the op definition.
struct OpCall {
    std::string opType;
    std::string name;
    std::vector<TensorArg> inputs;
    std::vector<TensorArg> outputs;
    const OpArgList* attrs{nullptr};
    struct OutShape {
        const aclTensor* shapes;
        size_t output;
    };
    std::vector<OutShape> outShapes;
};

// Tensors and tensor lists of an argument list. 561000 for other kinds.
aclnnStatus CollectTensors(const std::string& opType, const char* role, const OpArgList& args,
                           std::vector<TensorArg>* tensors);
// Loads the op host library of the package that has the op type, once. Null and a reported error when there is none.
const OpImplFunctions* FindOpImpl(const std::string& opType);
aclnnStatus RunTiling(const OpCall& call, const OpImplFunctions& functions, bool deterministic, TilingResult* result);
// Look-up, tiling and the node in the executor's plan.
aclnnStatus LaunchOp(const OpCall& call, aclOpExecutor* executor);
// Sets the shapes of the outputs.
aclnnStatus RunInferShape(const OpCall& call, const OpImplFunctions& functions);

} // namespace internal
} // namespace op
#endif // HOSTCANN_NNOPBASE_OP_IMPL_H
