// What the operators that run on the host share: positions in tensors, their operands, refusals.
#ifndef HOSTCANN_NNOPBASE_BUILTIN_PARTS_H
#define HOSTCANN_NNOPBASE_BUILTIN_PARTS_H

#include <vector>

#include "op_impl.h"
#include "opdev/op_executor.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"

namespace op {
namespace internal {

// Calls visit(flat index, position) for every element of a shape.
template <typename Visit>
void ForEach(const std::vector<int64_t>& dims, Visit visit)
{
    int64_t count = 1;
    for (const int64_t dim : dims) {
        count *= dim;
    }
    std::vector<int64_t> at(dims.size(), 0);
    for (int64_t i = 0; i < count; ++i) {
        visit(static_cast<size_t>(i), at);
        for (size_t d = dims.size(); d-- > 0 && ++at[d] == dims[d];) {
            at[d] = 0;
        }
    }
}

inline size_t Offset(const std::vector<int64_t>& at, const std::vector<int64_t>& steps)
{
    int64_t offset = 0;
    for (size_t d = 0; d < at.size(); ++d) {
        offset += at[d] * steps[d];
    }
    return static_cast<size_t>(offset);
}

inline std::vector<int64_t> DimsOf(const Shape& shape)
{
    std::vector<int64_t> dims;
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        dims.push_back(shape.GetDim(i));
    }
    return dims;
}

inline const aclTensor* One(const std::vector<TensorArg>& args, size_t index)
{
    return index < args.size() && args[index].tensors.size() == 1 ? args[index].tensors[0] : nullptr;
}

// What a launch is refused with; `what` completes "<op>: ".
inline aclnnStatus Refuse(const OpCall& call, const char* what)
{
    OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s on the host: %s", call.opType.c_str(), what);
    return ACLNN_ERR_PARAM_INVALID;
}

// The value of an attribute that is a number or a truth value; `other` where it was not given.
inline int64_t Attribute(const OpCall& call, size_t index, int64_t other)
{
    return index < call.attrs->args.size() ? call.attrs->args[index].integer : other;
}

// Sort, GatherV2 and Cumsum.
aclnnStatus LaunchSort(const OpCall& call, aclOpExecutor* executor);
aclnnStatus LaunchGather(const OpCall& call, aclOpExecutor* executor);
aclnnStatus LaunchCumsum(const OpCall& call, aclOpExecutor* executor);

} // namespace internal
} // namespace op
#endif // HOSTCANN_NNOPBASE_BUILTIN_PARTS_H
