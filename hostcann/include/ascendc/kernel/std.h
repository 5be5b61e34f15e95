// AscendC::Std: the device has no standard library, kernels write this for it.
#ifndef HOSTCANN_ASCENDC_KERNEL_STD_H
#define HOSTCANN_ASCENDC_KERNEL_STD_H

#include <cstddef>
#include <type_traits>
#include <utility>

#include "ascendc/kernel/macros.h"
#include "ascendc/kernel/scalar_types.h"

namespace AscendC {
namespace Std {

using std::add_const;
using std::add_const_t;
using std::add_cv;
using std::add_cv_t;
using std::add_lvalue_reference;
using std::add_lvalue_reference_t;
using std::add_pointer;
using std::add_pointer_t;
using std::add_rvalue_reference;
using std::add_rvalue_reference_t;
using std::add_volatile;
using std::add_volatile_t;
using std::bool_constant;
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::declval;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::forward;
using std::index_sequence;
using std::integral_constant;
using std::is_array;
using std::is_array_v;
using std::is_base_of;
using std::is_base_of_v;
using std::is_const;
using std::is_const_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_integral;
using std::is_integral_v;
using std::is_pointer;
using std::is_pointer_v;
using std::is_reference;
using std::is_reference_v;
using std::is_same;
using std::is_same_v;
using std::is_void;
using std::is_void_v;
using std::make_index_sequence;
using std::move;
using std::remove_const;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::remove_volatile;
using std::remove_volatile_t;
using std::true_type;

// half counts, as for the device compiler.
template <typename T>
struct is_floating_point
    : bool_constant<std::is_floating_point<T>::value || std::is_same<std::remove_cv_t<T>, half>::value> {};
template <typename T>
constexpr bool is_floating_point_v = is_floating_point<T>::value;

// A size in its type.
template <std::size_t value>
using Int = std::integral_constant<std::size_t, value>;

} // namespace Std
} // namespace AscendC

// tuple: <tuple> of the C++ library would be a fifteenth of what reading kernel_operator.h takes.
namespace AscendC {
namespace Std {

template <typename... Ts>
class tuple;

} // namespace Std

namespace hostcann {

template <std::size_t I, typename T>
struct TupleLeaf {
    [[no_unique_address]] T value;
};

template <typename Indices, typename... Ts>
struct TupleLeaves;
template <std::size_t... I, typename... Ts>
struct TupleLeaves<std::index_sequence<I...>, Ts...> : TupleLeaf<I, Ts>... {
    HOSTCANN_API constexpr TupleLeaves() : TupleLeaf<I, Ts>{}... {}
    template <typename... Us>
    HOSTCANN_API constexpr explicit TupleLeaves(std::in_place_t, Us&&... us)
        : TupleLeaf<I, Ts>{static_cast<Ts>(std::forward<Us>(us))}...
    {
    }
    template <typename... Us>
    HOSTCANN_API constexpr void Take(const Std::tuple<Us...>& other);
};

// The element I, const as the tuple is. A reference stays one.
template <std::size_t I, typename T>
HOSTCANN_API constexpr T& TupleGet(TupleLeaf<I, T>& leaf)
{
    return leaf.value;
}
template <std::size_t I, typename T>
HOSTCANN_API constexpr const T& TupleGet(const TupleLeaf<I, T>& leaf)
{
    return leaf.value;
}
template <std::size_t I, typename T>
TupleLeaf<I, T> TupleType(const TupleLeaf<I, T>&);

} // namespace hostcann

namespace Std {

template <typename... Ts>
class tuple : public hostcann::TupleLeaves<std::make_index_sequence<sizeof...(Ts)>, Ts...> {
    using Leaves = hostcann::TupleLeaves<std::make_index_sequence<sizeof...(Ts)>, Ts...>;

public:
    constexpr tuple() = default;
    template <typename... Us, std::enable_if_t<sizeof...(Us) == sizeof...(Ts) && sizeof...(Us) != 0 &&
                                                   (std::is_convertible<Us, Ts>::value && ...),
                                               bool> = true>
    HOSTCANN_API constexpr tuple(Us&&... us) : Leaves(std::in_place, std::forward<Us>(us)...)
    {
    }
    tuple(const tuple&) = default;
    HOSTCANN_API constexpr tuple& operator=(const tuple& other)
    {
        this->Take(other);
        return *this;
    }
    template <typename... Us, std::enable_if_t<sizeof...(Us) == sizeof...(Ts), bool> = true>
    HOSTCANN_API constexpr tuple& operator=(const tuple<Us...>& other)
    {
        this->Take(other);
        return *this;
    }
};

template <std::size_t I, typename... Ts>
HOSTCANN_API constexpr decltype(auto) get(tuple<Ts...>& t)
{
    return hostcann::TupleGet<I>(t);
}
template <std::size_t I, typename... Ts>
HOSTCANN_API constexpr decltype(auto) get(const tuple<Ts...>& t)
{
    return hostcann::TupleGet<I>(t);
}

template <std::size_t I, typename... Ts>
HOSTCANN_API constexpr decltype(auto) get(tuple<Ts...>&& t)
{
    using Type = decltype(hostcann::TupleType<I>(t).value);
    return static_cast<Type&&>(hostcann::TupleGet<I>(t));
}

template <typename... Ts>
HOSTCANN_API constexpr tuple<std::decay_t<Ts>...> make_tuple(Ts&&... ts)
{
    return {std::forward<Ts>(ts)...};
}
template <typename... Ts>
HOSTCANN_API constexpr tuple<Ts&...> tie(Ts&... ts)
{
    return {ts...};
}

template <typename T>
struct tuple_size;
template <typename... Ts>
struct tuple_size<tuple<Ts...>> : std::integral_constant<std::size_t, sizeof...(Ts)> {};
template <typename T>
struct tuple_size<const T> : tuple_size<T> {};
template <typename T>
constexpr std::size_t tuple_size_v = tuple_size<T>::value;

template <std::size_t I, typename T>
struct tuple_element {
    using type = decltype(hostcann::TupleType<I>(std::declval<T>()).value);
};
template <std::size_t I, typename T>
using tuple_element_t = typename tuple_element<I, T>::type;

} // namespace Std

template <std::size_t... I, typename... Ts>
template <typename... Us>
HOSTCANN_API constexpr void hostcann::TupleLeaves<std::index_sequence<I...>, Ts...>::Take(
    const Std::tuple<Us...>& other)
{
    ((TupleLeaf<I, Ts>::value = Std::get<I>(other)), ...);
}

} // namespace AscendC

// auto [a, b] = MakeShape(2, 3);
template <typename... Ts>
struct std::tuple_size<AscendC::Std::tuple<Ts...>> : AscendC::Std::tuple_size<AscendC::Std::tuple<Ts...>> {};
template <std::size_t I, typename... Ts>
struct std::tuple_element<I, AscendC::Std::tuple<Ts...>> : AscendC::Std::tuple_element<I, AscendC::Std::tuple<Ts...>> {
};

#endif // HOSTCANN_ASCENDC_KERNEL_STD_H
