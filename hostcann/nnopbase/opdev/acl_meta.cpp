// The C functions of aclnn/acl_meta.h and aclnn/aclnn_base.h.
#include <exception>
#include <new>
#include <string>

#include "aclnn/aclnn_base.h"
#include "executor_registry.h"
#include "opdev/common_types.h"
#include "opdev/data_type_utils.h"
#include "opdev/format_utils.h"
#include "opdev/op_executor.h"
#include "opdev/op_log.h"

namespace {

// nullptr and a reported error instead of an exception.
template <typename F>
auto Create(const char* function, F make) -> decltype(make())
{
    try {
        return make();
    } catch (const std::exception& error) {
        OP_LOGE(ACLNN_ERR_INNER, "%s: %s", function, error.what());
        return nullptr;
    }
}

bool DimsFit(const char* function, const char* name, const int64_t* dims, uint64_t count)
{
    if (dims == nullptr && count > 0) {
        OP_LOGE(ACLNN_ERR_PARAM_NULLPTR, "%s: argument [%s] is nullptr, expected %llu dims", function, name,
                static_cast<unsigned long long>(count));
        return false;
    }
    if (count > op::MAX_DIM_NUM) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: argument [%s]: expected at most %llu dims, got %llu", function, name,
                static_cast<unsigned long long>(op::MAX_DIM_NUM), static_cast<unsigned long long>(count));
        return false;
    }
    return true;
}

template <typename At>
aclnnStatus CopyOut(size_t count, At at, int64_t** values, uint64_t* valuesNum)
{
    int64_t* array = new (std::nothrow) int64_t[count];
    if (array == nullptr) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    for (size_t i = 0; i < count; ++i) {
        array[i] = at(i);
    }
    *values = array;
    *valuesNum = count;
    return OK;
}

template <typename List>
aclnnStatus SizeOf(const List* list, uint64_t* size)
{
    if (list == nullptr || size == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    *size = list->Size();
    return OK;
}

bool NotNull(const char* function, const char* name, const void* pointer)
{
    if (pointer == nullptr) {
        op::internal::ReportCoded("EZ1011", ACLNN_ERR_INNER_NULLPTR,
                                  std::string(function) + ": argument [" + name + "] is nullptr, expected an object");
        return false;
    }
    return true;
}

aclnnStatus SetAddr(const char* function, const aclOpExecutor* executor, const aclTensor* tensor, void* addr)
{
    if (!NotNull(function, "tensor", tensor) || !NotNull(function, "executor", executor)) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    if (!op::internal::ExpectLive(executor, function)) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    tensor->SetStorageAddr(addr);
    return OK;
}

aclnnStatus SetListAddr(const char* function, const aclOpExecutor* executor, size_t index, aclTensorList* tensors,
                        void* addr)
{
    if (!NotNull(function, "tensors", tensors)) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    if (index >= tensors->Size()) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: argument [relativeIndex]: expected less than %llu, got %zu", function,
                static_cast<unsigned long long>(tensors->Size()), index);
        return ACLNN_ERR_PARAM_INVALID;
    }
    return SetAddr(function, executor, (*tensors)[index], addr);
}

} // namespace

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t* stride,
                           int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                           void* tensorData)
{
    if (!DimsFit(__func__, "viewDims", viewDims, viewDimsNum) ||
        !DimsFit(__func__, "storageDims", storageDims, storageDimsNum)) {
        return nullptr;
    }
    return Create(__func__, [&] {
        auto* tensor = new aclTensor({}, {}, op::ToOpDataType(dataType), op::Format::FORMAT_ND, op::Format::FORMAT_ND,
                                     op::TensorPlacement::kOnDeviceHbm, std::make_shared<aclStorage>(tensorData));
        tensor->InitTensor(viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum,
                           tensorData);
        return tensor;
    });
}

aclScalar* aclCreateScalar(void* value, aclDataType dataType)
{
    if (value == nullptr) {
        return nullptr;
    }
    return Create(__func__, [&] { return new aclScalar(value, op::ToOpDataType(dataType)); });
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) { return new aclIntArray(value, size); }

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) { return new aclFloatArray(value, size); }

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) { return new aclBoolArray(value, size); }

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size)
{
    return new aclTensorList(value, size);
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size)
{
    return new aclScalarList(value, size);
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor)
{
    delete tensor;
    return OK;
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar)
{
    delete scalar;
    return OK;
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array)
{
    delete array;
    return OK;
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray* array)
{
    delete array;
    return OK;
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray* array)
{
    delete array;
    return OK;
}

aclnnStatus aclDestroyTensorList(const aclTensorList* array)
{
    for (uint64_t i = 0; array != nullptr && i < array->Size(); ++i) {
        aclDestroyTensor((*array)[i]);
    }
    delete array;
    return OK;
}

aclnnStatus aclDestroyScalarList(const aclScalarList* array)
{
    for (uint64_t i = 0; array != nullptr && i < array->Size(); ++i) {
        aclDestroyScalar((*array)[i]);
    }
    delete array;
    return OK;
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum)
{
    if (tensor == nullptr || viewDims == nullptr || viewDimsNum == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    const op::Shape& shape = tensor->GetViewShape();
    return CopyOut(shape.GetDimNum(), [&shape](size_t i) { return shape.GetDim(i); }, viewDims, viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims, uint64_t* storageDimsNum)
{
    if (tensor == nullptr || storageDims == nullptr || storageDimsNum == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    const op::Shape& shape = tensor->GetStorageShape();
    return CopyOut(shape.GetDimNum(), [&shape](size_t i) { return shape.GetDim(i); }, storageDims, storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum)
{
    if (tensor == nullptr || stridesValue == nullptr || stridesNum == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    const op::Strides& strides = tensor->GetViewStrides();
    return CopyOut(strides.size(), [&strides](size_t i) { return strides[i]; }, stridesValue, stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset)
{
    if (tensor == nullptr || offset == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    *offset = tensor->GetViewOffset();
    return OK;
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format)
{
    if (tensor == nullptr || format == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    *format = op::ToAclFormat(tensor->GetViewFormat());
    return OK;
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType)
{
    if (tensor == nullptr || dataType == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    *dataType = op::ToAclDataType(tensor->GetDataType());
    return OK;
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) { return SizeOf(array, size); }

aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) { return SizeOf(array, size); }

aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) { return SizeOf(array, size); }

aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) { return SizeOf(tensorList, size); }

aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) { return SizeOf(scalarList, size); }

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                          const int64_t* stride, int64_t offset, aclFormat format, const int64_t* storageDims,
                          uint64_t storageDimsNum, void* tensorDataAddr)
{
    if (tensor == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    if (!DimsFit(__func__, "viewDims", viewDims, viewDimsNum) ||
        !DimsFit(__func__, "storageDims", storageDims, storageDimsNum)) {
        return ACLNN_ERR_PARAM_INVALID;
    }
    tensor->InitTensor(viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum,
                       tensorDataAddr);
    return OK;
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr)
{
    if (tensor == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    tensor->SetStorageAddr(addr);
    return OK;
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr)
{
    if (tensor == nullptr || addr == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    *addr = tensor->GetStorageAddr();
    return OK;
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor)
{
    if (!NotNull(__func__, "executor", executor) || !op::internal::ExpectLive(executor, __func__)) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    return executor->SetRepeatable();
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor)
{
    if (executor != nullptr && op::internal::HasRunGenerated(executor)) {
        OP_LOGW(
            "aclDestroyAclOpExecutor: the run of executor %p has destroyed it already. Leave this call out, or make "
            "the executor repeatable with aclSetAclOpExecutorRepeatable: for other interfaces it is an error",
            static_cast<const void*>(executor));
        return OK;
    }
    if (!NotNull(__func__, "executor", executor) || !op::internal::ExpectLive(executor, __func__)) {
        return ACLNN_ERR_INNER_NULLPTR;
    }
    delete executor;
    return OK;
}

#define SET_TENSOR_ADDR(Name)                                                                   \
    aclnnStatus acl##Name(aclOpExecutor* executor, const size_t, aclTensor* tensor, void* addr) \
    {                                                                                           \
        return SetAddr("acl" #Name, executor, tensor, addr);                                    \
    }                                                                                           \
    aclnnStatus Acl##Name(aclOpExecutor* executor, const size_t, aclTensor* tensor, void* addr) \
    {                                                                                           \
        return SetAddr("Acl" #Name, executor, tensor, addr);                                    \
    }
#define SET_DYNAMIC_TENSOR_ADDR(Name)                                                                          \
    aclnnStatus acl##Name(aclOpExecutor* executor, size_t, const size_t relativeIndex, aclTensorList* tensors, \
                          void* addr)                                                                          \
    {                                                                                                          \
        return SetListAddr("acl" #Name, executor, relativeIndex, tensors, addr);                               \
    }                                                                                                          \
    aclnnStatus Acl##Name(aclOpExecutor* executor, size_t, const size_t relativeIndex, aclTensorList* tensors, \
                          void* addr)                                                                          \
    {                                                                                                          \
        return SetListAddr("Acl" #Name, executor, relativeIndex, tensors, addr);                               \
    }

SET_TENSOR_ADDR(SetInputTensorAddr)
SET_TENSOR_ADDR(SetOutputTensorAddr)
SET_TENSOR_ADDR(SetTensorAddr)
SET_DYNAMIC_TENSOR_ADDR(SetDynamicInputTensorAddr)
SET_DYNAMIC_TENSOR_ADDR(SetDynamicOutputTensorAddr)
SET_DYNAMIC_TENSOR_ADDR(SetDynamicTensorAddr)

// Everything is initialised on first use.
aclnnStatus aclnnInit(const char*) { return OK; }

aclnnStatus aclnnFinalize() { return OK; }
