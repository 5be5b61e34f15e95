// l0op helpers that only add or drop dims of size 1; declared in the operator repository (conversion/squeeze,
// unsqueeze).
#include <vector>

#include "opdev/op_executor.h"
#include "opdev/shape_utils.h"
#include "opdev/tensor_view_utils.h"

namespace {

// Marks the dims of a rank that `dims` names. False and a reported error when one is out of range.
bool MarkDims(const char* function, const aclTensor* x, const aclIntArray* dims, size_t rank, std::vector<bool>* marked,
              bool once)
{
    marked->assign(rank, false);
    for (uint64_t i = 0; i < dims->Size(); ++i) {
        const int64_t given = (*dims)[i];
        const int64_t dim = given < 0 ? given + static_cast<int64_t>(rank) : given;
        if (dim < 0 || dim >= static_cast<int64_t>(rank) || (once && (*marked)[static_cast<size_t>(dim)])) {
            OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: expected %sdims of a rank of %zu, got %s for shape %s", function,
                    once ? "different " : "", rank, ToString(dims).GetString(),
                    op::ToString(x->GetViewShape()).GetString());
            return false;
        }
        (*marked)[static_cast<size_t>(dim)] = true;
    }
    return true;
}

bool Usable(const char* function, const aclTensor* x, const aclIntArray* dim, const aclOpExecutor* executor)
{
    if (x == nullptr || dim == nullptr || executor == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "%s: an argument is nullptr, expected objects", function);
        return false;
    }
    if (!op::IsContiguous(x)) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: expected a contiguous tensor, got %s", function,
                x->ToString().GetString());
        return false;
    }
    return true;
}

} // namespace

namespace l0op {

// Dims that are not 1 stay; no dims means all of size 1.
const aclTensor* SqueezeNd(const aclTensor* x, const aclIntArray* dim, aclOpExecutor* executor)
{
    if (!Usable("SqueezeNd", x, dim, executor)) {
        return nullptr;
    }
    const op::Shape& shape = x->GetViewShape();
    std::vector<bool> drop;
    if (!MarkDims("SqueezeNd", x, dim, shape.GetDimNum(), &drop, false)) {
        return nullptr;
    }
    op::Shape target;
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        if (shape.GetDim(i) != 1 || !(drop[i] || dim->Size() == 0)) {
            target.AppendDim(shape.GetDim(i));
        }
    }
    return executor->CreateView(x, target, x->GetViewOffset());
}

const aclTensor* SqueezeNd(const aclTensor* x, int64_t dim, aclOpExecutor* executor)
{
    return SqueezeNd(x, executor == nullptr ? nullptr : executor->AllocIntArray(&dim, 1), executor);
}

// `dim` are positions in the result.
const aclTensor* UnsqueezeNd(const aclTensor* x, const aclIntArray* dim, aclOpExecutor* executor)
{
    if (!Usable("UnsqueezeNd", x, dim, executor)) {
        return nullptr;
    }
    if (dim->Size() == 0) {
        return x;
    }
    const op::Shape& shape = x->GetViewShape();
    std::vector<bool> added;
    if (!MarkDims("UnsqueezeNd", x, dim, shape.GetDimNum() + dim->Size(), &added, true)) {
        return nullptr;
    }
    op::Shape target;
    size_t from = 0;
    for (const bool isNew : added) {
        target.AppendDim(isNew ? 1 : shape.GetDim(from++));
    }
    return executor->CreateView(x, target, x->GetViewOffset());
}

const aclTensor* UnsqueezeNd(const aclTensor* x, int64_t dim, aclOpExecutor* executor)
{
    return UnsqueezeNd(x, executor == nullptr ? nullptr : executor->AllocIntArray(&dim, 1), executor);
}

} // namespace l0op
