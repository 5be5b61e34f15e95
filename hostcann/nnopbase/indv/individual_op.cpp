#include "hostcann/individual_op.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "../opdev/executor_registry.h"
#include "individual_call.h"
#include "opdev/op_executor.h"

namespace {
using op::internal::IndividualCall;
using op::internal::IndividualParam;

// The call behind an executor whose phase 1 is running.
class Access {
public:
    explicit Access(void* executor) : executor_(static_cast<aclOpExecutor*>(executor))
    {
        if (executor_ == nullptr || !op::internal::ExpectLive(executor_, "phase 1 of a generated interface")) {
            executor_ = nullptr;
        } else if (executor_->Plan().individual == nullptr) {
            OP_LOGE(ACLNN_ERR_INNER, "the executor does not belong to a running phase 1 of a generated interface");
            executor_ = nullptr;
        } else {
            call_ = executor_->Plan().individual;
        }
    }

    bool Good() const { return executor_ != nullptr; }
    IndividualCall& Call() const { return *call_; }
    aclOpExecutor* Executor() const { return executor_; }
    // A failed phase 1 leaves nothing behind.
    aclnnStatus Fail(aclnnStatus status) const
    {
        delete executor_;
        return status;
    }
    aclnnStatus Done(aclnnStatus status) const { return status == ACLNN_SUCCESS ? status : Fail(status); }

private:
    aclOpExecutor* executor_;
    std::shared_ptr<IndividualCall> call_;
};

template <typename Body>
aclnnStatus WithParam(void* executor, bool isInput, size_t index, Body body)
{
    const Access access(executor);
    if (!access.Good()) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    auto& params = isInput ? access.Call().inputs : access.Call().outputs;
    if (index >= params.size()) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: %s %zu: the definition has %zu", access.Call().opType.c_str(),
                isInput ? "input" : "output", index, params.size());
        return access.Fail(ACLNN_ERR_PARAM_INVALID);
    }
    return access.Done(body(access, params[index]));
}

aclnnStatus AddList(void* executor, const aclTensorList* list, bool isInput, size_t index, bool ignoreContiguous)
{
    return WithParam(executor, isInput, index, [&](const Access& access, IndividualParam& param) {
        param.arg = {};
        param.arg.dynamic = true;
        param.ignoreContiguous = ignoreContiguous;
        for (uint64_t i = 0; list != nullptr && i < list->Size(); ++i) {
            if ((*list)[i] == nullptr) {
                OP_LOGE(ACLNN_ERR_PARAM_NULLPTR, "%s: %s %zu: tensor %llu of the list is nullptr",
                        access.Call().opType.c_str(), isInput ? "input" : "output", index,
                        static_cast<unsigned long long>(i));
                return ACLNN_ERR_PARAM_NULLPTR;
            }
            param.arg.tensors.push_back((*list)[i]);
        }
        return ACLNN_SUCCESS;
    });
}

aclnnStatus AddTensor(void* executor, const aclTensor* tensor, bool isInput, size_t index, bool ignoreContiguous)
{
    return WithParam(executor, isInput, index, [&](const Access&, IndividualParam& param) {
        param.arg = op::internal::TensorArg(tensor);
        param.ignoreContiguous = ignoreContiguous;
        return ACLNN_SUCCESS;
    });
}

template <typename Array>
aclnnStatus AddArray(void* executor, const Array* array, size_t index, op::DataType type)
{
    return WithParam(executor, true, index, [&](const Access& access, IndividualParam& param) {
        const aclTensor* tensor = array == nullptr ? nullptr : access.Executor()->ConvertToTensor(array, type);
        param.arg = op::internal::TensorArg(tensor);
        return array != nullptr && tensor == nullptr ? ACLNN_ERR_INNER : ACLNN_SUCCESS;
    });
}

aclnnStatus AddAttr(void* executor, size_t index, const op::OpArg& value)
{
    const Access access(executor);
    if (!access.Good()) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    auto& args = access.Call().attrs.args;
    if (index != args.size()) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: attribute %zu comes where attribute %zu is expected",
                access.Call().opType.c_str(), index, args.size());
        return access.Fail(ACLNN_ERR_PARAM_INVALID);
    }
    args.push_back(value);
    return ACLNN_SUCCESS;
}

aclnnStatus SetSupport(const Access& access, OpSupportList* list, size_t index, bool found)
{
    access.Call().support = found && list != nullptr && index < list->num ? &list->socSupportInfo[index] : nullptr;
    return ACLNN_SUCCESS;
}

std::vector<IndividualParam> MakeParams(const char* codes, uint32_t num)
{
    using Kind = IndividualParam::Kind;
    std::vector<IndividualParam> params(num);
    for (uint32_t i = 0; i < num; ++i) {
        params[i].kind = codes[i] == 0 ? Kind::kOptional : codes[i] == 1 ? Kind::kRequired : Kind::kDynamic;
    }
    return params;
}

} // namespace

void NnopbaseOpLogE(const aclnnStatus code, const char* const expr)
{
    OP_LOGE(code, "a generated interface requires %s", expr == nullptr ? "?" : expr);
}

extern "C" {

aclnnStatus NnopbaseCreateExecutorSpace(void** space)
{
    static char one; // CANN keeps executors there; here each call has its own
    if (space == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    *space = &one;
    return ACLNN_SUCCESS;
}

void* NnopbaseGetExecutor(void* space, const char* opType, char* inputsDesc, uint32_t inputNum, char* outputsDesc,
                          uint32_t outputNum, char*, uint32_t)
{
    if (space == nullptr || opType == nullptr) {
        return nullptr;
    }
    InitL2Phase1Context(opType, nullptr);
    UniqueExecutor unique(opType);
    aclOpExecutor* executor = nullptr;
    unique.ReleaseTo(&executor);
    auto call = std::make_shared<IndividualCall>();
    call->opType = opType;
    call->inputs = MakeParams(inputsDesc, inputNum);
    call->outputs = MakeParams(outputsDesc, outputNum);
    call->attrs.given = true;
    executor->Plan().individual = std::move(call);
    return executor;
}

aclnnStatus NnopbaseAddInput(void* executor, const aclTensor* tensor, const uint32_t index)
{
    return AddTensor(executor, tensor, true, index, false);
}

aclnnStatus NnopbaseAddIgnoreContinuesInput(void* executor, const aclTensor* tensor, const uint32_t index)
{
    return AddTensor(executor, tensor, true, index, true);
}

aclnnStatus NnopbaseAddDynamicInput(void* executor, const aclTensorList* tensor_list, const uint32_t index)
{
    return AddList(executor, tensor_list, true, index, false);
}

aclnnStatus NnopbaseAddIgnoreContiguousDynamicInput(void* executor, const aclTensorList* tensor_list,
                                                    const uint32_t index)
{
    return AddList(executor, tensor_list, true, index, true);
}

aclnnStatus NnopbaseAddIntArrayInput(void* executor, const aclIntArray* array, const uint32_t index)
{
    return AddArray(executor, array, index, op::DataType::DT_INT64);
}

aclnnStatus NnopbaseAddBoolArrayInput(void* executor, const aclBoolArray* array, const uint32_t index)
{
    return AddArray(executor, array, index, op::DataType::DT_BOOL);
}

aclnnStatus NnopbaseAddFloatArrayInput(void* executor, const aclFloatArray* array, const uint32_t index)
{
    return AddArray(executor, array, index, op::DataType::DT_FLOAT);
}

aclnnStatus NnopbaseAddScalarInput(void* executor, const aclScalar* scalar, const uint32_t index,
                                   const int32_t srcIndex, const ge::DataType dtype)
{
    return WithParam(executor, true, index, [&](const Access&, IndividualParam& param) {
        if (scalar != nullptr) {
            param.scalars = {scalar};
        }
        param.scalarSource = srcIndex;
        param.scalarType = static_cast<op::DataType>(dtype);
        return ACLNN_SUCCESS;
    });
}

aclnnStatus NnopbaseAddScalarListInput(void* executor, const aclScalarList* scalarList, const uint32_t index,
                                       const int32_t srcIndex, const ge::DataType dtype)
{
    return WithParam(executor, true, index, [&](const Access&, IndividualParam& param) {
        for (uint64_t i = 0; scalarList != nullptr && i < scalarList->Size(); ++i) {
            if ((*scalarList)[i] == nullptr) {
                return ACLNN_ERR_PARAM_NULLPTR;
            }
            param.scalars.push_back((*scalarList)[i]);
        }
        param.scalarList = true;
        param.scalarSource = srcIndex;
        param.scalarType = static_cast<op::DataType>(dtype);
        return ACLNN_SUCCESS;
    });
}

aclnnStatus NnopbaseAddOutput(void* executor, const aclTensor* tensor, const uint32_t index)
{
    return AddTensor(executor, tensor, false, index, false);
}

aclnnStatus NnopbaseAddDynamicOutput(void* executor, const aclTensorList* tensor_list, const uint32_t index)
{
    return AddList(executor, tensor_list, false, index, false);
}

aclnnStatus NnopbaseAddOutputShapeDependTensor(void* executor, aclTensor*, const uint32_t index)
{
    return WithParam(executor, false, index, [&](const Access& access, IndividualParam&) {
        OP_LOGE(ACLNN_ERR_INNER,
                "%s: not implemented by hostcann: output %u, whose shape the kernel computes "
                "(OutputShapeDependOnCompute)",
                access.Call().opType.c_str(), index);
        return ACLNN_ERR_INNER;
    });
}

aclnnStatus NnopbaseAddAttrWithDtype(void* executor, void* attrAddr, size_t attrLen, const size_t index,
                                     const NnopbaseAttrDtype dtype)
{
    if (attrAddr == nullptr) {
        const Access access(executor);
        return access.Good() ? access.Fail(ACLNN_ERR_INNER_NULLPTR) : ACLNN_ERR_INNER_NULLPTR;
    }
    switch (dtype) {
        case kNnopbaseBool:
            return AddAttr(executor, index, op::OpArg(*static_cast<const bool*>(attrAddr)));
        case kNnopbaseFloat:
            return AddAttr(executor, index, op::OpArg(*static_cast<const float*>(attrAddr)));
        case kNnopbaseInt:
            return AddAttr(executor, index, op::OpArg(*static_cast<const int64_t*>(attrAddr)));
        default: {
            const auto* text = static_cast<const char*>(attrAddr);
            return AddAttr(executor, index, op::OpArg(std::string(text, strnlen(text, attrLen))));
        }
    }
}

aclnnStatus NnopbaseAddIntArrayAttr(void* executor, const aclIntArray* array, const size_t index)
{
    return AddAttr(executor, index, op::OpArg(array));
}

aclnnStatus NnopbaseAddFloatArrayAttr(void* executor, const aclFloatArray* array, const size_t index)
{
    return AddAttr(executor, index, op::OpArg(array));
}

aclnnStatus NnopbaseAddBoolArrayAttr(void* executor, const aclBoolArray* array, const size_t index)
{
    return AddAttr(executor, index, op::OpArg(array));
}

aclnnStatus NnopbaseAddArrayAttrWithDtype(void* executor, void* array, const size_t len, const size_t,
                                          const size_t index, const NnopbaseAttrDtype dtype)
{
    const Access access(executor);
    if (!access.Good() || array == nullptr) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    aclOpExecutor* to = access.Executor();
    switch (dtype) {
        case kNnopbaseBool:
            return AddAttr(executor, index, op::OpArg(to->AllocBoolArray(static_cast<const bool*>(array), len)));
        case kNnopbaseFloat:
            return AddAttr(executor, index, op::OpArg(to->AllocFloatArray(static_cast<const float*>(array), len)));
        case kNnopbaseInt:
            return AddAttr(executor, index, op::OpArg(to->AllocIntArray(static_cast<const int64_t*>(array), len)));
        default:
            OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: attribute %zu: there are no lists of strings",
                    access.Call().opType.c_str(), index);
            return access.Fail(ACLNN_ERR_PARAM_INVALID);
    }
}

aclnnStatus NnopbaseSetRef(void* executor, const size_t inputIrIdx, const size_t outputIrIdx)
{
    return WithParam(executor, true, inputIrIdx, [&](const Access& access, IndividualParam& param) {
        if (outputIrIdx >= access.Call().outputs.size()) {
            return ACLNN_ERR_PARAM_INVALID;
        }
        param.ref = outputIrIdx;
        access.Call().outputs[outputIrIdx].ref = inputIrIdx;
        return ACLNN_SUCCESS;
    });
}

aclnnStatus NnopbaseAddParamName(void* executor, const uint32_t index, const char* name, const bool isInput)
{
    return WithParam(executor, isInput, index, [&](const Access&, IndividualParam& param) {
        param.name = name == nullptr ? "" : name;
        return ACLNN_SUCCESS;
    });
}

aclnnStatus NnopbaseSetFormatMatchMode(void* executor, const uint32_t mode)
{
    const Access access(executor);
    if (!access.Good()) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    access.Call().strictFormat = mode == 1;
    return ACLNN_SUCCESS;
}

void NnopbaseSetZeroEleOutputLaunchFlag(void* executor)
{
    const Access access(executor);
    if (access.Good()) {
        access.Call().launchEmpty = true;
    }
}

aclnnStatus NnopbaseAddSupportList(void* executor, OpSupportList* list, uint32_t* socSupportList,
                                   size_t socSupportListLen)
{
    const Access access(executor);
    if (!access.Good()) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    // SOC_VERSION_ASCEND910B and SOC_VERSION_ASCEND910_93 of generated sources.
    const uint32_t wanted = std::string(NnopbaseGetSocName()) == "ascend910b" ? 2 : 3;
    const uint32_t* end = socSupportList + socSupportListLen;
    const uint32_t* found = std::find<const uint32_t*>(socSupportList, end, wanted);
    return SetSupport(access, list, static_cast<size_t>(found - socSupportList), found != end);
}

aclnnStatus NnopbaseAddSocNameList(void* executor, OpSupportList* list, const char* const* socNameList,
                                   size_t socNameListLen)
{
    const Access access(executor);
    if (!access.Good()) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    const std::string wanted = NnopbaseGetSocName();
    const char* const* end = socNameList + socNameListLen;
    const char* const* found = std::find(socNameList, end, wanted);
    return SetSupport(access, list, static_cast<size_t>(found - socNameList), found != end);
}

aclnnStatus NnopbaseAddTilingId(void*, NnopbaseDfxId*) { return ACLNN_SUCCESS; }

void NnopbaseSetMatchArgsFlag(void*) {}

bool NnopbaseMatchArgs(void*, uint64_t*) { return false; }

void NnopbaseAddOpTypeId(void*, const uint32_t) {}

const char* NnopbaseGetSocName()
{
    const char* folder = hc_soc_folder();
    return folder == nullptr ? "" : folder;
}

uint64_t NnopbaseMsprofSysTime()
{
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

void NnopbaseReportApiInfo(const uint64_t, NnopbaseDfxId&) {}

aclnnStatus NnopbaseGetUnContiguousTensors(void* executor, const aclTensorList** inTensors)
{
    const Access access(executor);
    if (!access.Good() || inTensors == nullptr) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    *inTensors = nullptr;
    access.Call().makeContiguous = true;
    return ACLNN_SUCCESS;
}

aclnnStatus NnopbaseSetUnContExecutor(void*, aclOpExecutor* inExe, const size_t)
{
    return inExe == nullptr ? ACLNN_SUCCESS : ACLNN_ERR_INNER;
}

aclnnStatus NnopbaseGetUnContExecutor(void*, aclOpExecutor** inExe, size_t* inWsSize)
{
    *inExe = nullptr;
    *inWsSize = 0;
    return ACLNN_SUCCESS;
}

aclnnStatus NnopbaseGetRefUnContiguousTensors(void*, const aclTensorList** unContTensors,
                                              const aclTensorList** contTensors)
{
    *unContTensors = nullptr;
    *contTensors = nullptr;
    return ACLNN_SUCCESS;
}

aclnnStatus NnopbaseSetViewCopyExecutor(void*, aclOpExecutor* exe)
{
    return exe == nullptr ? ACLNN_SUCCESS : ACLNN_ERR_INNER;
}

aclnnStatus NnopbaseGetViewCopyExecutor(void*, aclOpExecutor** exe)
{
    *exe = nullptr;
    return ACLNN_SUCCESS;
}

aclnnStatus NnopbaseReleaseRefContiguousTensors(void*, const aclTensorList** tensors)
{
    *tensors = nullptr;
    return ACLNN_SUCCESS;
}

void* NnopbaseGetApiFunc(const char*) { return nullptr; }

aclnnStatus NnopbaseRunForWorkspace(void* executor, uint64_t* workspaceLen)
{
    const Access access(executor);
    if (!access.Good()) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    if (workspaceLen == nullptr) {
        return access.Fail(ACLNN_ERR_PARAM_NULLPTR);
    }
    const aclnnStatus status = access.Call().Plan(access.Executor());
    if (status != ACLNN_SUCCESS) {
        return access.Fail(status);
    }
    access.Executor()->Plan().individual.reset();
    *workspaceLen = access.Executor()->GetWorkspaceSize();
    return ACLNN_SUCCESS;
}

aclnnStatus NnopbaseRunWithWorkspace(void* executor, aclrtStream stream, void* workspace, uint64_t workspaceSize)
{
    auto* const generated = static_cast<aclOpExecutor*>(executor);
    const bool existed = op::internal::IsLiveExecutor(generated);
    InitL2Phase2Context("aclnn", generated);
    const aclnnStatus status = CommonOpExecutorRun(workspace, workspaceSize, generated, stream);
    if (existed && !op::internal::IsLiveExecutor(generated)) {
        op::internal::RememberGenerated(generated);
    }
    return status;
}

} // extern "C"
