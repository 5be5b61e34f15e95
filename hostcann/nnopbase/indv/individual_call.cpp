#include "individual_call.h"

#include "hostcann/l0_functions.h"
#include "opdev/data_type_utils.h"
#include "opdev/op_executor.h"
#include "opdev/shape_utils.h"
#include "opdev/tensor_view_utils.h"

namespace op {
namespace internal {
namespace {

// Formats that a definition with ND means as well unless it is strict (opbase, NnopbaseSaveTensor).
Format PlainFormat(Format format, bool strict)
{
    switch (format) {
        case Format::FORMAT_NCL:
        case Format::FORMAT_NCDHW:
        case Format::FORMAT_DHWCN:
        case Format::FORMAT_NHWC:
        case Format::FORMAT_NCHW:
            return strict ? format : Format::FORMAT_ND;
        default:
            return format;
    }
}

std::string TypeAndFormat(int dtype, Format format)
{
    return std::string(ToString(static_cast<DataType>(dtype)).GetString()) + " " + ToString(format).GetString();
}

// Whether the column takes the parameters that have to be there. A list is judged by its first tensor.
bool Fits(const std::vector<IndividualParam>& params, const TensorDesc* descs, size_t num, bool strict)
{
    for (size_t i = 0; i < params.size() && i < num; ++i) {
        const IndividualParam& param = params[i];
        if (param.kind == IndividualParam::Kind::kOptional || param.arg.tensors.empty()) {
            continue;
        }
        const aclTensor* tensor = param.arg.tensors[0];
        if (tensor->GetDataType() != descs[i].dtype ||
            PlainFormat(tensor->GetStorageFormat(), strict) != descs[i].format) {
            return false;
        }
    }
    return true;
}

std::string Describe(const std::vector<IndividualParam>& params, bool strict)
{
    std::string text;
    for (const IndividualParam& param : params) {
        text += (text.empty() ? "" : ", ") + param.name + " ";
        if (param.arg.tensors.empty()) {
            text += "absent";
            continue;
        }
        const aclTensor* tensor = param.arg.tensors[0];
        text += TypeAndFormat(tensor->GetDataType(), PlainFormat(tensor->GetStorageFormat(), strict));
    }
    return text;
}

std::string Describe(const std::vector<IndividualParam>& params, const TensorDesc* descs, size_t num)
{
    std::string text;
    for (size_t i = 0; i < params.size() && i < num; ++i) {
        text += (text.empty() ? "" : ", ") + params[i].name + " " + TypeAndFormat(descs[i].dtype, descs[i].format);
    }
    return text;
}

} // namespace

aclnnStatus IndividualCall::ResolveScalars(aclOpExecutor* executor)
{
    for (IndividualParam& param : inputs) {
        if (param.scalars.empty()) {
            continue;
        }
        DataType type = param.scalarType;
        if (param.scalarSource >= 0) {
            const size_t source = static_cast<size_t>(param.scalarSource);
            if (source >= inputs.size() || inputs[source].arg.tensors.empty()) {
                OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: %s takes its data type from input %zu, which is absent",
                        opType.c_str(), param.name.c_str(), source);
                return ACLNN_ERR_PARAM_INVALID;
            }
            type = inputs[source].arg.tensors[0]->GetDataType();
        } else if (type == DataType::DT_UNDEFINED) {
            const DataType own = param.scalars[0]->GetDataType();
            type = own == DataType::DT_DOUBLE ? DataType::DT_FLOAT : own;
        }
        const aclTensor* made = nullptr;
        if (!param.scalarList) {
            made = executor->ConvertToTensor(param.scalars[0], type);
        } else if (aclTensor* list = executor->AllocHostTensor(Shape({static_cast<int64_t>(param.scalars.size())}),
                                                               type)) {
            auto* to = static_cast<uint8_t*>(list->GetStorageAddr());
            for (const aclScalar* scalar : param.scalars) {
                const aclTensor* one = executor->ConvertToTensor(scalar, type);
                if (one == nullptr) {
                    return ACLNN_ERR_PARAM_INVALID;
                }
                std::memcpy(to, one->GetStorageAddr(), TypeSize(type));
                to += TypeSize(type);
            }
            made = list;
        }
        if (made == nullptr) {
            return ACLNN_ERR_PARAM_INVALID; // reported by the conversion
        }
        param.arg = TensorArg(made);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus IndividualCall::CheckTypes() const
{
    if (support == nullptr) {
        ReportCoded("EZ9999", ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
                    opType + ": the definition has no AddConfig for the SoC " + NnopbaseGetSocName());
        return ACLNN_ERR_INNER_FIND_KERNEL_ERROR;
    }
    std::string known;
    for (size_t i = 0; i < support->num; ++i) {
        const SupportInfo& column = support->supportInfo[i];
        if (Fits(inputs, column.inputsDesc, column.inputsNum, strictFormat) &&
            Fits(outputs, column.outputsDesc, column.outputsNum, strictFormat)) {
            return ACLNN_SUCCESS;
        }
        known += "\n  " + Describe(inputs, column.inputsDesc, column.inputsNum) + " -> " +
                 Describe(outputs, column.outputsDesc, column.outputsNum);
    }
    OP_LOGE(ACLNN_ERR_PARAM_INVALID,
            "%s: data types and formats: expected one column of the definition, got %s -> %s. Columns are:%s",
            opType.c_str(), Describe(inputs, strictFormat).c_str(), Describe(outputs, strictFormat).c_str(),
            known.c_str());
    return ACLNN_ERR_PARAM_INVALID;
}

// The shape tiling reads is the view's, whatever storage it lies in. Null after a reported error.
const aclTensor* IndividualCall::AsKernelSeesIt(const aclTensor* tensor, const IndividualParam& param, bool isInput,
                                                aclOpExecutor* executor) const
{
    if (tensor->GetPlacement() == TensorPlacement::kOnHost) {
        return tensor;
    }
    aclTensor* seen = nullptr;
    if (IsContiguous(tensor)) {
        seen = executor->CreateView(tensor, tensor->GetViewShape(), tensor->GetViewOffset());
    } else if (param.ignoreContiguous) {
        seen = executor->CreateView(tensor, tensor->GetViewShape(), tensor->GetStorageShape(), tensor->GetViewStrides(),
                                    tensor->GetViewOffset());
    } else if (makeContiguous && (isInput || param.ref.has_value())) {
        seen = const_cast<aclTensor*>(l0op::Contiguous(tensor, executor));
    } else {
        OP_LOGE(ACLNN_ERR_INNER, "%s: %s: expected a contiguous tensor, got %s. %s", opType.c_str(), param.name.c_str(),
                tensor->ToString().GetString(),
                isInput ? "Add AutoContiguous() or IgnoreContiguous() to the input's definition" :
                          "A generated interface writes outputs as if they were contiguous");
        return nullptr;
    }
    if (seen != nullptr) {
        const Format format = PlainFormat(tensor->GetStorageFormat(), strictFormat);
        seen->SetStorageFormat(format);
        seen->SetOriginalFormat(format);
    }
    return seen;
}

aclnnStatus IndividualCall::Prepare(IndividualParam& param, bool isInput, aclOpExecutor* executor)
{
    for (const aclTensor*& tensor : param.arg.tensors) {
        tensor = AsKernelSeesIt(tensor, param, isInput, executor);
        if (tensor == nullptr) {
            return ACLNN_ERR_INNER;
        }
    }
    return ACLNN_SUCCESS;
}

bool IndividualCall::AllOutputsEmpty() const
{
    for (const IndividualParam& output : outputs) {
        for (const aclTensor* tensor : output.arg.tensors) {
            if (!tensor->IsEmpty()) {
                return false;
            }
        }
    }
    return true;
}

aclnnStatus IndividualCall::Plan(aclOpExecutor* executor)
{
    aclnnStatus status = ResolveScalars(executor);
    if (status == ACLNN_SUCCESS) {
        status = CheckTypes();
    }
    if (status != ACLNN_SUCCESS || (AllOutputsEmpty() && !launchEmpty)) {
        return status;
    }
    std::vector<std::pair<const aclTensor*, const aclTensor*>> back; // what the kernel wrote, where the caller wants it
    for (IndividualParam& input : inputs) {
        const std::vector<const aclTensor*> given = input.arg.tensors;
        status = Prepare(input, true, executor);
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        if (!input.ref.has_value()) {
            continue;
        }
        outputs[*input.ref].arg = input.arg;
        for (size_t i = 0; i < given.size(); ++i) {
            if (!IsContiguous(given[i])) {
                back.emplace_back(input.arg.tensors[i], given[i]);
            }
        }
    }
    OpCall call;
    call.opType = opType;
    call.name = opType;
    call.attrs = &attrs;
    for (IndividualParam& output : outputs) {
        status = output.ref.has_value() ? ACLNN_SUCCESS : Prepare(output, false, executor);
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        call.outputs.push_back(output.arg);
    }
    for (const IndividualParam& input : inputs) {
        call.inputs.push_back(input.arg);
    }
    status = LaunchOp(call, executor);
    for (const auto& [written, wanted] : back) {
        if (status == ACLNN_SUCCESS && l0op::ViewCopy(written, wanted, executor) == nullptr) {
            status = ACLNN_ERR_INNER; // reported by the copy
        }
    }
    return status;
}

} // namespace internal
} // namespace op
