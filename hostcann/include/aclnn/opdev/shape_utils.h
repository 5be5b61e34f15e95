#ifndef HOSTCANN_OPDEV_SHAPE_UTILS_H
#define HOSTCANN_OPDEV_SHAPE_UTILS_H

#include <cstdlib>
#include <string>

#include "exe_graph/runtime/shape.h"
#include "opdev/common_types.h"
#include "opdev/data_type_utils.h"

namespace op {

ge::AscendString ToString(const op::Shape& shape);
ge::AscendString ToString(const op::Strides& strides);
void ToShape(const int64_t* dims, uint64_t dimNum, op::Shape& shape);
void ToShape(const op::ShapeVector& shapeVector, op::Shape& shape);
ShapeVector ToShapeVector(const op::Shape& shape);

// Right-aligned; two dims go together when they are equal or one of them is 1, so 0 with 1 gives 0 and 0 with 3 fails.
bool CheckBroadcastShape(const op::Shape& self, const op::Shape& other);
bool BroadcastInferShape(const op::Shape& self, const op::Shape& other, op::Shape& broadcastShape);

} // namespace op
#endif // HOSTCANN_OPDEV_SHAPE_UTILS_H
