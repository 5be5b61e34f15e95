#include "fma_tiling.h"

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus FmaTiling(gert::TilingContext* context)
{
    const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const uint32_t total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    const uint32_t cores = platform.GetCoreNumAiv();
    const uint32_t share = ((total + cores - 1) / cores + 63) / 64 * 64;
    FmaTilingData data;
    data.set_total(total);
    data.set_share(share);
    data.set_scale(*context->GetAttrs()->GetFloat(0));
    data.set_offset(*context->GetAttrs()->GetFloat(1));
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->SetBlockDim((total + share - 1) / share);
    context->SetTilingKey(context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 1 : 2);
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ge {
static graphStatus FmaShape(gert::InferShapeContext* context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

static graphStatus FmaType(gert::InferDataTypeContext* context)
{
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}
} // namespace ge

namespace ops {
// y = x * scale + offset. The kernel has the name of a function of libm.
class Fma : public OpDef {
public:
    explicit Fma(const char* name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_INT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_INT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("scale").Float();
        this->Attr("offset").AttrType(OPTIONAL).Float(1.0);
        this->SetInferShape(ge::FmaShape).SetInferDataType(ge::FmaType);
        this->AICore().SetTiling(optiling::FmaTiling).AddConfig("ascend910b");
    }
};
OP_ADD(Fma);
} // namespace ops
