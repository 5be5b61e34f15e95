// Launches of AI CPU kernels: a plan node that calls the kernel of an installed package on the stream's thread.
#include <exception>
#include <memory>
#include <utility>

#include "acl/error_codes/rt_error_codes.h"
#include "cpu_kernel_utils.h"
#include "cpu_registry.h"
#include "executor_plan.h"
#include "hostcann/host_call.h"
#include "op_impl.h"
#include "opdev/aicpu/aicpu_task.h"
#include "opdev/op_def.h"
#include "opdev/op_executor.h"

namespace op {
namespace internal {
namespace {

struct TensorFacts {
    bool present;
    DataType type;
    Format format;
    std::vector<int64_t> dims;
    uint64_t bytes;
};

// What a run makes its context from; runs of one node may overlap, so none of them changes it.
struct Task {
    std::string opType;
    aicpu::KERNEL_CREATOR_FUN create;
    std::vector<TensorFacts> inputs;
    std::vector<TensorFacts> outputs;
    std::vector<std::pair<std::string, std::shared_ptr<aicpu::AttrValue>>> attrs;
};

aclnnStatus Refuse(const std::string& opType, const std::string& what)
{
    OP_LOGE(ACLNN_ERR_INNER, "%s on the AI CPU: %s", opType.c_str(), what.c_str());
    return ACLNN_ERR_INNER;
}

// AI CPU kernels take scalars and integer arrays as tensors, and the tensors of a list one by one.
aclnnStatus Flatten(const std::string& opType, const char* role, const OpArgList& args, aclOpExecutor* executor,
                    std::vector<TensorArg>* tensors)
{
    OpArgList plain;
    for (const OpArg& arg : args.args) {
        if (arg.type == OpArgType::OPARG_ACLSCALAR) {
            const auto* scalar = static_cast<const aclScalar*>(arg.pointer);
            plain.args.emplace_back(scalar == nullptr ? nullptr :
                                                        executor->ConvertToTensor(scalar, scalar->GetDataType()));
        } else if (arg.type == OpArgType::OPARG_INT_LIST) {
            const auto* list = static_cast<const aclIntArray*>(arg.pointer);
            plain.args.emplace_back(list == nullptr ? nullptr : executor->ConvertToTensor(list, DataType::DT_INT64));
        } else {
            plain.args.push_back(arg);
        }
    }
    std::vector<TensorArg> collected;
    const aclnnStatus status = CollectTensors(opType, role, plain, &collected);
    for (const TensorArg& arg : collected) {
        if (!arg.dynamic) {
            tensors->push_back(arg);
            continue;
        }
        for (const aclTensor* tensor : arg.tensors) {
            tensors->push_back(TensorArg(tensor));
        }
    }
    return status;
}

aclnnStatus Describe(const std::string& opType, const char* role, const std::vector<TensorArg>& args,
                     std::vector<TensorFacts>* facts)
{
    for (const TensorArg& arg : args) {
        if (arg.tensors.empty()) {
            facts->push_back({false, DataType::DT_UNDEFINED, Format::FORMAT_ND, {}, 0});
            continue;
        }
        const aclTensor* tensor = arg.tensors[0];
        const int size = aicpu::GetSizeByDataType(static_cast<aicpu::DataType>(tensor->GetDataType()));
        if (size < 0) {
            return Refuse(opType, std::string(role) + " " + std::to_string(facts->size()) + " has the data type " +
                                      ToString(tensor->GetDataType()).GetString() +
                                      ", whose elements have no size for AI CPU kernels");
        }
        const Shape& shape = tensor->GetOriginalShape();
        std::vector<int64_t> dims;
        for (size_t d = 0; d < shape.GetDimNum(); ++d) {
            dims.push_back(shape.GetDim(d));
        }
        const auto bytes = static_cast<uint64_t>(shape.GetShapeSize()) * static_cast<uint64_t>(size);
        facts->push_back({true, tensor->GetDataType(), tensor->GetOriginalFormat(), std::move(dims), bytes});
    }
    return ACLNN_SUCCESS;
}

template <typename Element, typename Array>
std::vector<Element> Elements(const OpArg& arg)
{
    std::vector<Element> values;
    const auto* array = static_cast<const Array*>(arg.pointer);
    for (uint64_t i = 0; array != nullptr && i < array->Size(); ++i) {
        values.push_back((*array)[i]);
    }
    return values;
}

bool SetAttr(const OpArg& arg, aicpu::AttrValue* value)
{
    switch (arg.type) {
        case OpArgType::OPARG_BOOL:
            value->SetBool(arg.integer != 0);
            return true;
        case OpArgType::OPARG_INT:
        case OpArgType::OPARG_UINT:
            value->SetInt(arg.integer);
            return true;
        case OpArgType::OPARG_FLOAT:
            value->SetFloat(arg.real32);
            return true;
        case OpArgType::OPARG_STRING:
            value->SetString(arg.text);
            return true;
        case OpArgType::OPARG_DATATYPE:
            value->SetDataType(static_cast<aicpu::DataType>(arg.integer));
            return true;
        case OpArgType::OPARG_INT_LIST:
            value->SetListInt(Elements<int64_t, aclIntArray>(arg));
            return true;
        case OpArgType::OPARG_FLOAT_LIST:
            value->SetListFloat(Elements<float, aclFloatArray>(arg));
            return true;
        case OpArgType::OPARG_BOOL_LIST:
            value->SetListBool(Elements<bool, aclBoolArray>(arg));
            return true;
        default:
            return false;
    }
}

aclnnStatus DescribeAttrs(const OpArgList& args, const FVector<std::string>& names, Task* task)
{
    if (args.size() != names.size()) {
        return Refuse(task->opType, "OP_ATTR_NAMES has " + std::to_string(names.size()) + " names for " +
                                        std::to_string(args.size()) + " values of OP_ATTR; expected as many");
    }
    for (size_t i = 0; i < args.size(); ++i) {
        const auto value = aicpu::CpuKernelUtils::CreateAttrValue();
        if (!SetAttr(args[i], value.get())) {
            return Refuse(task->opType,
                          "the attribute " + names[i] +
                              ": expected bool, an integer, float, a string, a data type or an array, got kind " +
                              std::to_string(static_cast<int>(args[i].type)));
        }
        task->attrs.emplace_back(names[i], value);
    }
    return ACLNN_SUCCESS;
}

std::shared_ptr<aicpu::Tensor> MakeTensor(const TensorFacts& facts, void* address)
{
    const auto tensor = aicpu::CpuKernelUtils::CreateTensor();
    if (facts.present) {
        tensor->SetDataType(static_cast<aicpu::DataType>(facts.type));
        tensor->SetData(address);
        tensor->SetDataSize(facts.bytes);
        tensor->GetTensorShape()->SetDimSizes(facts.dims);
        tensor->GetTensorShape()->SetFormat(static_cast<aicpu::Format>(facts.format));
    }
    return tensor;
}

aclnnStatus Run(const Task& task, void* const* operands, std::string* message)
{
    aicpu::CpuKernelContext context(aicpu::DEVICE);
    aicpu::CpuKernelUtils::SetOpType(&context, task.opType);
    for (const TensorFacts& input : task.inputs) {
        aicpu::CpuKernelUtils::AddInput(&context, MakeTensor(input, *operands++));
    }
    for (const TensorFacts& output : task.outputs) {
        aicpu::CpuKernelUtils::AddOutput(&context, MakeTensor(output, *operands++));
    }
    for (const auto& attr : task.attrs) {
        aicpu::CpuKernelUtils::AddAttr(&context, attr.first, attr.second);
    }
    const auto kernel = task.create();
    if (kernel == nullptr) {
        *message = "the AI CPU kernel could not be created";
        return ACL_ERROR_RT_AICPU_EXCEPTION;
    }
    (void)aicpu::hostcann::TakeFirstError();
    uint32_t status = 0;
    try {
        status = hostcann::CallHost(
            "AI CPU kernel", task.opType, [&](aicpu::CpuKernelContext* ctx) { return kernel->Compute(*ctx); },
            &context);
    } catch (const std::exception& thrown) {
        *message = std::string("the AI CPU kernel threw: ") + thrown.what();
        return ACL_ERROR_RT_AICPU_EXCEPTION;
    } catch (...) {
        *message = "the AI CPU kernel threw what is no std::exception";
        return ACL_ERROR_RT_AICPU_EXCEPTION;
    }
    if (status == 0) {
        return ACLNN_SUCCESS;
    }
    const std::string said = aicpu::hostcann::TakeFirstError();
    *message = "the AI CPU kernel returned status " + std::to_string(status) + (said.empty() ? "" : ": " + said);
    return ACL_ERROR_RT_AICPU_EXCEPTION;
}

std::string Searched()
{
    std::string text;
    for (size_t i = 0; i < hc_vendor_count(); ++i) {
        text += (i == 0 ? "" : ", ") + std::string(hc_vendor_dir(i));
    }
    return text.empty() ? "no package is installed" :
                          "searched op_impl/cpu/aicpu_kernel/impl of " + text + aicpu::hostcann::LoadFailures();
}

} // namespace

aclnnStatus CreatAicpuKernelLauncher(uint32_t, AicpuTaskSpace& space, aclOpExecutor* executor,
                                     const FVector<std::string>& attrNames, op::OpArgContext* args)
{
    const std::unique_ptr<op::OpArgContext, void (*)(op::OpArgContext*)> context(args, op::DestroyOpArgContext);
    OP_CHECK_NOTNULL(executor);
    OP_CHECK_NOTNULL(args);
    const auto task = std::make_shared<Task>();
    task->opType = space.OpType();
    if (space.OutputShapes() == ge::DEPEND_SHAPE_RANGE || space.OutputShapes() == ge::DEPEND_COMPUTE) {
        const bool computed = space.OutputShapes() == ge::DEPEND_COMPUTE;
        return Refuse(task->opType, std::string("its AicpuTaskSpace says ge::") +
                                        (computed ? "DEPEND_COMPUTE" : "DEPEND_SHAPE_RANGE") +
                                        ": the kernel computes the shapes of its outputs, which is not modelled; "
                                        "expected DEPEND_IN_SHAPE or DEPEND_CONST_VALUE");
    }
    task->create = aicpu::hostcann::FindCpuKernel(task->opType);
    if (task->create == nullptr) {
        return Refuse(task->opType, "no package has the AI CPU kernel " + task->opType +
                                        ", which this operator takes for data types that its AI Core kernels do not "
                                        "have; build the op directory whose op_kernel_aicpu has it into the package "
                                        "(--op-dir, beside this one's), or use other data types; " +
                                        Searched());
    }
    std::vector<TensorArg> inputs;
    std::vector<TensorArg> outputs;
    aclnnStatus status = Flatten(task->opType, "input", *args->GetOpArg(op::OP_INPUT_ARG), executor, &inputs);
    if (status == ACLNN_SUCCESS) {
        status = Flatten(task->opType, "output", *args->GetOpArg(op::OP_OUTPUT_ARG), executor, &outputs);
    }
    if (status == ACLNN_SUCCESS) {
        status = Describe(task->opType, "input", inputs, &task->inputs);
    }
    if (status == ACLNN_SUCCESS) {
        status = Describe(task->opType, "output", outputs, &task->outputs);
    }
    if (status == ACLNN_SUCCESS) {
        status = DescribeAttrs(*args->GetOpArg(op::OP_ATTR_ARG), attrNames, task.get());
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const HostFunction run = [task](void* const* operands, std::string* message) {
        return Run(*task, operands, message);
    };
    return executor->Plan().AddCall(task->opType, run, inputs, outputs);
}

} // namespace internal
} // namespace op
