#include "register/op_impl_registry.h"

namespace ops {
static ge::graphStatus InferShapeWeightedStack(gert::InferShapeContext* context)
{
    const gert::Shape* x = context->GetDynamicInputShape(0, 0);
    gert::Shape* y = context->GetOutputShape(0);
    if (x == nullptr || y == nullptr) {
        return ge::GRAPH_FAILED;
    }
    *y = *x;
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(WeightedStack).InferShape(InferShapeWeightedStack);
} // namespace ops
