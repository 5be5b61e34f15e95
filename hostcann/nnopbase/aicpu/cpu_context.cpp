// Tensors, attributes and contexts of AI CPU kernels.
#include <algorithm>
#include <cstdlib>

#include "cpu_kernel_utils.h"
#include "hostcann/host_abi.h"
#include "log.h"
#include "status.h"

namespace aicpu {

int GetSizeByDataType(DataType dataType)
{
    switch (dataType) {
        case DT_COMPLEX128:
            return 16;
        case DT_INT64:
        case DT_UINT64:
        case DT_DOUBLE:
        case DT_COMPLEX64:
            return 8;
        case DT_DUAL:
            return 5;
        case DT_FLOAT:
        case DT_INT32:
        case DT_UINT32:
        case DT_QINT32:
        case DT_COMPLEX32:
            return 4;
        case DT_FLOAT16:
        case DT_BFLOAT16:
        case DT_INT16:
        case DT_UINT16:
        case DT_QINT16:
        case DT_QUINT16:
            return 2;
        case DT_INT8:
        case DT_UINT8:
        case DT_BOOL:
        case DT_DUAL_SUB_INT8:
        case DT_DUAL_SUB_UINT8:
        case DT_QINT8:
        case DT_QUINT8:
        case DT_INT4:
        case DT_UINT1:
        case DT_INT2:
        case DT_UINT2:
        case DT_HIFLOAT8:
        case DT_FLOAT8_E5M2:
        case DT_FLOAT8_E4M3FN:
        case DT_FLOAT8_E8M0:
        case DT_FLOAT4_E2M1:
        case DT_FLOAT4_E1M2:
            return 1;
        default:
            return -1;
    }
}

int64_t TensorShape::GetDimSize(int32_t index) const
{
    return index >= 0 && static_cast<size_t>(index) < dims_.size() ? dims_[static_cast<size_t>(index)] : 0;
}

int32_t TensorShape::GetDims() const { return unknownRank_ ? -1 : static_cast<int32_t>(dims_.size()); }

int64_t TensorShape::NumElements() const
{
    int64_t count = 1;
    for (const int64_t dim : dims_) {
        if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) {
            return -1;
        }
    }
    return unknownRank_ ? -1 : count;
}

Tensor::Tensor() : shape_(CpuKernelUtils::CreateTensorShape()) {}

bool Tensor::SetTensorShape(const TensorShape* shape)
{
    if (shape == nullptr) {
        return false;
    }
    *shape_ = *shape;
    return true;
}

int64_t Tensor::CalcDataSizeByShape() const
{
    const int64_t count = NumElements();
    const int64_t size = GetSizeByDataType(type_);
    return count < 0 || size < 0 ? -1 : count * size;
}

AttrValue* CpuKernelContext::GetAttr(std::string name) const
{
    const auto found = attrs_.find(name);
    return found == attrs_.end() ? nullptr : found->second.get();
}

std::shared_ptr<Tensor> CpuKernelUtils::CreateTensor() { return std::shared_ptr<Tensor>(new Tensor()); }

std::shared_ptr<TensorShape> CpuKernelUtils::CreateTensorShape()
{
    return std::shared_ptr<TensorShape>(new TensorShape());
}

std::shared_ptr<AttrValue> CpuKernelUtils::CreateAttrValue() { return std::shared_ptr<AttrValue>(new AttrValue()); }

std::shared_ptr<AttrValue> CpuKernelUtils::Copy(const AttrValue& value)
{
    const std::shared_ptr<AttrValue> copy = CreateAttrValue();
    copy->value_ = value.value_;
    return copy;
}

void CpuKernelUtils::AddInput(CpuKernelContext* ctx, const std::shared_ptr<Tensor>& tensor)
{
    ctx->inputs_.push_back(tensor);
}

void CpuKernelUtils::AddOutput(CpuKernelContext* ctx, const std::shared_ptr<Tensor>& tensor)
{
    ctx->outputs_.push_back(tensor);
}

void CpuKernelUtils::AddAttr(CpuKernelContext* ctx, const std::string& name, const std::shared_ptr<AttrValue>& value)
{
    ctx->attrs_[name] = value;
}

uint32_t CpuKernelUtils::GetCPUNum(const CpuKernelContext&)
{
    const char* text = hc_soc_value("SoCInfo", "ai_cpu_cnt");
    const long count = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
    return count > 0 ? static_cast<uint32_t>(count) : 1;
}

uint32_t CpuKernelUtils::ParallelFor(const CpuKernelContext& ctx, int64_t total, int64_t perUnitSize,
                                     const std::function<void(int64_t, int64_t)>& work)
{
    KERNEL_CHECK_FALSE(work != nullptr, KERNEL_STATUS_PARAM_INVALID, "%s: ParallelFor without a function",
                       ctx.GetOpType().c_str());
    KERNEL_CHECK_FALSE(perUnitSize > 0, KERNEL_STATUS_PARAM_INVALID,
                       "%s: ParallelFor of %lld elements: expected parts of 1 element or more, got %lld",
                       ctx.GetOpType().c_str(), static_cast<long long>(total), static_cast<long long>(perUnitSize));
    const int64_t cpus = GetCPUNum(ctx);
    const int64_t part = std::max(perUnitSize, total / cpus + (total % cpus != 0 ? 1 : 0));
    for (int64_t from = 0; from < total; from += std::min(part, total - from)) {
        work(from, from + std::min(part, total - from));
    }
    return KERNEL_STATUS_OK;
}

} // namespace aicpu
