// l0op helpers that move data between layouts, and the copies of opdev/framework_op.h.
#include <algorithm>

#include "acl/acl_rt.h"
#include "hostcann/l0_functions.h"
#include "executor_plan.h"
#include "opdev/format_utils.h"
#include "opdev/framework_op.h"
#include "opdev/op_executor.h"
#include "opdev/shape_utils.h"
#include "opdev/tensor_view_utils.h"

namespace {

op::Strides RowMajor(const op::Shape& shape)
{
    op::Strides strides;
    op::ToContiguousStrides(shape, strides);
    return strides;
}

bool SameShapeOrOneElement(const op::Shape& a, const op::Shape& b)
{
    return a == b || (a.GetShapeSize() == 1 && b.GetShapeSize() == 1);
}

bool CanCopyView(const aclTensor* x, const aclTensor* y)
{
    if (y->IsFromWorkspace()) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "ViewCopy: expected y to be a tensor of the caller, got a workspace tensor %s",
                y->ToString().GetString());
        return false;
    }
    if (x->GetDataType() != y->GetDataType()) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "ViewCopy: expected equal data types, got x %s and y %s",
                op::ToString(x->GetDataType()).GetString(), op::ToString(y->GetDataType()).GetString());
        return false;
    }
    if (x->GetStorageFormat() != y->GetStorageFormat() && x->GetStorageFormat() != op::Format::FORMAT_ND) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "ViewCopy: expected equal formats or an x of format ND, got x %s and y %s",
                op::ToString(x->GetStorageFormat()).GetString(), op::ToString(y->GetStorageFormat()).GetString());
        return false;
    }
    if (!SameShapeOrOneElement(x->GetViewShape(), y->GetViewShape())) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "ViewCopy: expected equal shapes, got x %s and y %s",
                op::ToString(x->GetViewShape()).GetString(), op::ToString(y->GetViewShape()).GetString());
        return false;
    }
    return true;
}

// x's producer writes y's memory. x stands for that memory from now on.
const aclTensor* RedirectTo(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor)
{
    auto* moved = const_cast<aclTensor*>(x);
    moved->SetFromWorkspace(false);
    moved->SetStorageAddr(y->GetStorageAddr());
    moved->SetStorageOffset(y->GetViewOffset() + y->GetStorageOffset());
    executor->AddTensorRelation(y, moved);
    return y;
}

const aclTensor* CopyElements(const aclTensor* src, const aclTensor* dst, aclOpExecutor* executor)
{
    // Both have one element when the shapes differ; any dims of that many elements will do.
    const bool same = src->GetViewShape() == dst->GetViewShape();
    const op::Shape dims = same ? src->GetViewShape() : op::Shape();
    const op::Strides none;
    const aclnnStatus status = executor->Plan().AddCopy(dst, same ? dst->GetViewStrides() : none, src,
                                                        same ? src->GetViewStrides() : none, dims);
    return status == ACLNN_SUCCESS ? dst : nullptr;
}

} // namespace

namespace l0op {

const aclTensor* Contiguous(const aclTensor* x, aclOpExecutor* executor)
{
    if (x == nullptr || executor == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "Contiguous: argument [%s] is nullptr", x == nullptr ? "x" : "executor");
        return nullptr;
    }
    L0_DFX(Contiguous, x);
    const op::Shape& shape = x->GetViewShape();
    if (op::IsContiguous(x)) {
        const bool plain = x->GetStorageShape() == shape && x->GetOriginalShape() == shape;
        return plain ? x : executor->CreateView(x, shape, x->GetViewOffset());
    }
    if (!op::Validate(x)) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "Contiguous: the tensor's view does not lie inside its storage: %s",
                x->ToString().GetString());
        return nullptr;
    }
    const aclTensor* out = executor->AllocTensor(shape, x->GetDataType(), x->GetStorageFormat());
    return out == nullptr ? nullptr : CopyElements(x, out, executor);
}

const aclTensor* ViewCopy(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor)
{
    if (x == nullptr || y == nullptr || executor == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "ViewCopy: argument [%s] is nullptr",
                x == nullptr ? "x" : (y == nullptr ? "y" : "executor"));
        return nullptr;
    }
    L0_DFX(ViewCopy, x, y);
    if (!CanCopyView(x, y)) {
        return nullptr;
    }
    if (y->IsEmpty()) {
        return y;
    }
    if (op::IsContiguous(x) && op::IsContiguous(y)) {
        if (!x->IsFromWorkspace() && x->GetData() == y->GetData()) {
            executor->AbandonCache(true);
            return y;
        }
        // CANN redirects every contiguous x; a part of a larger tensor would then let the producer write beyond y.
        if (x->IsFromWorkspace() && op::internal::ExecutorPlan::IsWholeStorage(x)) {
            return RedirectTo(x, y, executor);
        }
    } else if (!op::IsContiguous(y) && !op::Validate(y)) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "ViewCopy: y's view does not lie inside its storage: %s",
                y->ToString().GetString());
        return nullptr;
    }
    return CopyElements(x, y, executor);
}

// Declared in the operator repository (conversion/view_copy): elements of srcSize, read and written with the strides
// and offsets given.
const aclTensor* ViewCopy(const aclTensor* y, const op::Shape& dstSize, const op::Strides& dstStride, int64_t dstOffset,
                          const aclTensor* x, const op::Shape& srcSize, const op::Strides& srcStride, int64_t srcOffset,
                          aclOpExecutor* executor)
{
    if (x == nullptr || y == nullptr || executor == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "ViewCopy: argument [%s] is nullptr",
                x == nullptr ? "x" : (y == nullptr ? "y" : "executor"));
        return nullptr;
    }
    L0_DFX(ViewCopy, y, dstSize, dstOffset, x, srcSize, srcOffset);
    if (dstSize != srcSize || dstStride.size() != dstSize.GetDimNum() || srcStride.size() != srcSize.GetDimNum() ||
        x->GetDataType() != y->GetDataType()) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID,
                "ViewCopy: expected equal sizes, a stride for every dim and one data type, got %s to %s of %s and %s",
                op::ToString(srcSize).GetString(), op::ToString(dstSize).GetString(), x->ToString().GetString(),
                y->ToString().GetString());
        return nullptr;
    }
    // A view from the first element on: its operand reaches to the end of the storage.
    const auto from = [executor](const aclTensor* tensor, int64_t offset) {
        return executor->CreateView(tensor, op::Shape({tensor->Size() - offset}), offset);
    };
    const aclTensor* to = from(y, dstOffset);
    const aclTensor* source = from(x, srcOffset);
    if (to == nullptr || source == nullptr) {
        return nullptr;
    }
    const aclnnStatus status = executor->Plan().AddCopy(to, dstStride, source, srcStride, srcSize);
    return status == ACLNN_SUCCESS ? y : nullptr;
}

// The same with sizes, strides and offsets as tensors, which have to be of the host.
const aclTensor* ViewCopy(const aclTensor* y, const aclTensor* dstSize, const aclTensor* dstStride,
                          const aclTensor* dstOffset, const aclTensor* x, const aclTensor* srcSize,
                          const aclTensor* srcStride, const aclTensor* srcOffset, aclOpExecutor* executor)
{
    const aclTensor* const given[] = {dstSize, dstStride, dstOffset, srcSize, srcStride, srcOffset};
    for (const aclTensor* tensor : given) {
        if (tensor == nullptr || tensor->GetPlacement() != op::TensorPlacement::kOnHost ||
            tensor->GetDataType() != op::DataType::DT_INT64) {
            OP_LOGE(ACLNN_ERR_PARAM_INVALID,
                    "ViewCopy: expected sizes, strides and offsets as int64 tensors of the host, got %s",
                    tensor == nullptr ? "nullptr" : tensor->ToString().GetString());
            return nullptr;
        }
    }
    if (dstOffset->Numel() != 1 || srcOffset->Numel() != 1) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "ViewCopy: expected offsets of one element, got %lld and %lld elements",
                static_cast<long long>(dstOffset->Numel()), static_cast<long long>(srcOffset->Numel()));
        return nullptr;
    }
    const auto values = [](const aclTensor* tensor) { return static_cast<const int64_t*>(tensor->GetStorageAddr()); };
    const auto fill = [&values](const aclTensor* tensor, auto append) {
        std::for_each(values(tensor), values(tensor) + tensor->Numel(), append);
    };
    op::Shape toSize;
    op::Shape fromSize;
    op::Strides toStride;
    op::Strides fromStride;
    fill(dstSize, [&toSize](int64_t dim) { toSize.AppendDim(dim); });
    fill(srcSize, [&fromSize](int64_t dim) { fromSize.AppendDim(dim); });
    fill(dstStride, [&toStride](int64_t stride) { toStride.push_back(stride); });
    fill(srcStride, [&fromStride](int64_t stride) { fromStride.push_back(stride); });
    return ViewCopy(y, toSize, toStride, *values(dstOffset), x, fromSize, fromStride, *values(srcOffset), executor);
}

const aclTensor* PickViewAsContiguous(const aclTensor* x, aclOpExecutor* executor)
{
    L0_DFX(PickViewAsContiguous, x);
    if (!op::CanPickViewAsContiguous(x)) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "PickViewAsContiguous: expected a permutation of a dense block, got %s",
                x->ToString().GetString());
        return nullptr;
    }
    return executor->CreateView(x, x->GetViewShape(), x->GetViewOffset());
}

const aclTensor* ReViewToOut(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor)
{
    L0_DFX(ReViewToOut, x, y);
    if (!op::CanPickViewAsContiguous(y) || y->IsFromWorkspace()) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID,
                "ReViewToOut: expected y to be a tensor of the caller and a permutation of a dense block, got %s",
                y->ToString().GetString());
        return nullptr;
    }
    return RedirectTo(x, y, executor);
}

const aclTensor* TransData(const aclTensor* x, op::Format dstPrimaryFormat, int64_t, aclOpExecutor*)
{
    if (x == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "TransData: argument [x] is nullptr");
        return nullptr;
    }
    if (x->GetStorageFormat() != dstPrimaryFormat) {
        OP_LOGE(
            ACLNN_ERR_PARAM_INVALID,
            "TransData from %s to %s: not implemented by hostcann: private formats are not modelled; take a road that "
            "keeps ND, NCHW or NCDHW",
            op::ToString(x->GetStorageFormat()).GetString(), op::ToString(dstPrimaryFormat).GetString());
        return nullptr;
    }
    return x;
}

const aclTensor* TransDataSpecial(const aclTensor* x, op::Format dstPrimaryFormat, int64_t groups,
                                  aclOpExecutor* executor)
{
    return TransData(x, dstPrimaryFormat, groups, executor);
}

const aclTensor* ReFormat(const aclTensor* x, const op::Format& format, aclOpExecutor* executor)
{
    if (x == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "ReFormat: argument [x] is nullptr");
        return nullptr;
    }
    size_t rank = 0; // 0: any
    switch (format) {
        case op::Format::FORMAT_NCHW:
        case op::Format::FORMAT_NHWC:
        case op::Format::FORMAT_HWCN:
            rank = 4;
            break;
        case op::Format::FORMAT_NCDHW:
        case op::Format::FORMAT_NDHWC:
            rank = 5;
            break;
        case op::Format::FORMAT_NCL:
            rank = 3;
            break;
        case op::Format::FORMAT_NC:
            rank = 2;
            break;
        default:
            break;
    }
    if (rank != 0 && rank != x->GetViewShape().GetDimNum()) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "ReFormat: format %s: expected %zu dims, got shape %s",
                op::ToString(format).GetString(), rank, op::ToString(x->GetViewShape()).GetString());
        return nullptr;
    }
    aclTensor* target = executor == nullptr ? const_cast<aclTensor*>(x) :
                                              executor->CreateView(x, x->GetViewShape(), x->GetViewOffset());
    if (target != nullptr) {
        target->SetViewFormat(format);
        target->SetOriginalFormat(format);
        target->SetStorageFormat(format);
    }
    return target;
}

} // namespace l0op

namespace op {

const aclTensor* CopyToNpu(const aclTensor* src, aclOpExecutor* executor)
{
    if (src == nullptr || executor == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "CopyToNpu: argument [%s] is nullptr", src == nullptr ? "src" : "executor");
        return nullptr;
    }
    executor->AbandonCache(true); // CANN cannot repeat copies from the host
    const aclTensor* out = executor->AllocTensor(src->GetViewShape(), src->GetDataType(), src->GetStorageFormat());
    return out == nullptr ? nullptr : CopyElements(src, out, executor);
}

const aclTensor* CopyToNpuSync(const aclTensor* src, aclOpExecutor* executor)
{
    if (src == nullptr || executor == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "CopyToNpuSync: argument [%s] is nullptr",
                src == nullptr ? "src" : "executor");
        return nullptr;
    }
    if (src->GetPlacement() != TensorPlacement::kOnHost) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "CopyToNpuSync: expected a tensor on the host (AllocHostTensor), got %s",
                src->ToString().GetString());
        return nullptr;
    }
    executor->AbandonCache(true);
    aclTensor* out = executor->AllocTensor(src->GetViewShape(), src->GetDataType(), src->GetStorageFormat());
    const int64_t bytes = CalcShapeBytes(src->Numel(), src->GetDataType());
    if (out == nullptr || bytes <= 0) {
        return out;
    }
    void* memory = nullptr;
    aclError status = aclrtMalloc(&memory, static_cast<size_t>(bytes), ACL_MEM_MALLOC_HUGE_FIRST);
    if (status == ACL_SUCCESS) {
        status = aclrtMemcpy(memory, static_cast<size_t>(bytes), src->GetData(), static_cast<size_t>(bytes),
                             ACL_MEMCPY_HOST_TO_DEVICE);
    }
    if (status != ACL_SUCCESS) {
        OP_LOGE(ACLNN_ERR_INNER, "CopyToNpuSync: a copy of %lld bytes to the device failed with %d",
                static_cast<long long>(bytes), status);
        (void)aclrtFree(memory);
        return nullptr;
    }
    out->SetFromWorkspace(false);
    out->SetStorageAddr(memory);
    return out;
}

aclnnStatus CopyNpuToNpu(const aclTensor* src, const aclTensor* dst, aclOpExecutor* executor)
{
    OP_CHECK_NOTNULL(src);
    OP_CHECK_NOTNULL(dst);
    OP_CHECK_NOTNULL(executor);
    if (src->Numel() != dst->Numel() || src->GetDataType() != dst->GetDataType() || !IsContiguous(src) ||
        !IsContiguous(dst)) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID,
                "CopyNpuToNpu: expected contiguous tensors of one type and size, got %s and %s",
                src->ToString().GetString(), dst->ToString().GetString());
        return ACLNN_ERR_PARAM_INVALID;
    }
    const Shape flat({src->Numel()});
    const Strides ones = RowMajor(flat);
    return executor->Plan().AddCopy(dst, ones, src, ones, flat);
}

} // namespace op
