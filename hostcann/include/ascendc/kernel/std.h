// AscendC::Std: the device has no standard library, kernels write this for it.
#ifndef HOSTCANN_ASCENDC_KERNEL_STD_H
#define HOSTCANN_ASCENDC_KERNEL_STD_H

#include <cstddef>
#include <type_traits>
#include <utility>

#include "ascendc/kernel/scalar_types.h"
#include "ascendc/kernel/std_tuple.h"

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

#endif // HOSTCANN_ASCENDC_KERNEL_STD_H
