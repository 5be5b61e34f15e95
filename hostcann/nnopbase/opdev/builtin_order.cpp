// Operators along one dimension.
#include <algorithm>
#include <numeric>

#include "builtin_parts.h"
#include "builtin_types.h"
#include "opdev/data_type_utils.h"

namespace op {
namespace internal {
namespace {

// A tensor as [before, length, after] around one dimension.
struct Line {
    int64_t before = 1;
    int64_t length = 1;
    int64_t after = 1;
};

// False when there is no such dimension.
bool Along(const Shape& shape, int64_t dim, Line* line)
{
    const std::vector<int64_t> dims = DimsOf(shape);
    const auto rank = static_cast<int64_t>(dims.size());
    const int64_t at = dim < 0 ? dim + rank : dim;
    if (rank == 0) {
        return dim == 0 || dim == -1;
    }
    if (at < 0 || at >= rank) {
        return false;
    }
    for (int64_t d = 0; d < rank; ++d) {
        (d < at ? line->before : d == at ? line->length : line->after) *= dims[static_cast<size_t>(d)];
    }
    return true;
}

// A number that an input of one element holds on the host.
bool Number(const aclTensor* tensor, int64_t* value)
{
    if (tensor == nullptr || tensor->GetPlacement() != TensorPlacement::kOnHost || tensor->Numel() != 1) {
        return false;
    }
    return WithType(tensor->GetDataType(),
                    [&](auto access, auto) { *value = static_cast<int64_t>(access.Load(tensor->GetData(), 0)); });
}

} // namespace

// A NaN is larger than every number; equal elements keep their order.
aclnnStatus LaunchSort(const OpCall& call, aclOpExecutor* executor)
{
    const aclTensor* x = One(call.inputs, 0);
    const aclTensor* values = One(call.outputs, 0);
    const aclTensor* places = One(call.outputs, 1);
    Line line;
    if (x == nullptr || values == nullptr || places == nullptr || x->GetDataType() != values->GetDataType() ||
        x->Numel() != values->Numel() || x->Numel() != places->Numel()) {
        return Refuse(call, "expected a tensor, values of its data type and indices, all of one size");
    }
    if (!Along(x->GetViewShape(), Attribute(call, 0, -1), &line)) {
        return Refuse(call, "the dimension is out of range");
    }
    const bool descending = Attribute(call, 1, 0) != 0;
    HostFunction function;
    const bool known = WithType(x->GetDataType(), [&](auto access, auto) {
        return WithType(places->GetDataType(), [&](auto places_access, auto index) {
            function = [=](void* const* at, std::string*) {
                std::vector<int64_t> order(static_cast<size_t>(line.length));
                for (int64_t row = 0; row < line.before * line.after; ++row) {
                    const int64_t first = row / line.after * line.length * line.after + row % line.after;
                    const auto place = [&](int64_t i) { return static_cast<size_t>(first + i * line.after); };
                    const auto less = [&](int64_t a, int64_t b) {
                        const auto left = access.Load(at[0], place(a));
                        const auto right = access.Load(at[0], place(b));
                        return left < right || (left == left && right != right);
                    };
                    std::iota(order.begin(), order.end(), 0);
                    std::stable_sort(order.begin(), order.end(),
                                     [&](int64_t a, int64_t b) { return descending ? less(b, a) : less(a, b); });
                    for (int64_t i = 0; i < line.length; ++i) {
                        const int64_t from = order[static_cast<size_t>(i)];
                        access.Store(at[1], place(i), access.Load(at[0], place(from)));
                        places_access.Store(at[2], place(i), static_cast<decltype(index)>(from));
                    }
                }
                return ACLNN_SUCCESS;
            };
        });
    });
    return known && function ? executor->Plan().AddCall(call.opType, std::move(function), call.inputs, call.outputs) :
                               Refuse(call, "no such data type");
}

aclnnStatus LaunchGather(const OpCall& call, aclOpExecutor* executor)
{
    const aclTensor* x = One(call.inputs, 0);
    const aclTensor* indices = One(call.inputs, 1);
    const aclTensor* out = One(call.outputs, 0);
    int64_t axis = 0;
    Line line;
    if (x == nullptr || indices == nullptr || out == nullptr || x->GetDataType() != out->GetDataType()) {
        return Refuse(call, "expected a tensor, indices, an axis and an output of the tensor's data type");
    }
    if (!Number(One(call.inputs, 2), &axis) || !Along(x->GetViewShape(), axis, &line)) {
        return Refuse(call, "expected an axis on the host that the tensor has");
    }
    if (Attribute(call, 0, 0) != 0 || out->Numel() != line.before * indices->Numel() * line.after) {
        return Refuse(call, "expected no batch dimensions and an output of one slice for each index");
    }
    const bool wide = indices->GetDataType() == DataType::DT_INT64;
    if (!wide && indices->GetDataType() != DataType::DT_INT32) {
        return Refuse(call, "expected indices of int32 or int64");
    }
    const size_t bytes = static_cast<size_t>(line.after) * TypeSize(x->GetDataType());
    HostFunction function = [=, count = indices->Numel()](void* const* at, std::string* why) {
        const auto* from = static_cast<const uint8_t*>(at[0]);
        auto* to = static_cast<uint8_t*>(at[2]);
        for (int64_t row = 0; row < line.before; ++row) {
            for (int64_t i = 0; i < count; ++i, to += bytes) {
                const int64_t given = wide ? static_cast<const int64_t*>(at[1])[i] :
                                             static_cast<const int32_t*>(at[1])[i];
                const int64_t index = given < 0 ? given + line.length : given;
                if (index < 0 || index >= line.length) {
                    *why = "index " + std::to_string(given) + " is outside of a dimension of " +
                           std::to_string(line.length);
                    return ACLNN_ERR_PARAM_INVALID;
                }
                std::copy_n(from + static_cast<size_t>(row * line.length + index) * bytes, bytes, to);
            }
        }
        return ACLNN_SUCCESS;
    };
    return executor->Plan().AddCall(call.opType, std::move(function), {call.inputs[0], call.inputs[1]}, call.outputs);
}

aclnnStatus LaunchCumsum(const OpCall& call, aclOpExecutor* executor)
{
    const aclTensor* x = One(call.inputs, 0);
    const aclTensor* out = One(call.outputs, 0);
    int64_t axis = 0;
    Line line;
    if (x == nullptr || out == nullptr || x->GetDataType() != out->GetDataType() || x->Numel() != out->Numel()) {
        return Refuse(call, "expected a tensor, an axis and an output of the tensor's data type and size");
    }
    if (!Number(One(call.inputs, 1), &axis) || !Along(x->GetViewShape(), axis, &line)) {
        return Refuse(call, "expected an axis on the host that the tensor has");
    }
    const bool exclusive = Attribute(call, 0, 0) != 0;
    const bool reverse = Attribute(call, 1, 0) != 0;
    HostFunction function;
    const bool known = WithType(x->GetDataType(), [&](auto access, auto number) {
        function = [=](void* const* at, std::string*) {
            for (int64_t row = 0; row < line.before * line.after; ++row) {
                const int64_t first = row / line.after * line.length * line.after + row % line.after;
                decltype(number) sum = 0;
                for (int64_t step = 0; step < line.length; ++step) {
                    const int64_t i = reverse ? line.length - 1 - step : step;
                    const auto place = static_cast<size_t>(first + i * line.after);
                    const decltype(number) next = sum + access.Load(at[0], place);
                    access.Store(at[1], place, exclusive ? sum : next);
                    sum = next;
                }
            }
            return ACLNN_SUCCESS;
        };
    });
    return known ? executor->Plan().AddCall(call.opType, std::move(function), {call.inputs[0]}, call.outputs) :
                   Refuse(call, "no such data type");
}

} // namespace internal
} // namespace op
