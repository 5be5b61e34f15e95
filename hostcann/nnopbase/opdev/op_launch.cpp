// What the launcher macros call.
#include <memory>

#include "builtin_ops.h"
#include "executor_plan.h"
#include "hostcann/host_abi.h"
#include "op_impl.h"
#include "opdev/op_def.h"
#include "opdev/op_executor.h"

namespace {

struct ArgContextDeleter {
    void operator()(op::OpArgContext* context) const { op::DestroyOpArgContext(context); }
};
using ArgContextPtr = std::unique_ptr<op::OpArgContext, ArgContextDeleter>;

// A list has the type of its first tensor.
std::vector<hc_tensor_type> TypesOf(const std::vector<op::internal::TensorArg>& args)
{
    std::vector<hc_tensor_type> types;
    for (const op::internal::TensorArg& arg : args) {
        hc_tensor_type type = {};
        if (!arg.tensors.empty()) {
            const aclTensor* tensor = arg.tensors[0];
            type = {1, static_cast<int32_t>(tensor->GetDataType()), static_cast<int32_t>(tensor->GetStorageFormat())};
        }
        types.push_back(type);
    }
    return types;
}

aclnnStatus RejectUnsupported(const std::string& opType, op::OpArgContext* context)
{
    if (context->ContainsOpArgType(op::OP_WORKSPACE_ARG)) {
        OP_LOGE(ACLNN_ERR_INNER, "%s: hostcann has no OP_WORKSPACE; ask for workspace in the tiling function",
                opType.c_str());
        return ACLNN_ERR_INNER;
    }
    return ACLNN_SUCCESS;
}

} // namespace

namespace op {
namespace internal {

aclnnStatus LaunchOp(const OpCall& call, aclOpExecutor* executor)
{
    aclnnStatus status = ACLNN_SUCCESS;
    if (hc_op_vendor_dir(call.opType.c_str()) == nullptr && LaunchBuiltin(call, executor, &status)) {
        return status;
    }
    const hc_kernel_binary* binary = nullptr;
    const std::vector<hc_tensor_type> inputs = TypesOf(call.inputs);
    const std::vector<hc_tensor_type> outputs = TypesOf(call.outputs);
    status = hc_find_kernel(call.opType.c_str(), inputs.data(), inputs.size(), outputs.data(), outputs.size(), &binary);
    if (status != ACLNN_SUCCESS) {
        return status; // reported by the look-up
    }
    const OpImplFunctions* functions = FindOpImpl(call.opType);
    if (functions == nullptr) {
        return ACLNN_ERR_INNER_TILING_ERROR;
    }
    TilingResult tiling;
    status = RunTiling(call, *functions, executor->GetOpConfigInfo().isDeterministicOn_, &tiling);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    // The shapes that the kernel computes are one more output of it.
    std::vector<TensorArg> results = call.outputs;
    if (!call.outShapes.empty()) {
        results.push_back(TensorArg(call.outShapes[0].shapes));
    }
    status = executor->Plan().AddKernel(binary, tiling, call.inputs, results);
    for (size_t i = 0; i < call.outShapes.size() && status == ACLNN_SUCCESS; ++i) {
        const size_t index = call.outShapes[i].output;
        const bool known = index < call.outputs.size() && call.outputs[index].tensors.size() == 1;
        status = executor->Plan().AddOutShape(call.opType, call.outShapes[i].shapes, 9 * i,
                                              known ? call.outputs[index].tensors[0] : nullptr);
    }
    return status;
}

} // namespace internal
} // namespace op

aclnnStatus CreatAiCoreKernelLauncher(const char* l0Name, uint32_t opType, aclOpExecutor* executor,
                                      op::OpArgContext* args)
{
    const ArgContextPtr context(args);
    OP_CHECK_NOTNULL(executor);
    OP_CHECK_NOTNULL(args);
    op::internal::OpCall call;
    call.opType = op::OpTypeDict::ToString(opType).GetString();
    call.name = l0Name;
    call.attrs = args->GetOpArg(op::OP_ATTR_ARG);
    // Pairs: the tensor for the shapes, the output one of them is for.
    const op::OpArgList& shapes = *args->GetOpArg(op::OP_OUTSHAPE_ARG);
    for (size_t i = 0; i + 1 < shapes.size(); i += 2) {
        call.outShapes.push_back(
            {static_cast<const aclTensor*>(shapes[i].pointer), static_cast<size_t>(shapes[i + 1].integer)});
    }
    aclnnStatus status = RejectUnsupported(call.opType, args);
    if (status == ACLNN_SUCCESS) {
        status = op::internal::CollectTensors(call.opType, "input", *args->GetOpArg(op::OP_INPUT_ARG), &call.inputs);
    }
    if (status == ACLNN_SUCCESS) {
        status = op::internal::CollectTensors(call.opType, "output", *args->GetOpArg(op::OP_OUTPUT_ARG), &call.outputs);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    return op::internal::LaunchOp(call, executor);
}

aclnnStatus InferShape(uint32_t optype, op::OpArgList& inputs, op::OpArgList& outputs, op::OpArgList& attrs)
{
    op::internal::OpCall call;
    call.opType = op::OpTypeDict::ToString(optype).GetString();
    call.name = call.opType;
    call.attrs = &attrs;
    aclnnStatus status = op::internal::CollectTensors(call.opType, "input", inputs, &call.inputs);
    if (status == ACLNN_SUCCESS) {
        status = op::internal::CollectTensors(call.opType, "output", outputs, &call.outputs);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const op::internal::OpImplFunctions* functions = op::internal::FindOpImpl(call.opType);
    return functions == nullptr ? ACLNN_ERR_INNER_INFERSHAPE_ERROR : op::internal::RunInferShape(call, *functions);
}
