#include "opdev/op_executor.h"

#include <exception>

#include "aclnn/hostcann_probe.h"
#include "executor_plan.h"
#include "executor_registry.h"
#include "op_context.h"
#include "opdev/shape_utils.h"

namespace {

// Objects that fail to build leave a message and a null pointer, never an exception.
template <typename F>
auto Guarded(const char* function, F make) -> decltype(make())
{
    try {
        return make();
    } catch (const std::exception& error) {
        OP_LOGE(ACLNN_ERR_INNER, "aclOpExecutor::%s: %s", function, error.what());
        return nullptr;
    }
}

void ReportNull(const char* function)
{
    op::internal::ReportCoded("EZ1011", ACLNN_ERR_INNER_NULLPTR,
                              std::string("aclOpExecutor::") + function + ": the given object is nullptr");
}

} // namespace

const char* hc_executor_text(const aclOpExecutor* executor) { return executor->Plan().Text(); }

aclOpExecutor::aclOpExecutor() : plan_(std::make_unique<op::internal::ExecutorPlan>())
{
    plan_->logInfo = op::internal::ThreadContext().logInfo;
    plan_->config = op::internal::ThreadContext().config;
    plan_->errorsBefore = op::internal::ThreadContext().errors;
    op::internal::AddExecutor(this);
}

aclOpExecutor::~aclOpExecutor() { (void)op::internal::RemoveExecutor(this); }

template <typename T>
T* aclOpExecutor::Keep(T* object)
{
    owned_.emplace_back(object);
    return object;
}

aclTensor* aclOpExecutor::NewTensor(const op::Shape& storageShape, const op::Shape& originShape, op::DataType dataType,
                                    op::Format storageFormat, op::Format originFormat, bool onHost)
{
    return Guarded(onHost ? "AllocHostTensor" : "AllocTensor", [&]() -> aclTensor* {
        const int64_t bytes = op::CalcShapeBytes(storageShape.GetShapeSize(), dataType);
        if (bytes < 0) {
            OP_LOGE(ACLNN_ERR_PARAM_INVALID, "AllocTensor: expected a shape of known size, got %s",
                    op::ToString(storageShape).GetString());
            return nullptr;
        }
        auto storage = onHost ? op::internal::ExecutorPlan::NewHostStorage(static_cast<uint64_t>(bytes)) :
                                std::make_shared<aclStorage>(true);
        const auto placement = onHost ? op::TensorPlacement::kOnHost : op::TensorPlacement::kOnDeviceHbm;
        return Keep(new aclTensor(storageShape, originShape, dataType, storageFormat, originFormat, placement,
                                  std::move(storage)));
    });
}

aclTensor* aclOpExecutor::AllocTensor(const op::Shape& shape, op::DataType dataType, op::Format format)
{
    return NewTensor(shape, shape, dataType, format, format, false);
}

aclTensor* aclOpExecutor::AllocTensor(const op::Shape& storageShape, const op::Shape& originShape,
                                      op::DataType dataType, op::Format storageFormat, op::Format originFormat)
{
    return NewTensor(storageShape, originShape, dataType, storageFormat, originFormat, false);
}

aclTensor* aclOpExecutor::AllocTensor(op::DataType dataType, op::Format storageFormat, op::Format originFormat)
{
    return NewTensor({}, {}, dataType, storageFormat, originFormat, false);
}

aclTensor* aclOpExecutor::AllocHostTensor(const op::Shape& shape, op::DataType dataType, op::Format format)
{
    return NewTensor(shape, shape, dataType, format, format, true);
}

aclTensor* aclOpExecutor::AllocHostTensor(const op::Shape& storageShape, const op::Shape& originShape,
                                          op::DataType dataType, op::Format storageFormat, op::Format originFormat)
{
    return NewTensor(storageShape, originShape, dataType, storageFormat, originFormat, true);
}

template <typename T>
aclTensor* aclOpExecutor::NewHostValues(const T* value, uint64_t size, op::DataType dataType)
{
    if (value == nullptr && size > 0) {
        ReportNull("AllocHostTensor");
        return nullptr;
    }
    if (!op::IsIntegralType(dataType, true) &&
        !op::CheckType(dataType, {op::DataType::DT_FLOAT, op::DataType::DT_DOUBLE, op::DataType::DT_FLOAT16,
                                  op::DataType::DT_BF16})) {
        op::internal::ReportCoded("EZ1006", ACLNN_ERR_PARAM_INVALID,
                                  std::string("a host tensor cannot have data type ") +
                                      op::ToString(dataType).GetString() +
                                      "; expected bool, an integer, float, double, float16 or bfloat16");
        return nullptr;
    }
    aclTensor* tensor = AllocHostTensor(op::Shape({static_cast<int64_t>(size)}), dataType);
    if (tensor != nullptr) {
        tensor->SetData(value, size, dataType);
    }
    return tensor;
}

#define ALLOC_HOST_TENSOR(T)                                                                        \
    aclTensor* aclOpExecutor::AllocHostTensor(const T* value, uint64_t size, op::DataType dataType) \
    {                                                                                               \
        return NewHostValues(value, size, dataType);                                                \
    }
ALLOC_HOST_TENSOR(int64_t)
ALLOC_HOST_TENSOR(uint64_t)
ALLOC_HOST_TENSOR(bool)
ALLOC_HOST_TENSOR(char)
ALLOC_HOST_TENSOR(int32_t)
ALLOC_HOST_TENSOR(uint32_t)
ALLOC_HOST_TENSOR(int16_t)
ALLOC_HOST_TENSOR(uint16_t)
ALLOC_HOST_TENSOR(int8_t)
ALLOC_HOST_TENSOR(uint8_t)
ALLOC_HOST_TENSOR(double)
ALLOC_HOST_TENSOR(float)
ALLOC_HOST_TENSOR(op::fp16_t)
ALLOC_HOST_TENSOR(op::bfloat16)
#undef ALLOC_HOST_TENSOR

aclTensor* aclOpExecutor::CreateView(const aclTensor* tensor, const op::Shape& shape, int64_t offset)
{
    if (tensor == nullptr) {
        ReportNull("CreateView");
        return nullptr;
    }
    return Guarded("CreateView", [&] { return Keep(new aclTensor(*tensor, shape, shape, {}, offset)); });
}

aclTensor* aclOpExecutor::CreateView(const aclTensor* tensor, const op::Shape& oriShape, const op::Shape& storageShape,
                                     const op::Strides& oriStride, int64_t offset)
{
    if (tensor == nullptr) {
        ReportNull("CreateView");
        return nullptr;
    }
    const int64_t whole = storageShape.GetShapeSize();
    if (offset < 0 || offset > whole) {
        OP_LOGE(ACLNN_ERR_INNER, "CreateView: expected an offset from 0 to %lld, got %lld",
                static_cast<long long>(whole), static_cast<long long>(offset));
        return nullptr;
    }
    if (oriStride.size() != oriShape.GetDimNum()) {
        OP_LOGE(ACLNN_ERR_INNER, "CreateView: expected %zu strides for shape %s, got %zu", oriShape.GetDimNum(),
                op::ToString(oriShape).GetString(), oriStride.size());
        return nullptr;
    }
    // The launch address already contains the offset, so what may be accessed is shorter by it.
    const op::Shape reachable({whole - offset});
    return Guarded("CreateView", [&] { return Keep(new aclTensor(*tensor, oriShape, reachable, oriStride, offset)); });
}

aclIntArray* aclOpExecutor::AllocIntArray(const int64_t* value, uint64_t size)
{
    return Guarded("AllocIntArray", [&] { return Keep(new aclIntArray(value, size)); });
}

aclFloatArray* aclOpExecutor::AllocFloatArray(const float* value, uint64_t size)
{
    return Guarded("AllocFloatArray", [&] { return Keep(new aclFloatArray(value, size)); });
}

aclBoolArray* aclOpExecutor::AllocBoolArray(const bool* value, uint64_t size)
{
    return Guarded("AllocBoolArray", [&] { return Keep(new aclBoolArray(value, size)); });
}

aclTensorList* aclOpExecutor::AllocTensorList(const aclTensor* const* tensors, uint64_t size)
{
    return Guarded("AllocTensorList", [&] { return Keep(new aclTensorList(tensors, size)); });
}

aclScalarList* aclOpExecutor::AllocScalarList(const aclScalar* const* scalars, uint64_t size)
{
    return Guarded("AllocScalarList", [&] { return Keep(new aclScalarList(scalars, size)); });
}

aclScalar* aclOpExecutor::AllocScalar(const void* data, op::DataType dataType)
{
    if (data == nullptr) {
        ReportNull("AllocScalar");
        return nullptr;
    }
    return Guarded("AllocScalar", [&] { return Keep(new aclScalar(data, dataType)); });
}

#define ALLOC_SCALAR(T, dataType) \
    aclScalar* aclOpExecutor::AllocScalar(T value) { return AllocScalar(&value, op::DataType::dataType); }
ALLOC_SCALAR(float, DT_FLOAT)
ALLOC_SCALAR(double, DT_DOUBLE)
ALLOC_SCALAR(op::bfloat16, DT_BF16)
ALLOC_SCALAR(int32_t, DT_INT32)
ALLOC_SCALAR(int64_t, DT_INT64)
ALLOC_SCALAR(int16_t, DT_INT16)
ALLOC_SCALAR(int8_t, DT_INT8)
ALLOC_SCALAR(uint32_t, DT_UINT32)
ALLOC_SCALAR(uint64_t, DT_UINT64)
ALLOC_SCALAR(uint16_t, DT_UINT16)
ALLOC_SCALAR(uint8_t, DT_UINT8)
ALLOC_SCALAR(bool, DT_BOOL)
#undef ALLOC_SCALAR

// In CANN a half scalar is kept as a float, so promotion sees DT_FLOAT.
aclScalar* aclOpExecutor::AllocScalar(op::fp16_t value) { return AllocScalar(value.toFloat()); }

#define CONVERT_ARRAY(Array)                                                                   \
    const aclTensor* aclOpExecutor::ConvertToTensor(const Array* value, op::DataType dataType) \
    {                                                                                          \
        if (value == nullptr) {                                                                \
            ReportNull("ConvertToTensor");                                                     \
            return nullptr;                                                                    \
        }                                                                                      \
        return NewHostValues(value->GetData(), value->Size(), dataType);                       \
    }
CONVERT_ARRAY(aclIntArray)
CONVERT_ARRAY(aclBoolArray)
CONVERT_ARRAY(aclFloatArray)
CONVERT_ARRAY(aclFp16Array)
CONVERT_ARRAY(aclBf16Array)
#undef CONVERT_ARRAY

const aclTensor* aclOpExecutor::ConvertToTensor(const aclScalar* value, op::DataType dataType)
{
    if (value == nullptr) {
        ReportNull("ConvertToTensor");
        return nullptr;
    }
    aclTensor* tensor = AllocHostTensor(op::Shape(), dataType);
    if (tensor == nullptr) {
        return nullptr;
    }
    void* to = tensor->GetStorageAddr();
    const auto store = [to](auto converted) { std::memcpy(to, &converted, sizeof(converted)); };
    switch (dataType) {
        case op::DataType::DT_FLOAT:
            store(value->ToFloat());
            return tensor;
        case op::DataType::DT_DOUBLE:
            store(value->ToDouble());
            return tensor;
        case op::DataType::DT_FLOAT16:
            store(value->ToFp16().val);
            return tensor;
        case op::DataType::DT_BF16:
            store(value->ToBf16().value);
            return tensor;
        case op::DataType::DT_INT8:
            store(value->ToInt8());
            return tensor;
        case op::DataType::DT_INT16:
            store(value->ToInt16());
            return tensor;
        case op::DataType::DT_INT32:
            store(value->ToInt32());
            return tensor;
        case op::DataType::DT_INT64:
            store(value->ToInt64());
            return tensor;
        case op::DataType::DT_UINT8:
            store(value->ToUint8());
            return tensor;
        case op::DataType::DT_UINT16:
            store(value->ToUint16());
            return tensor;
        case op::DataType::DT_UINT32:
            store(value->ToUint32());
            return tensor;
        case op::DataType::DT_UINT64:
            store(value->ToUint64());
            return tensor;
        case op::DataType::DT_BOOL:
            store(value->ToBool());
            return tensor;
        case op::DataType::DT_COMPLEX64:
            store(value->ToComplex64());
            return tensor;
        case op::DataType::DT_COMPLEX128:
            store(value->ToComplex128());
            return tensor;
        default:
            op::internal::ReportCoded(
                "EZ1006", ACLNN_ERR_PARAM_INVALID,
                std::string("a scalar cannot be converted to data type ") + op::ToString(dataType).GetString());
            return nullptr;
    }
}

uint64_t aclOpExecutor::GetWorkspaceSize() const { return plan_->WorkspaceSize(); }

uint64_t aclOpExecutor::GetLinearWorkspaceSize() const { return plan_->LinearWorkspaceSize(); }

void* aclOpExecutor::GetWorkspaceAddr() const { return plan_->workspace; }

aclrtStream aclOpExecutor::GetStream() const { return plan_->stream; }

void aclOpExecutor::SetStream(aclrtStream stream) { plan_->stream = stream; }

aclnnStatus aclOpExecutor::Run() { return plan_->Run(plan_->workspace, plan_->workspaceGiven, plan_->stream); }

void aclOpExecutor::AbandonCache(bool disableRepeat)
{
    plan_->repeatForbidden = plan_->repeatForbidden || disableRepeat;
}

void aclOpExecutor::AddTensorRelation(const aclTensor* tensorOut, const aclTensor* tensorMiddle)
{
    if (tensorOut == nullptr || tensorMiddle == nullptr) {
        ReportNull("AddTensorRelation");
        return;
    }
    (void)plan_->Relate(tensorOut, tensorMiddle); // a failure has been reported and comes back from phase 2
}

void aclOpExecutor::UpdateStorageAddr() { plan_->UpdateStorageAddresses(); }

aclnnStatus aclOpExecutor::SetRepeatable()
{
    if (plan_->repeatForbidden) {
        OP_LOGE(ACLNN_ERR_INNER,
                "aclSetAclOpExecutorRepeatable: this executor cannot be repeated (its API called AbandonCache(true), "
                "copies host data, or copies a tensor onto itself)");
        return ACLNN_ERR_INNER;
    }
    plan_->repeatable = true;
    return ACLNN_SUCCESS;
}

bool aclOpExecutor::IsRepeatable() const { return plan_->repeatable; }

op::internal::OpLogInfo aclOpExecutor::GetLogInfo() const { return plan_->logInfo; }

void aclOpExecutor::SetLogInfo(const op::internal::OpLogInfo& logInfo) { plan_->logInfo = logInfo; }

op::OpConfigInfo aclOpExecutor::GetOpConfigInfo() const { return plan_->config; }

void aclOpExecutor::SetOpConfigInfo(const op::OpConfigInfo& opConfigInfo) { plan_->config = opConfigInfo; }

UniqueExecutor::UniqueExecutor(const char* funcName) : funcName_(funcName), executor_(new aclOpExecutor()) {}

UniqueExecutor::~UniqueExecutor()
{
    // A refusal has said why.
    if (executor_ != nullptr && executor_->Plan().errorsBefore == op::internal::ThreadContext().errors) {
        OP_LOGE_WITHOUT_REPORT(ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR,
                               "%s returns without ReleaseTo(executor): the executor is dropped. Expected after an "
                               "error only",
                               funcName_);
    }
}

void UniqueExecutor::ReleaseTo(aclOpExecutor** executor)
{
    if (executor != nullptr) {
        *executor = executor_.release();
    }
}

aclnnStatus CommonOpExecutorRun(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    if (executor == nullptr) {
        OP_LOGE(ACLNN_ERR_PARAM_NULLPTR, "argument [executor]: expected the executor of GetWorkspaceSize, got nullptr");
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    if (!op::internal::ExpectLive(executor, "phase 2")) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    if (workspaceSize > 0 && workspace == nullptr) {
        OP_LOGE(ACLNN_ERR_PARAM_NULLPTR, "argument [workspace]: expected %llu bytes of device memory, got nullptr",
                static_cast<unsigned long long>(workspaceSize));
        delete executor;
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    op::internal::ExecutorPlan& plan = executor->Plan();
    if (plan.repeatable) {
        plan.workspace = workspace;
        plan.workspaceGiven = workspaceSize;
        plan.stream = stream;
        return executor->Run();
    }
    // Taking it out first makes a second run from another thread fail instead of using freed memory.
    if (!op::internal::RemoveExecutor(executor)) {
        (void)op::internal::ExpectLive(executor, "phase 2");
        return ACLNN_ERR_INNER_NULLPTR;
    }
    plan.workspace = workspace;
    plan.workspaceGiven = workspaceSize;
    plan.stream = stream;
    const aclnnStatus status = executor->Run();
    delete executor;
    return status;
}
