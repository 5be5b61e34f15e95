#include "kept_elements_tiling.h"

#include "../../op_kernel/kept_elements_tiling_data.h"
#include "register/op_impl_registry.h"

namespace optiling {
static ge::graphStatus TileKeptElements(gert::TilingContext* context)
{
    const int64_t elements = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    auto* data = context->GetTilingData<KeptElementsTilingData>();
    if (data == nullptr || elements > KEPT_ELEMENTS_MAX) {
        return ge::GRAPH_FAILED;
    }
    data->elements = static_cast<uint32_t>(elements);
    context->SetBlockDim(BlocksOf(elements));
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(KeptElements).Tiling(TileKeptElements);
} // namespace optiling
