// What libopapi.so sees of aclnn objects, and its operators' two phases.
#include "hostcann/host_op.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "executor_plan.h"
#include "opdev/data_type_utils.h"
#include "opdev/format_utils.h"
#include "opdev/op_executor.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"

namespace {

using op::internal::TensorArg;

// The rank and up to eight dims, as OP_OUTSHAPE has them.
constexpr int64_t kShapeWords = 9;

// Why each function refused its last call: phase 2 may run on another thread, without an executor.
class Refusals {
public:
    void Set(const char* api, const char* text)
    {
        const std::lock_guard<std::mutex> guard(lock_);
        texts_[api] = text;
    }
    void Clear(const char* api)
    {
        const std::lock_guard<std::mutex> guard(lock_);
        texts_.erase(api);
    }
    std::string Of(const char* api)
    {
        const std::lock_guard<std::mutex> guard(lock_);
        const auto found = texts_.find(api);
        return found == texts_.end() ?
                   std::string() :
                   std::string(": the last GetWorkspaceSize of ") + api + " was refused: " + found->second;
    }

private:
    std::mutex lock_;
    std::map<std::string, std::string> texts_;
};

Refusals& LastRefusals()
{
    static auto* const refusals = new Refusals();
    return *refusals;
}

std::vector<TensorArg> Args(const aclTensor* const* tensors, size_t count)
{
    std::vector<TensorArg> args;
    for (size_t i = 0; i < count; ++i) {
        args.push_back(TensorArg(tensors[i]));
    }
    return args;
}

aclnnStatus AddCall(const hc_op& op, std::shared_ptr<void> context, aclOpExecutor* executor)
{
    std::vector<TensorArg> outputs = Args(op.outputs, op.output_num);
    const aclTensor* shape = nullptr;
    if (op.computed != nullptr) {
        shape = executor->AllocTensor(op::Shape({kShapeWords}), op::DataType::DT_INT64);
        outputs.push_back(TensorArg(shape));
    }
    const size_t count = op.input_num + outputs.size();
    const op::internal::HostFunction run = [call = op.run, context, count](void* const* operands, std::string* text) {
        char message[512] = {0};
        const aclnnStatus status = call(context.get(), operands, count, message, sizeof(message));
        *text = message;
        return status;
    };
    aclnnStatus status = executor->Plan().AddCall(op.api, run, Args(op.inputs, op.input_num), outputs);
    if (status == ACLNN_SUCCESS && shape != nullptr) {
        status = executor->Plan().AddOutShape(op.api, shape, 0, op.computed);
    }
    return status;
}

} // namespace

hc_status hc_tensor_view(const aclTensor* tensor, hc_view* view)
{
    const op::Shape& shape = tensor->GetViewShape();
    const op::Strides& strides = tensor->GetViewStrides();
    if (shape.GetDimNum() > HC_MAX_RANK || strides.size() != shape.GetDimNum()) {
        return ACLNN_ERR_PARAM_INVALID;
    }
    *view = {};
    view->dtype = static_cast<int32_t>(tensor->GetDataType());
    view->private_format = op::IsPrivateFormat(tensor->GetStorageFormat()) ? 1 : 0;
    view->rank = shape.GetDimNum();
    for (size_t i = 0; i < view->rank; ++i) {
        view->dims[i] = shape.GetDim(i);
        view->strides[i] = strides[i];
    }
    view->offset = tensor->GetViewOffset();
    view->storage = tensor->Size();
    return ACLNN_SUCCESS;
}

void hc_scalar_number(const aclScalar* scalar, hc_number* number)
{
    *number = {};
    number->dtype = static_cast<int32_t>(scalar->GetDataType());
    if (op::IsFloatingType(scalar->GetDataType())) {
        number->real = scalar->ToDouble();
    } else if (!op::IsComplexType(scalar->GetDataType())) {
        number->integer = scalar->ToInt64();
    }
}

const int64_t* hc_int_array(const aclIntArray* array, uint64_t* size)
{
    *size = array->Size();
    return array->GetData();
}

const bool* hc_bool_array(const aclBoolArray* array, uint64_t* size)
{
    *size = array->Size();
    return array->GetData();
}

uint64_t hc_tensor_list_size(const aclTensorList* list) { return list->Size(); }

const aclTensor* hc_tensor_list_at(const aclTensorList* list, uint64_t index) { return (*list)[index]; }

hc_status hc_op_refuse(const char* api, hc_status status, const char* text)
{
    const op::internal::DfxScope scope;
    InitL2Phase2Context(api, nullptr);
    OP_LOGE(status, "%s", text);
    LastRefusals().Set(api, text);
    return status;
}

hc_status hc_op_prepare(const hc_op* op, uint64_t* workspace_size, aclOpExecutor** executor)
{
    const std::shared_ptr<void> context(op->context, op->drop);
    const op::internal::DfxScope scope;
    InitL2Phase1Context(op->api, executor);
    UniqueExecutor own(op->api);
    const aclnnStatus status = AddCall(*op, context, own.get());
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    LastRefusals().Clear(op->api);
    *workspace_size = own->GetWorkspaceSize();
    own.ReleaseTo(executor);
    return ACLNN_SUCCESS;
}

hc_status hc_op_run(const char* api, void* workspace, uint64_t workspace_size, aclOpExecutor* executor, void* stream)
{
    const op::internal::DfxScope scope;
    InitL2Phase2Context(api, executor);
    if (executor == nullptr) {
        OP_LOGE(ACLNN_ERR_PARAM_NULLPTR,
                "argument [executor]: expected the executor of GetWorkspaceSize, got nullptr%s",
                LastRefusals().Of(api).c_str());
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    return CommonOpExecutorRun(workspace, workspace_size, executor, stream);
}
