#include <algorithm>

#include "../../op_kernel/weighted_stack_tiling_data.h"
#include "register/op_impl_registry.h"
#include "stack_limits.h"
#include "stack_tiles.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TileWeightedStack(gert::TilingContext* context)
{
    const auto* instances = context->GetIrInputInstanceInfo(0);
    auto* tiling = context->GetTilingData<WeightedStackTilingData>();
    if (instances == nullptr || tiling == nullptr || instances->GetInstanceNum() == 0 ||
        instances->GetInstanceNum() > STACK_TENSORS) {
        return ge::GRAPH_FAILED;
    }
    *tiling = {};
    tiling->count = static_cast<int32_t>(instances->GetInstanceNum());
    tiling->elements = context->GetDynamicInputShape(0, 0)->GetStorageShape().GetShapeSize();
    tiling->weights[0] = *context->GetAttrs()->GetFloat(0);
    const auto* others = context->GetAttrs()->GetListFloat(1);
    for (int32_t i = 1; i < tiling->count; ++i) {
        const auto at = static_cast<size_t>(i - 1);
        tiling->weights[i] = at < others->GetSize() ? others->GetData()[at] : 1.0F;
    }
    tiling->rounds = static_cast<int32_t>(*context->GetAttrs()->GetInt(2));
    const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const int64_t tiles = (tiling->elements + STACK_TILE - 1) / STACK_TILE;
    context->SetBlockDim(static_cast<uint32_t>(std::min<int64_t>(tiles, platform.GetCoreNumAiv())));
    context->SetTilingKey(context->GetOptionalInputShape(1) == nullptr ? 0 : 1);
    size_t* workspaces = context->GetWorkspaceSizes(1);
    if (workspaces == nullptr) {
        return ge::GRAPH_FAILED;
    }
    workspaces[0] = 0;
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(WeightedStack).Tiling(TileWeightedStack);
} // namespace optiling
