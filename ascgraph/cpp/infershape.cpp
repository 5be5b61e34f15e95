#include <vector>
#include "log/log.h"
#include "register/op_impl_registry.h"
#include "SNAKE_shapes.h"

namespace ops {
READ_SHAPES;

static void Set(gert::InferShapeContext* context, size_t index, const NsPASCAL::Shape& dims)
{
    gert::Shape* shape = context->GetOutputShape(index);
    shape->SetDimNum(0);
    for (int64_t dim : dims) {
        shape->AppendDim(dim);
    }
}

// -2 stands for an unknown number of axes, -1 for an unknown size.
static bool IsUnknown(const std::vector<NsPASCAL::Shape>& inputs)
{
    for (const NsPASCAL::Shape& shape : inputs) {
        for (int64_t dim : shape) {
            if (dim < 0) {
                return true;
            }
        }
    }
    return false;
}

static ge::graphStatus InferShape(gert::InferShapeContext* context)
{
    std::vector<NsPASCAL::Shape> inputs;
    if (!ReadShapes(context, inputs)) {
        return ge::GRAPH_FAILED;
    }
    if (IsUnknown(inputs)) {
        for (size_t i = 0; i < OUTPUT_NUM; i++) {
            Set(context, i, NsPASCAL::Shape{-2});
        }
        return ge::GRAPH_SUCCESS;
    }
    NsPASCAL::Sizes sizes;
    const std::string wrong = NsPASCAL::Bind(inputs, sizes);
    if (!wrong.empty()) {
        OP_LOGE(context, "%s", wrong.c_str());
        return ge::GRAPH_FAILED;
    }
    SET_SHAPES;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferDataType(gert::InferDataTypeContext* context)
{
    SET_TYPES;
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_INFERSHAPE(PASCAL).InferShape(InferShape).InferDataType(InferDataType);
} // namespace ops
