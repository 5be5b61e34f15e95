// Contiguous tensors, one element after the other: results are those of the type's own arithmetic, half and bfloat16 by
// way of float.
#include "builtin_ops.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "builtin_parts.h"
#include "builtin_types.h"
#include "opdev/data_type_utils.h"

namespace op {
namespace internal {
namespace {

// 64-bit integers wrap, too.
template <typename Number, typename Apply>
Number Wrapping(Number a, Number b, Apply apply)
{
    if constexpr (std::is_same<Number, int64_t>::value) {
        return static_cast<int64_t>(apply(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
    } else {
        return apply(a, b);
    }
}

enum class Binary { kAdd, kSub, kMul, kDiv, kMaximum, kMinimum, kAnd, kOr };

template <typename Number>
Number Combine(Binary kind, Number a, Number b)
{
    switch (kind) {
        case Binary::kAdd:
            return Wrapping(a, b, [](auto x, auto y) { return x + y; });
        case Binary::kSub:
            return Wrapping(a, b, [](auto x, auto y) { return x - y; });
        case Binary::kMul:
            return Wrapping(a, b, [](auto x, auto y) { return x * y; });
        case Binary::kDiv:
            if constexpr (std::is_same<Number, int64_t>::value) {
                return b == 0 ? 0 : (b == -1 ? Wrapping(int64_t{0}, a, [](auto x, auto y) { return x - y; }) : a / b);
            } else {
                return a / b;
            }
        case Binary::kMaximum: // a NaN wins
            return a != a || a > b ? a : b;
        case Binary::kMinimum:
            return a != a || a < b ? a : b;
        case Binary::kAnd:
            return static_cast<Number>(a != 0 && b != 0 ? 1 : 0);
        default:
            return static_cast<Number>(a != 0 || b != 0 ? 1 : 0);
    }
}

// Element steps of x along the dims of a result, 0 where x has one element; empty when the shapes do not fit.
std::vector<int64_t> StepsAlong(const Shape& x, const Shape& result)
{
    std::vector<int64_t> steps(result.GetDimNum(), 0);
    int64_t step = 1;
    for (size_t back = 1; back <= x.GetDimNum(); ++back) {
        const int64_t dim = x.GetDim(x.GetDimNum() - back);
        if (back > steps.size() || (dim != 1 && dim != result.GetDim(steps.size() - back))) {
            return {};
        }
        steps[steps.size() - back] = dim == 1 ? 0 : step;
        step *= dim;
    }
    return steps;
}

aclnnStatus Fill(const OpCall& call, aclOpExecutor* executor, int64_t value)
{
    const aclTensor* out = One(call.outputs, 0);
    if (out == nullptr) {
        return Refuse(call, "expected one output");
    }
    const size_t count = static_cast<size_t>(out->Numel());
    HostFunction function;
    const bool known = WithType(out->GetDataType(), [&](auto access, auto number) {
        function = [access, count, filler = static_cast<decltype(number)>(value)](void* const* at, std::string*) {
            for (size_t i = 0; i < count; ++i) {
                access.Store(at[0], i, filler);
            }
            return ACLNN_SUCCESS;
        };
    });
    return known ? executor->Plan().AddCall(call.opType, std::move(function), {}, call.outputs) :
                   Refuse(call, "no such data type");
}

// `scale` multiplies the second input.
aclnnStatus Elementwise(const OpCall& call, aclOpExecutor* executor, Binary kind, float scale = 1)
{
    const aclTensor* a = One(call.inputs, 0);
    const aclTensor* b = One(call.inputs, 1);
    const aclTensor* out = One(call.outputs, 0);
    if (a == nullptr || b == nullptr || out == nullptr) {
        return Refuse(call, "expected two inputs and one output");
    }
    if (a->GetDataType() != b->GetDataType() || a->GetDataType() != out->GetDataType()) {
        return Refuse(call, "expected tensors of one data type");
    }
    const Shape& shape = out->GetViewShape();
    const std::vector<int64_t> left = StepsAlong(a->GetViewShape(), shape);
    const std::vector<int64_t> right = StepsAlong(b->GetViewShape(), shape);
    if (left.size() != shape.GetDimNum() || right.size() != shape.GetDimNum()) {
        return Refuse(call, "the inputs do not broadcast to the output's shape");
    }
    HostFunction function;
    const bool known = WithType(out->GetDataType(), [&](auto access, auto number) {
        const auto factor = static_cast<decltype(number)>(scale);
        function = [=, dims = DimsOf(shape)](void* const* at, std::string*) {
            ForEach(dims, [&](size_t i, const std::vector<int64_t>& position) {
                const auto second = Combine(Binary::kMul, access.Load(at[1], Offset(position, right)), factor);
                access.Store(at[2], i, Combine(kind, access.Load(at[0], Offset(position, left)), second));
            });
            return ACLNN_SUCCESS;
        };
    });
    return known ? executor->Plan().AddCall(call.opType, std::move(function), call.inputs, call.outputs) :
                   Refuse(call, "no such data type");
}

aclnnStatus Unary(const OpCall& call, aclOpExecutor* executor, float (*apply)(float))
{
    const aclTensor* x = One(call.inputs, 0);
    const aclTensor* out = One(call.outputs, 0);
    if (x == nullptr || out == nullptr || x->GetDataType() != out->GetDataType() || x->Numel() != out->Numel()) {
        return Refuse(call, "expected a tensor and an output of its data type and size");
    }
    HostFunction function;
    const bool known = WithType(x->GetDataType(), [&](auto access, auto number) {
        function = [=, count = static_cast<size_t>(x->Numel())](void* const* at, std::string*) {
            for (size_t i = 0; i < count; ++i) {
                access.Store(at[1], i, static_cast<decltype(number)>(apply(static_cast<float>(access.Load(at[0], i)))));
            }
            return ACLNN_SUCCESS;
        };
    });
    return known ? executor->Plan().AddCall(call.opType, std::move(function), call.inputs, call.outputs) :
                   Refuse(call, "no such data type");
}

// Reduces over the dims that the output does not have or has as 1; the axes' values have shaped it already. A mean is
// a sum over the number of its elements.
aclnnStatus Reduce(const OpCall& call, aclOpExecutor* executor, Binary kind, bool mean = false)
{
    const aclTensor* x = One(call.inputs, 0);
    const aclTensor* axes = One(call.inputs, 1);
    const aclTensor* out = One(call.outputs, 0);
    if (x == nullptr || axes == nullptr || out == nullptr || x->GetDataType() != out->GetDataType()) {
        return Refuse(call, "expected a tensor, its axes and an output of its data type");
    }
    if (axes->GetPlacement() != TensorPlacement::kOnHost || axes->GetDataType() != DataType::DT_INT64) {
        return Refuse(call, "expected axes of int64 on the host");
    }
    const std::vector<int64_t> dims = DimsOf(x->GetViewShape());
    const bool keepsAll = Attribute(call, 1, 0) != 0; // noop_with_empty_axes
    std::vector<bool> reduced(dims.size(), axes->Numel() == 0 && !keepsAll);
    for (int64_t i = 0; i < axes->Numel(); ++i) {
        const int64_t given = static_cast<const int64_t*>(axes->GetData())[i];
        const int64_t axis = given < 0 ? given + static_cast<int64_t>(dims.size()) : given;
        if (axis < 0 || axis >= static_cast<int64_t>(dims.size())) {
            return Refuse(call, "an axis is out of range");
        }
        reduced[static_cast<size_t>(axis)] = true;
    }
    std::vector<int64_t> steps(dims.size(), 0);
    int64_t count = 1;
    for (size_t d = dims.size(); d-- > 0;) {
        steps[d] = reduced[d] ? 0 : count;
        count *= reduced[d] ? 1 : dims[d];
    }
    const int64_t divisor = mean && count > 0 ? x->Numel() / count : 1;
    if (count != out->Numel()) {
        return Refuse(call, "the output has another number of elements than the reduced tensor");
    }
    HostFunction function;
    const bool known = WithType(x->GetDataType(), [&](auto access, auto number) {
        function = [=](void* const* at, std::string*) {
            std::vector<decltype(number)> result(static_cast<size_t>(count));
            std::vector<bool> started(result.size(), false);
            ForEach(dims, [&](size_t i, const std::vector<int64_t>& position) {
                const size_t to = Offset(position, steps);
                const auto value = access.Load(at[0], i);
                result[to] = started[to] ? Combine(kind, result[to], value) : value;
                started[to] = true;
            });
            for (size_t i = 0; i < result.size(); ++i) {
                access.Store(at[2], i, divisor > 1 ? result[i] / static_cast<decltype(number)>(divisor) : result[i]);
            }
            return ACLNN_SUCCESS;
        };
    });
    return known ? executor->Plan().AddCall(call.opType, std::move(function), call.inputs, call.outputs) :
                   Refuse(call, "no such data type");
}

// Zeros, or the value of input 2, around the tensor; before and after every dim as many as input 1 says.
aclnnStatus Pad(const OpCall& call, aclOpExecutor* executor)
{
    const aclTensor* x = One(call.inputs, 0);
    const aclTensor* paddings = One(call.inputs, 1);
    const aclTensor* filler = One(call.inputs, 2);
    const aclTensor* out = One(call.outputs, 0);
    if (x == nullptr || paddings == nullptr || out == nullptr || x->GetDataType() != out->GetDataType()) {
        return Refuse(call, "expected a tensor, its paddings and an output of its data type");
    }
    if (!call.attrs->args.empty() && call.attrs->args[0].type == OpArgType::OPARG_STRING &&
        call.attrs->args[0].text != "constant") {
        return Refuse(call, "only the mode constant is there");
    }
    const bool wide = paddings->GetDataType() == DataType::DT_INT64;
    if (paddings->GetPlacement() != TensorPlacement::kOnHost ||
        (!wide && paddings->GetDataType() != DataType::DT_INT32)) {
        return Refuse(call, "expected paddings of int32 or int64 on the host");
    }
    const std::vector<int64_t> dims = DimsOf(x->GetViewShape());
    const std::vector<int64_t> target = DimsOf(out->GetViewShape());
    if (paddings->Numel() != 2 * static_cast<int64_t>(dims.size()) || target.size() != dims.size()) {
        return Refuse(call, "expected two paddings for every dim");
    }
    std::vector<int64_t> before;
    for (size_t d = 0; d < dims.size(); ++d) {
        const auto value = [&](size_t i) {
            return wide ? static_cast<const int64_t*>(paddings->GetData())[i] :
                          static_cast<const int32_t*>(paddings->GetData())[i];
        };
        before.push_back(value(2 * d));
        if (before[d] < 0 || value(2 * d + 1) < 0 || before[d] + dims[d] + value(2 * d + 1) != target[d]) {
            return Refuse(call, "paddings, input and output do not fit each other");
        }
    }
    std::vector<int64_t> steps(dims.size(), 1);
    for (size_t d = dims.size(); d-- > 1;) {
        steps[d - 1] = steps[d] * dims[d];
    }
    const size_t size = TypeSize(x->GetDataType());
    const bool given = filler != nullptr;
    std::vector<TensorArg> inputs = {call.inputs[0]};
    if (given) {
        inputs.push_back(call.inputs[2]);
    }
    HostFunction function = [=](void* const* at, std::string*) {
        const auto* from = static_cast<const uint8_t*>(at[0]);
        auto* to = static_cast<uint8_t*>(at[given ? 2 : 1]);
        const std::vector<uint8_t> zeros(size, 0);
        const uint8_t* outside = given ? static_cast<const uint8_t*>(at[1]) : zeros.data();
        ForEach(target, [&](size_t i, const std::vector<int64_t>& position) {
            bool inside = true;
            int64_t offset = 0;
            for (size_t d = 0; d < dims.size(); ++d) {
                const int64_t place = position[d] - before[d];
                inside = inside && place >= 0 && place < dims[d];
                offset += place * steps[d];
            }
            const uint8_t* element = inside ? from + static_cast<size_t>(offset) * size : outside;
            std::copy(element, element + size, to + i * size);
        });
        return ACLNN_SUCCESS;
    };
    return executor->Plan().AddCall(call.opType, std::move(function), inputs, call.outputs);
}

using Launch = std::function<aclnnStatus(const OpCall&, aclOpExecutor*)>;

const std::map<std::string, Launch>& Builtins()
{
    const auto fill = [](int64_t value) {
        return [value](const OpCall& call, aclOpExecutor* executor) { return Fill(call, executor, value); };
    };
    const auto binary = [](Binary kind) {
        return [kind](const OpCall& call, aclOpExecutor* executor) { return Elementwise(call, executor, kind); };
    };
    const auto reduce = [](Binary kind, bool mean = false) {
        return [=](const OpCall& call, aclOpExecutor* executor) { return Reduce(call, executor, kind, mean); };
    };
    const auto unary = [](float (*apply)(float)) {
        return [apply](const OpCall& call, aclOpExecutor* executor) { return Unary(call, executor, apply); };
    };
    const auto axpy = [](const OpCall& call, aclOpExecutor* executor) {
        const float alpha = call.attrs->args.empty() ? 1 : call.attrs->args[0].real32;
        return Elementwise(call, executor, Binary::kAdd, alpha);
    };
    static const std::map<std::string, Launch> builtins = {
        {"ZerosLike", fill(0)},
        {"OnesLike", fill(1)},
        {"Add", binary(Binary::kAdd)},
        {"Sub", binary(Binary::kSub)},
        {"Mul", binary(Binary::kMul)},
        {"Div", binary(Binary::kDiv)},
        {"RealDiv", binary(Binary::kDiv)},
        {"Axpy", axpy},
        {"Abs", unary([](float x) { return std::fabs(x); })},
        {"Sigmoid", unary([](float x) { return 1 / (1 + std::exp(-x)); })},
        {"Maximum", binary(Binary::kMaximum)},
        {"Minimum", binary(Binary::kMinimum)},
        {"LogicalAnd", binary(Binary::kAnd)},
        {"LogicalOr", binary(Binary::kOr)},
        {"ReduceMax", reduce(Binary::kMaximum)},
        {"ReduceMin", reduce(Binary::kMinimum)},
        {"ReduceSum", reduce(Binary::kAdd)},
        {"ReduceProd", reduce(Binary::kMul)},
        {"ReduceMean", reduce(Binary::kAdd, true)},
        {"Sort", LaunchSort},
        {"GatherV2", LaunchGather},
        {"Cumsum", LaunchCumsum},
        {"Pad", Pad},
        {"PadV3", Pad},
    };
    return builtins;
}

} // namespace

bool LaunchBuiltin(const OpCall& call, aclOpExecutor* executor, aclnnStatus* status)
{
    const auto found = Builtins().find(call.opType);
    if (found == Builtins().end()) {
        return false;
    }
    *status = found->second(call, executor);
    return true;
}

} // namespace internal
} // namespace op
