// Reductions in the templates of util/dag.h: types without content, as the others.
#ifndef HOSTCANN_OP_COMMON_ATVOSS_REDUCE_OPERATOR_H
#define HOSTCANN_OP_COMMON_ATVOSS_REDUCE_OPERATOR_H

#include "atvoss/util/vec.h"

namespace Ops {
namespace Base {
namespace Vec {
template <typename T>
struct ReduceSumOp;
template <typename T>
struct ReduceMaxOp;
template <typename T>
struct ReduceMinOp;
template <typename T>
struct ReduceProdOp;
template <typename T>
struct ReduceAllOp;
template <typename T>
struct ReduceAnyOp;
} // namespace Vec
} // namespace Base
} // namespace Ops

#endif
