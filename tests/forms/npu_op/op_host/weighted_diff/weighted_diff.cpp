#include "../../op_kernel/weighted_diff/weighted_diff_tiling.h"

#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus WeightedDiffFunction(gert::TilingContext* context)
{
    WeightedDiffTiling* tiling = context->GetTilingData<WeightedDiffTiling>();
    tiling->total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    tiling->share = 2048;
    tiling->weight = *context->GetAttrs()->GetFloat(0);
    context->SetBlockDim((tiling->total + tiling->share - 1) / tiling->share);
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ge {
static graphStatus WeightedDiffShape(gert::InferShapeContext* context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}
} // namespace ge

namespace ops {
// z = (x - y) * weight
class WeightedDiff : public OpDef {
public:
    explicit WeightedDiff(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("weight").AttrType(OPTIONAL).Float(2.0);
        this->SetInferShape(ge::WeightedDiffShape);
        this->AICore()
            .SetTiling(optiling::WeightedDiffFunction)
            .AddConfig("ascend910b")
            .AddConfig("ascend910_93")
            .AddConfig("ascend950");
    }
};
OP_ADD(WeightedDiff);
} // namespace ops
