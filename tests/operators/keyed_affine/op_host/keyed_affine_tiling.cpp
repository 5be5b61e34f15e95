#include "keyed_affine_tiling.h"

#include "register/op_impl_registry.h"

namespace optiling {
static ge::graphStatus TileKeyedAffine(gert::TilingContext* context)
{
    const gert::Tensor* scale = context->GetRequiredInputTensor(1);
    if (scale == nullptr || scale->GetShapeSize() != 1) {
        return ge::GRAPH_FAILED;
    }
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    KeyedAffineTilingData tiling;
    tiling.set_scale(static_cast<int32_t>(*scale->GetData<int64_t>()));
    tiling.set_shift(static_cast<int32_t>(*context->GetAttrs()->GetInt(0)));
    int64_t elements[] = {shape.GetShapeSize(), -1};
    tiling.extent.set_rank(static_cast<uint8_t>(shape.GetDimNum()));
    tiling.extent.set_elements(elements);
    gert::TilingData* raw = context->GetRawTilingData();
    tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
    raw->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(1);
    context->SetTilingKey(tiling.get_shift() == 0 ? 10 : 11);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(KeyedAffine).Tiling(TileKeyedAffine);
} // namespace optiling
