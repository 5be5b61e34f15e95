// l0op helpers that change type, shape or the order of elements.
#include <numeric>
#include <vector>

#include "hostcann/l0_functions.h"
#include "executor_plan.h"
#include "hostcann/host_abi.h"
#include "opdev/format_utils.h"
#include "opdev/op_executor.h"
#include "opdev/shape_utils.h"
#include "opdev/tensor_view_utils.h"

namespace {

bool NotNull(const char* function, std::initializer_list<const void*> arguments)
{
    for (const void* argument : arguments) {
        if (argument == nullptr) {
            OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "%s: an argument is nullptr, expected objects", function);
            return false;
        }
    }
    return true;
}

bool IsDenseFor(const char* function, const aclTensor* x)
{
    // A kernel is given the storage shape, so a view that differs from it would be processed wrongly.
    if (op::IsContiguous(x) && x->Size() == x->Numel()) {
        return true;
    }
    OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: expected a contiguous tensor that fills its storage (use Contiguous), got %s",
            function, x->ToString().GetString());
    return false;
}

// A new contiguous tensor of `shape` whose elements are x's, `strides` apart and starting `offset` behind x's first.
const aclTensor* Gather(const aclTensor* x, const op::Shape& shape, const op::Strides& strides, int64_t offset,
                        aclOpExecutor* executor)
{
    const aclTensor* out = executor->AllocTensor(shape, x->GetDataType(), x->GetStorageFormat());
    if (out == nullptr || out->IsEmpty()) {
        return out;
    }
    const aclTensor* from = offset == 0 ?
                                x :
                                executor->CreateView(x, op::Shape({x->Numel() - offset}), x->GetViewOffset() + offset);
    if (from == nullptr) {
        return nullptr;
    }
    const aclnnStatus status = executor->Plan().AddCopy(out, out->GetViewStrides(), from, strides, shape);
    return status == ACLNN_SUCCESS ? out : nullptr;
}

std::string ListOf(const aclIntArray* values) { return ToString(values).GetString(); }

template <typename Alloc>
const aclTensor* CastTo(const char* name, const aclTensor* self, op::DataType dstDtype, aclOpExecutor* executor,
                        Alloc alloc)
{
    if (self->GetDataType() == dstDtype) {
        return self;
    }
    if (hc_cast_supported(static_cast<int32_t>(self->GetDataType()), static_cast<int32_t>(dstDtype)) == 0) {
        OP_LOGE(ACLNN_ERR_INNER, "%s: the device has no cast from %s to %s; go by way of a type it has, e.g. float",
                name, op::ToString(self->GetDataType()).GetString(), op::ToString(dstDtype).GetString());
        return nullptr;
    }
    if (!IsDenseFor(name, self)) {
        return nullptr;
    }
    const aclTensor* out = alloc();
    if (out == nullptr || out->IsEmpty()) {
        return out;
    }
    return executor->Plan().AddCast(out, self) == ACLNN_SUCCESS ? out : nullptr;
}

} // namespace

namespace l0op {

const aclTensor* Cast(const aclTensor* self, op::DataType dstDtype, aclOpExecutor* executor)
{
    if (!NotNull("Cast", {self, executor})) {
        return nullptr;
    }
    L0_DFX(Cast, self, dstDtype);
    return CastTo("Cast", self, dstDtype, executor,
                  [&] { return executor->AllocTensor(self->GetViewShape(), dstDtype, self->GetStorageFormat()); });
}

const aclTensor* CastOnlyForConvBackward(const aclTensor* self, op::DataType dstDtype, aclOpExecutor* executor)
{
    if (!NotNull("CastOnlyForConvBackward", {self, executor})) {
        return nullptr;
    }
    L0_DFX(CastOnlyForConvBackward, self, dstDtype);
    return CastTo("CastOnlyForConvBackward", self, dstDtype, executor, [&] {
        return executor->AllocTensor(self->GetStorageShape(), self->GetViewShape(), dstDtype, self->GetStorageFormat(),
                                     self->GetViewFormat());
    });
}

const aclTensor* Reshape(const aclTensor* x, const op::Shape& shape, aclOpExecutor* executor)
{
    if (!NotNull("Reshape", {x, executor})) {
        return nullptr;
    }
    if (!op::IsContiguous(x) || shape.GetShapeSize() == 0) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID,
                "Reshape: expected a contiguous tensor and a shape with elements, got %s and %s",
                x->ToString().GetString(), op::ToString(shape).GetString());
        return nullptr;
    }
    if (x->GetViewShape() == shape && x->GetStorageShape() == shape && x->GetOriginalShape() == shape) {
        return x;
    }
    op::Shape target = shape;
    int64_t product = 1;
    int64_t open = -1;
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        if (shape.GetDim(i) != -1) {
            product *= shape.GetDim(i);
        } else if (open >= 0) {
            OP_LOGE(ACLNN_ERR_PARAM_INVALID, "Reshape: expected at most one -1 in the shape, got %s",
                    op::ToString(shape).GetString());
            return nullptr;
        } else {
            open = static_cast<int64_t>(i);
        }
    }
    const int64_t count = x->Numel();
    if (open >= 0 && product != 0 && count % product == 0) {
        target.SetDim(static_cast<size_t>(open), count / product);
    } else if (open >= 0 || product != count) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "Reshape: a tensor of shape %s cannot become %s",
                op::ToString(x->GetViewShape()).GetString(), op::ToString(shape).GetString());
        return nullptr;
    }
    const aclTensor* view = executor->CreateView(x, target, x->GetViewOffset());
    const bool sameRank = target.GetDimNum() == x->GetViewShape().GetDimNum();
    return view == nullptr || sameRank ? view : ReFormat(view, op::Format::FORMAT_ND);
}

const aclTensor* Reshape(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor)
{
    if (!NotNull("Reshape", {x, shape, executor})) {
        return nullptr;
    }
    op::Shape target;
    for (uint64_t i = 0; i < shape->Size(); ++i) {
        target.AppendDim((*shape)[i]);
    }
    return Reshape(x, target, executor);
}

const aclTensor* Transpose(const aclTensor* x, const aclIntArray* perm, aclOpExecutor* executor)
{
    if (!NotNull("Transpose", {x, perm, executor}) || !IsDenseFor("Transpose", x)) {
        return nullptr;
    }
    L0_DFX(Transpose, x, perm);
    const op::Shape& shape = x->GetViewShape();
    std::vector<bool> seen(shape.GetDimNum(), false);
    op::Shape target;
    op::Strides strides;
    for (uint64_t i = 0; i < perm->Size(); ++i) {
        const int64_t dim = (*perm)[i];
        if (perm->Size() != seen.size() || dim < 0 || dim >= static_cast<int64_t>(seen.size()) ||
            seen[static_cast<size_t>(dim)]) {
            OP_LOGE(ACLNN_ERR_PARAM_INVALID, "Transpose: expected a permutation of %zu dims, got %s", seen.size(),
                    ListOf(perm).c_str());
            return nullptr;
        }
        seen[static_cast<size_t>(dim)] = true;
        target.AppendDim(shape.GetDim(static_cast<size_t>(dim)));
        strides.push_back(x->GetViewStrides()[static_cast<size_t>(dim)]);
    }
    return Gather(x, target, strides, 0, executor);
}

const aclTensor* Slice(const aclTensor* x, const aclIntArray* offsets, const aclIntArray* size, aclOpExecutor* executor)
{
    if (!NotNull("Slice", {x, offsets, size, executor}) || !IsDenseFor("Slice", x)) {
        return nullptr;
    }
    L0_DFX(Slice, x, offsets, size);
    const op::Shape& shape = x->GetViewShape();
    op::Shape target;
    int64_t start = 0;
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        const bool given = offsets->Size() == shape.GetDimNum() && size->Size() == shape.GetDimNum();
        const int64_t from = given ? (*offsets)[i] : -1;
        const int64_t count = given && (*size)[i] == -1 ? shape.GetDim(i) - from : (given ? (*size)[i] : 0);
        if (from < 0 || count < 0 || from + count > shape.GetDim(i)) {
            OP_LOGE(ACLNN_ERR_PARAM_INVALID, "Slice: offsets %s and sizes %s do not lie inside shape %s",
                    ListOf(offsets).c_str(), ListOf(size).c_str(), op::ToString(shape).GetString());
            return nullptr;
        }
        start += from * x->GetViewStrides()[i];
        target.AppendDim(count);
    }
    return Gather(x, target, x->GetViewStrides(), target.GetShapeSize() == 0 ? 0 : start, executor);
}

// Declared in the operator repository (conversion/broadcast_to).
const aclTensor* BroadcastTo(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor)
{
    if (!NotNull("BroadcastTo", {x, shape, executor}) || !IsDenseFor("BroadcastTo", x)) {
        return nullptr;
    }
    L0_DFX(BroadcastTo, x, shape);
    const op::Shape& from = x->GetViewShape();
    op::Shape target;
    for (uint64_t i = 0; i < shape->Size(); ++i) {
        target.AppendDim((*shape)[i]);
    }
    op::Shape broadcast;
    if (!op::BroadcastInferShape(from, target, broadcast) || broadcast != target) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "BroadcastTo: a tensor of shape %s cannot become %s",
                op::ToString(from).GetString(), op::ToString(target).GetString());
        return nullptr;
    }
    op::Strides strides(target.GetDimNum(), 0);
    const size_t ahead = target.GetDimNum() - from.GetDimNum();
    for (size_t i = ahead; i < target.GetDimNum(); ++i) {
        strides[i] = from.GetDim(i - ahead) == 1 ? 0 : x->GetViewStrides()[i - ahead];
    }
    return Gather(x, target, strides, 0, executor);
}

// Into a tensor of the caller, whose shape it is; `shape` is its tensor form.
const aclTensor* BroadcastTo(const aclTensor* x, const aclTensor* y, const aclTensor* shape, aclOpExecutor* executor)
{
    if (!NotNull("BroadcastTo", {x, y, shape, executor})) {
        return nullptr;
    }
    std::vector<int64_t> target;
    for (size_t i = 0; i < y->GetViewShape().GetDimNum(); ++i) {
        target.push_back(y->GetViewShape().GetDim(i));
    }
    return BroadcastTo(x, executor->AllocIntArray(target.data(), target.size()), executor);
}

// Declared in the operator repository (conversion/fill). `dims` is the tensor form of outShape.
const aclTensor* Fill(const aclTensor* dims, const aclTensor* value, const aclIntArray* outShape,
                      aclOpExecutor* executor)
{
    if (!NotNull("Fill", {dims, value, outShape, executor})) {
        return nullptr;
    }
    L0_DFX(Fill, dims, value, outShape);
    if (value->Numel() != 1) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "Fill: expected a value of one element, got %s",
                value->ToString().GetString());
        return nullptr;
    }
    op::Shape target;
    for (uint64_t i = 0; i < outShape->Size(); ++i) {
        target.AppendDim((*outShape)[i]);
    }
    return Gather(value, target, op::Strides(target.GetDimNum(), 0), 0, executor);
}

} // namespace l0op
