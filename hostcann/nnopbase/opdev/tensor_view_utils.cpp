#include "opdev/tensor_view_utils.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "opdev/format_utils.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"

namespace op {
namespace {

bool IsRowMajor(const Shape& shape, const Strides& strides)
{
    int64_t expected = 1;
    for (size_t i = strides.size(); i > 0; --i) {
        if (shape.GetDim(i - 1) == 1) {
            continue;
        }
        if (strides[i - 1] != expected) {
            return false;
        }
        expected *= shape.GetDim(i - 1);
    }
    return true;
}

} // namespace

bool IsContiguous(const aclTensor* tensor)
{
    if (tensor == nullptr || IsPrivateFormat(tensor->GetStorageFormat())) {
        return true;
    }
    const int64_t count = tensor->Numel();
    return count == 0 || count == 1 || IsRowMajor(tensor->GetViewShape(), tensor->GetViewStrides());
}

bool CanPickViewAsContiguous(const aclTensor* tensor)
{
    const Shape& shape = tensor->GetViewShape();
    const Strides& strides = tensor->GetViewStrides();
    if (IsRowMajor(shape, strides)) {
        return true;
    }
    std::vector<std::pair<int64_t, int64_t>> dims; // stride, size
    for (size_t i = 0; i < strides.size(); ++i) {
        if (shape.GetDim(i) != 1) {
            dims.emplace_back(strides[i], shape.GetDim(i));
        }
    }
    std::sort(dims.begin(), dims.end());
    int64_t expected = 1;
    for (const auto& [stride, size] : dims) {
        if (stride != expected) {
            return false;
        }
        expected *= size;
    }
    return true;
}

bool CanPickViewAsContiguous(std::initializer_list<const aclTensor*> tensorList)
{
    if (tensorList.size() == 0) {
        return true;
    }
    const aclTensor* first = *tensorList.begin();
    return std::all_of(tensorList.begin(), tensorList.end(),
                       [first](const aclTensor* tensor) {
                           return tensor->GetViewShape() == first->GetViewShape() &&
                                  tensor->GetViewStrides() == first->GetViewStrides();
                       }) &&
           CanPickViewAsContiguous(first);
}

bool Validate(const aclTensor* tensor)
{
    const Shape& shape = tensor->GetViewShape();
    const Strides& strides = tensor->GetViewStrides();
    if (shape.GetDimNum() != strides.size()) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "tensor view: expected as many strides as dims, got shape %s, strides %s",
                ToString(shape).GetString(), ToString(strides).GetString());
        return false;
    }
    int64_t lowest = tensor->GetViewOffset();
    int64_t highest = lowest;
    for (size_t i = 0; i < strides.size(); ++i) {
        const int64_t reach = strides[i] * (shape.GetDim(i) - 1);
        (reach > 0 ? highest : lowest) += reach;
    }
    const int64_t storage = tensor->Size();
    if (lowest < 0 || highest + 1 > storage) {
        OP_LOGE(
            ACLNN_ERR_PARAM_INVALID,
            "ViewShape overlap. Shape %s, strides %s, offset %lld reach elements %lld to %lld; the storage has %lld",
            ToString(shape).GetString(), ToString(strides).GetString(), static_cast<long long>(tensor->GetViewOffset()),
            static_cast<long long>(lowest), static_cast<long long>(highest), static_cast<long long>(storage));
        return false;
    }
    return true;
}

} // namespace op
