#include "clip_range_tiling.h"

#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus ClipRangeTiling(gert::TilingContext* context)
{
    const gert::TypedContinuousVector<int64_t>* range = context->GetAttrs()->GetListInt(0);
    if (range->GetSize() != 2) {
        return ge::GRAPH_FAILED;
    }
    int32_t bounds[2] = {static_cast<int32_t>(range->GetData()[0]), static_cast<int32_t>(range->GetData()[1])};
    ClipRangeTilingData data;
    data.set_total(static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize()));
    data.set_share(1024);
    data.set_range(bounds);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->SetBlockDim((data.get_total() + data.get_share() - 1) / data.get_share());
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ge {
static graphStatus ClipRangeShape(gert::InferShapeContext* context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}
} // namespace ge

namespace ops {
// y = x, at least range[0] and at most range[1]
class ClipRange : public OpDef {
public:
    explicit ClipRange(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
        this->Attr("range").ListInt();
        this->SetInferShape(ge::ClipRangeShape);
        this->AICore().SetTiling(optiling::ClipRangeTiling).AddConfig("ascend910b");
    }
};
OP_ADD(ClipRange);
} // namespace ops
