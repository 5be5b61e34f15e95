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

// Arguments of a launch as the contexts want them: one entry per input or output of the op definition, null when
// absent.
struct OpCall {
    std::string opType;
    std::string name;
    std::vector<const aclTensor*> inputs;
    std::vector<const aclTensor*> outputs;
    const OpArgList* attrs{nullptr};
};

// Tensors of an argument list. 561000 for lists and other kinds, which hostcann's kernels cannot take.
aclnnStatus CollectTensors(const std::string& opType, const char* role, const OpArgList& args,
                           std::vector<const aclTensor*>* tensors);
// Loads the op host library of the package that has the op type, once. Null and a reported error when there is none.
const OpImplFunctions* FindOpImpl(const std::string& opType);
aclnnStatus RunTiling(const OpCall& call, const OpImplFunctions& functions, bool deterministic, TilingResult* result);
// Sets the shapes of the outputs.
aclnnStatus RunInferShape(const OpCall& call, const OpImplFunctions& functions);

} // namespace internal
} // namespace op
#endif // HOSTCANN_NNOPBASE_OP_IMPL_H
