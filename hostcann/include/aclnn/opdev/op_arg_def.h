// Arguments of an L0 launch: OP_INPUT, OP_OUTPUT, OP_ATTR, ... collected into one context.
#ifndef HOSTCANN_OPDEV_OP_ARG_DEF_H
#define HOSTCANN_OPDEV_OP_ARG_DEF_H

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "opdev/common_types.h"
#include "opdev/op_log.h"

namespace op {

enum OpArgDef {
    OP_INPUT_ARG = 0,
    OP_OUTPUT_ARG = 1,
    OP_ATTR_ARG = 2,
    OP_WORKSPACE_ARG = 3,
    OP_OUTSHAPE_ARG = 4,
    OP_OPTION_ARG = 5,
    OP_EXEC_MODE_ARG = 6,
    OP_MEMSET_ARG = 7,
    OP_EMPTY_ARG_DEF = 8,
    OP_ARG_DEF_BUTT = 9,
};

enum class OpArgType {
    OPARG_ACLTENSOR,
    OPARG_ACLTENSOR_LIST,
    OPARG_ACLSCALAR,
    OPARG_STRING,
    OPARG_BOOL,
    OPARG_INT,
    OPARG_UINT,
    OPARG_FLOAT,
    OPARG_DOUBLE,
    OPARG_DATATYPE,
    OPARG_INT_LIST,
    OPARG_UINT_LIST,
    OPARG_FLOAT_LIST,
    OPARG_BOOL_LIST,
    OPARG_IMPLMODE,
    OPARG_MEMSET_WORKSPACE
};

constexpr size_t OP_ARG_TYPE_NUM = OP_EXEC_MODE_ARG + 1;

// One argument. Integers of every width, bool, DataType and OpImplMode are in `integer`; a null tensor is an absent
// optional input.
struct OpArg {
    OpArgType type{OpArgType::OPARG_INT};
    int64_t integer{0};
    float real32{0};
    double real64{0};
    const void* pointer{nullptr};
    std::string text;

    OpArg(std::nullptr_t) : type(OpArgType::OPARG_ACLTENSOR) {}
    OpArg(const aclTensor* value) : type(OpArgType::OPARG_ACLTENSOR), pointer(value) {}
    OpArg(const aclTensorList* value) : type(OpArgType::OPARG_ACLTENSOR_LIST), pointer(value) {}
    OpArg(const aclScalar* value) : type(OpArgType::OPARG_ACLSCALAR), pointer(value) {}
    OpArg(const aclIntArray* value) : type(OpArgType::OPARG_INT_LIST), pointer(value) {}
    OpArg(const aclFloatArray* value) : type(OpArgType::OPARG_FLOAT_LIST), pointer(value) {}
    OpArg(const aclBoolArray* value) : type(OpArgType::OPARG_BOOL_LIST), pointer(value) {}
    OpArg(const std::string& value) : type(OpArgType::OPARG_STRING), text(value) {}
    OpArg(const std::string* value) : OpArg(value == nullptr ? std::string() : *value) {}
    OpArg(const char* value) : OpArg(value == nullptr ? std::string() : std::string(value)) {}
    OpArg(bool value) : type(OpArgType::OPARG_BOOL), integer(value ? 1 : 0) {}
    OpArg(float value) : type(OpArgType::OPARG_FLOAT), real32(value) {}
    OpArg(double value) : type(OpArgType::OPARG_DOUBLE), real64(value) {}
    OpArg(DataType value) : type(OpArgType::OPARG_DATATYPE), integer(static_cast<int64_t>(value)) {}
    OpArg(OpImplMode value) : type(OpArgType::OPARG_IMPLMODE), integer(static_cast<int64_t>(value)) {}
    OpArg(uint32_t value) : type(OpArgType::OPARG_UINT), integer(static_cast<int64_t>(value)) {}
    template <typename T, typename = std::enable_if_t<std::is_integral<T>::value || std::is_enum<T>::value>>
    OpArg(T value) : integer(static_cast<int64_t>(value))
    {
    }
};

struct OpArgList {
    std::vector<OpArg> args;
    bool given{false};

    size_t size() const { return args.size(); }
    OpArg& operator[](size_t i) { return args[i]; }
    const OpArg& operator[](size_t i) const { return args[i]; }
};

struct OpArgContext {
    std::array<OpArgList, OP_ARG_TYPE_NUM> argLists;

    OpArgList* GetOpArg(OpArgDef type)
    {
        return static_cast<size_t>(type) < argLists.size() ? &argLists[static_cast<size_t>(type)] : nullptr;
    }
    bool ContainsOpArgType(OpArgDef type)
    {
        const OpArgList* list = GetOpArg(type);
        return list != nullptr && list->size() > 0;
    }
};

namespace internal {

template <OpArgDef Kind, typename... T>
struct OpArgTuple {
    static constexpr OpArgDef kind = Kind;
    std::tuple<T...> values;
};

struct OpEmptyArg {};

template <OpArgDef Kind, typename... T>
OpArgTuple<Kind, T...> MakeOpArg(std::tuple<T...>&& values)
{
    return {std::move(values)};
}

template <OpArgDef Kind, typename... T>
void AddToContext(OpArgContext& context, const OpArgTuple<Kind, T...>& arg)
{
    OpArgList& list = context.argLists[Kind];
    list.given = true;
    std::apply([&list](const auto&... value) { (list.args.emplace_back(value), ...); }, arg.values);
}

// OP_EMPTY_ARG, and what CANN ignores in a launch as well: OP_ATTR_NAMES, core types.
template <typename T>
void AddToContext(OpArgContext&, const T&)
{
}

} // namespace internal

// The caller owns the context; the launcher functions take it over.
template <typename... Ts>
OpArgContext* GetOpArgContext(const Ts&... ts)
{
    OpArgContext* context = new (std::nothrow) OpArgContext();
    if (context == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER, "out of memory for the arguments of an operator launch");
        return nullptr;
    }
    (internal::AddToContext(*context, ts), ...);
    return context;
}

void DestroyOpArgContext(OpArgContext* ctx);

} // namespace op

#define OP_INPUT(x...) op::internal::MakeOpArg<op::OP_INPUT_ARG>(std::make_tuple(x))
#define OP_OUTPUT(x...) op::internal::MakeOpArg<op::OP_OUTPUT_ARG>(std::make_tuple(x))
#define OP_ATTR(x...) op::internal::MakeOpArg<op::OP_ATTR_ARG>(std::make_tuple(x))
#define OP_WORKSPACE(x...) op::internal::MakeOpArg<op::OP_WORKSPACE_ARG>(std::make_tuple(x))
#define OP_OUTSHAPE(x...) op::internal::MakeOpArg<op::OP_OUTSHAPE_ARG>(std::tuple<aclTensor*, uint64_t>(x))
#define OP_OPTION(x...) op::internal::MakeOpArg<op::OP_OPTION_ARG>(std::make_tuple(x))
#define OP_MODE(x...) op::internal::MakeOpArg<op::OP_EXEC_MODE_ARG>(std::make_tuple(x))
#define OP_EMPTY_ARG op::internal::OpEmptyArg()

#endif // HOSTCANN_OPDEV_OP_ARG_DEF_H
