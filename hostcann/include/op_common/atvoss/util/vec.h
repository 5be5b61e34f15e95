#ifndef HOSTCANN_OP_COMMON_ATVOSS_UTIL_VEC_H
#define HOSTCANN_OP_COMMON_ATVOSS_UTIL_VEC_H

#include "atvoss/util/dag.h"

namespace Ops {
namespace Base {
namespace Vec {
template <typename To, typename From, int Mode>
struct Cast;
template <typename Mask, typename T, int Mode>
struct Compare;
template <typename Mask, typename T, int Mode>
struct Select;
template <typename T>
struct CopyIn;
template <typename T>
struct CopyOut;
template <typename T>
struct Duplicate;
template <typename T>
struct Abs;
template <typename T>
struct Add;
template <typename T>
struct Adds;
template <typename T>
struct Sub;
template <typename T>
struct Mul;
template <typename T>
struct Muls;
template <typename T>
struct Div;
template <typename T>
struct Max;
template <typename T>
struct Maxs;
template <typename T>
struct Min;
template <typename T>
struct Mins;
template <typename T>
struct Exp;
template <typename T>
struct Log;
template <typename T>
struct Sqrt;
template <typename T>
struct Neg;
template <typename T>
struct Not;
template <typename T>
struct And;
template <typename T>
struct Or;
} // namespace Vec
} // namespace Base
} // namespace Ops

#endif
