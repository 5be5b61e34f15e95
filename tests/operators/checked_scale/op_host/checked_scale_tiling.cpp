#include "../op_kernel/checked_scale_tiling_data.h"
#include "op_host/element_count.h"

namespace optiling {
static ge::graphStatus TileCheckedScale(gert::TilingContext* context)
{
    const int64_t elements = ElementCount(context, 0);
    auto* data = context->GetTilingData<CheckedScaleTilingData>();
    const int64_t* factor = context->GetAttrs()->GetInt(0);
    if (data == nullptr || factor == nullptr || elements > CHECKED_SCALE_MAX) {
        return ge::GRAPH_FAILED;
    }
    data->elements = static_cast<uint32_t>(elements);
    data->factor = static_cast<float>(*factor);
    context->SetBlockDim(1);
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(CheckedScale).Tiling(TileCheckedScale);
} // namespace optiling
