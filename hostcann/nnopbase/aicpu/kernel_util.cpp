#include "kernel_util.h"

#include <cstring>
#include <map>

#include "graph/utils/type_utils.h"

namespace aicpu {
namespace {

const std::map<DataType, const char*>& TypeNames()
{
    static const std::map<DataType, const char*> names = {
        {DT_FLOAT, "DT_FLOAT"},
        {DT_FLOAT16, "DT_FLOAT16"},
        {DT_INT8, "DT_INT8"},
        {DT_INT32, "DT_INT32"},
        {DT_UINT8, "DT_UINT8"},
        {DT_INT16, "DT_INT16"},
        {DT_UINT16, "DT_UINT16"},
        {DT_UINT32, "DT_UINT32"},
        {DT_INT64, "DT_INT64"},
        {DT_UINT64, "DT_UINT64"},
        {DT_DOUBLE, "DT_DOUBLE"},
        {DT_BOOL, "DT_BOOL"},
        {DT_STRING, "DT_STRING"},
        {DT_COMPLEX64, "DT_COMPLEX64"},
        {DT_COMPLEX128, "DT_COMPLEX128"},
        {DT_QINT8, "DT_QINT8"},
        {DT_QINT16, "DT_QINT16"},
        {DT_QINT32, "DT_QINT32"},
        {DT_QUINT8, "DT_QUINT8"},
        {DT_QUINT16, "DT_QUINT16"},
        {DT_RESOURCE, "DT_RESOURCE"},
        {DT_BFLOAT16, "DT_BFLOAT16"},
        {DT_UNDEFINED, "DT_UNDEFINED"},
        {DT_COMPLEX32, "DT_COMPLEX32"},
        {DT_HIFLOAT8, "DT_HIFLOAT8"},
        {DT_FLOAT8_E5M2, "DT_FLOAT8_E5M2"},
        {DT_FLOAT8_E4M3FN, "DT_FLOAT8_E4M3FN"},
    };
    return names;
}

uint32_t CheckTensor(const CpuKernelContext& ctx, const Tensor* tensor, const char* role, uint32_t index)
{
    KERNEL_CHECK_NULLPTR(tensor, KERNEL_STATUS_PARAM_INVALID, "%s: %s %u is missing", ctx.GetOpType().c_str(), role,
                         index);
    KERNEL_CHECK_FALSE(tensor->GetData() != nullptr || tensor->NumElements() == 0, KERNEL_STATUS_PARAM_INVALID,
                       "%s: %s %u has no data", ctx.GetOpType().c_str(), role, index);
    return KERNEL_STATUS_OK;
}

} // namespace

std::string DTypeStr(DataType dtype)
{
    const auto found = TypeNames().find(dtype);
    return found == TypeNames().end() ? std::to_string(static_cast<int>(dtype)) : found->second;
}

DataType DType(std::string dtype_str)
{
    for (const auto& name : TypeNames()) {
        if (dtype_str == name.second) {
            return name.first;
        }
    }
    return DT_UNDEFINED;
}

std::string FormatToSerialString(Format format)
{
    return ge::TypeUtils::FormatToSerialString(static_cast<ge::Format>(format)).c_str();
}

bool IsEmptyTensor(Tensor* tensor) { return tensor != nullptr && tensor->NumElements() == 0; }
bool IsScalar(const std::vector<int64_t>& shape) { return shape.empty(); }
bool IsVector(const std::vector<int64_t>& shape) { return shape.size() == 1; }
bool IsMatrix(const std::vector<int64_t>& shape) { return shape.size() == 2; }
bool IsVectorOrHigher(const std::vector<int64_t>& shape) { return !shape.empty(); }
bool IsSquareMatrix(const std::vector<int64_t>& shape) { return IsMatrix(shape) && shape[0] == shape[1]; }

bool AddrAlignedCheck(const void* addr, uint64_t alignment)
{
    return alignment != 0 && reinterpret_cast<uintptr_t>(addr) % alignment == 0;
}

uint32_t NormalCheck(CpuKernelContext& ctx, const uint32_t inputs_num, const uint32_t outputs_num)
{
    const bool anyInputs = inputs_num == static_cast<uint32_t>(kDynamicInput);
    const bool anyOutputs = outputs_num == static_cast<uint32_t>(kDynamicOutput);
    const char* op = "the kernel";
    const std::string opType = ctx.GetOpType();
    op = opType.empty() ? op : opType.c_str();
    KERNEL_CHECK_FALSE(anyInputs || ctx.GetInputsSize() >= inputs_num, KERNEL_STATUS_PARAM_INVALID,
                       "%s: expected %u inputs, got %u", op, inputs_num, ctx.GetInputsSize());
    KERNEL_CHECK_FALSE(anyOutputs || ctx.GetOutputsSize() == outputs_num, KERNEL_STATUS_PARAM_INVALID,
                       "%s: expected %u outputs, got %u", op, outputs_num, ctx.GetOutputsSize());
    for (uint32_t i = 0; i < (anyInputs ? ctx.GetInputsSize() : inputs_num); ++i) {
        KERNEL_CHECK_ERROR(CheckTensor(ctx, ctx.Input(i), "input", i));
    }
    for (uint32_t i = 0; i < ctx.GetOutputsSize(); ++i) {
        KERNEL_CHECK_ERROR(CheckTensor(ctx, ctx.Output(i), "output", i));
    }
    return KERNEL_STATUS_OK;
}

uint32_t NormalCheck(CpuKernelContext& ctx, const uint32_t inputs_num, const uint32_t outputs_num,
                     const std::vector<std::string>& attr_names)
{
    KERNEL_CHECK_ERROR(NormalCheck(ctx, inputs_num, outputs_num));
    for (const std::string& name : attr_names) {
        KERNEL_CHECK_NULLPTR(ctx.GetAttr(name), KERNEL_STATUS_PARAM_INVALID, "%s: the attribute %s is missing",
                             ctx.GetOpType().c_str(), name.c_str());
    }
    return KERNEL_STATUS_OK;
}

uint32_t NormalMathCheck(CpuKernelContext& ctx)
{
    KERNEL_CHECK_ERROR(NormalCheck(ctx, INPUT_NUM2, 1));
    KERNEL_CHECK_FALSE(ctx.Input(0)->GetDataType() == ctx.Input(1)->GetDataType(), KERNEL_STATUS_PARAM_INVALID,
                       "%s: expected inputs of one data type, got %s and %s", ctx.GetOpType().c_str(),
                       DTypeStr(ctx.Input(0)->GetDataType()).c_str(), DTypeStr(ctx.Input(1)->GetDataType()).c_str());
    return KERNEL_STATUS_OK;
}

bool BiggerMemCpy(void* dst_addr, const std::size_t dst_len, const void* src_addr, const std::size_t src_len)
{
    if (dst_addr == nullptr || src_addr == nullptr || dst_len < src_len) {
        return false;
    }
    (void)std::memcpy(dst_addr, src_addr, src_len);
    return true;
}

bool BiggerMemSet(void* dst_addr, const std::size_t dst_len, const int c, const std::size_t count)
{
    if (dst_addr == nullptr || dst_len < count) {
        return false;
    }
    (void)std::memset(dst_addr, c, count);
    return true;
}

int64_t CeilMultiple(const int64_t x, const int64_t base) { return base == 0 ? 0 : x / base + (x % base != 0 ? 1 : 0); }

} // namespace aicpu
