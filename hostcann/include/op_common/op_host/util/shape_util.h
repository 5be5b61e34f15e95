#ifndef HOSTCANN_OP_COMMON_UTIL_SHAPE_UTIL_H
#define HOSTCANN_OP_COMMON_UTIL_SHAPE_UTIL_H

#include "exe_graph/runtime/shape.h"
#include "op_common/op_host/util/opbase_export.h"

namespace Ops {
namespace Base {
// -dimNum <= axis < dimNum; a scalar takes 0 only.
template <typename T1, typename T2>
bool CheckAxisBounds(const T1 dimNum, const T2 axis)
{
    const int64_t rank = static_cast<int64_t>(dimNum);
    const int64_t wanted = static_cast<int64_t>(axis);
    return rank == 0 ? wanted == 0 : wanted >= -rank && wanted < rank;
}

// Unknown rank is written [-2], an unknown shape of known rank [-1, ..., -1].
OPBASE_API void SetUnknownRank(gert::Shape& shape);
OPBASE_API bool IsUnknownRank(const gert::Shape& shape);
OPBASE_API void SetUnknownShape(int64_t rank, gert::Shape& shape);
OPBASE_API bool IsUnknownShape(const gert::Shape& shape); // whether any dim is -1
} // namespace Base
} // namespace Ops

#endif
