#ifndef HOSTCANN_OP_COMMON_INFERSHAPE_BROADCAST_UTIL_H
#define HOSTCANN_OP_COMMON_INFERSHAPE_BROADCAST_UTIL_H

#include <vector>

#include "exe_graph/runtime/infer_shape_context.h"
#include "op_common/op_host/util/opbase_export.h"

namespace Ops {
namespace Base {
// Output 0 takes the broadcast shape of the first two (inputNum) inputs. Dims -1 are unknown, a shape [-2] has unknown
// rank and makes the result [-2].
OPBASE_API ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context);
OPBASE_API ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context, size_t inputNum);
// false with an error log when the shapes do not broadcast.
OPBASE_API bool BroadcastShape(const gert::Shape* in1Shape, const gert::Shape* in2Shape, gert::Shape* outShape);
OPBASE_API bool BroadcastShape(const std::vector<const gert::Shape*>& inShapes, gert::Shape* outShape);
} // namespace Base
} // namespace Ops

#endif
