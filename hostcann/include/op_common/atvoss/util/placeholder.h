#ifndef HOSTCANN_OP_COMMON_ATVOSS_UTIL_PLACEHOLDER_H
#define HOSTCANN_OP_COMMON_ATVOSS_UTIL_PLACEHOLDER_H

#include "atvoss/util/dag.h"

namespace Ops {
namespace Base {
struct Placeholder {
    template <typename T, int At>
    struct In;
    template <typename T, int At>
    struct Out;
    template <typename T, int At = 0>
    struct Var;
    template <typename T>
    using In0 = In<T, 0>;
    template <typename T>
    using In1 = In<T, 1>;
    template <typename T>
    using In2 = In<T, 2>;
    template <typename T>
    using Out0 = Out<T, 0>;
    template <typename T>
    using Out1 = Out<T, 1>;
};
} // namespace Base
} // namespace Ops

#endif
