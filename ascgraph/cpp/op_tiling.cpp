#include <vector>
#include "log/log.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/SNAKE_tiling_data.h"
#include "../op_kernel/SNAKE_tiling_key.h"
#include "SNAKE_choose.h"
#include "SNAKE_shapes.h"

namespace optiling {
static constexpr int64_t UB_RESERVED_BYTES = 8192; // scratch of the compiler and of Select

// Tiling keys: KEYS.
struct PASCALCompileInfo {};

READ_SHAPES;

static ge::graphStatus ChooseTiling(gert::TilingContext* context)
{
    std::vector<NsPASCAL::Shape> inputs;
    OP_CHECK_IF(!ReadShapes(context, inputs), OP_LOGE(context, "an input has no shape"), return ge::GRAPH_FAILED);
    NsPASCAL::Sizes sizes;
    const std::string wrong = NsPASCAL::Bind(inputs, sizes);
    OP_CHECK_IF(!wrong.empty(), OP_LOGE(context, "%s", wrong.c_str()), return ge::GRAPH_FAILED);

    auto platformInfo = context->GetPlatformInfo();
    OP_CHECK_NULL_WITH_CONTEXT(context, platformInfo);
    auto platform = platform_ascendc::PlatformAscendC(platformInfo);
    uint64_t ubBytes = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
    const int64_t cores = platform.GetCoreNumAiv();
    auto* data = context->GetTilingData<PASCALTilingData>();
    OP_CHECK_NULL_WITH_CONTEXT(context, data);
    const int64_t ubSize = static_cast<int64_t>(ubBytes) - UB_RESERVED_BYTES;
    OP_CHECK_IF(!NsPASCAL::Choose(sizes, cores, 0, ubSize, *data),
                OP_LOGE(context, "no tiling for %s: %ld cores, %lu bytes of UBLONG_ROWS",
                        NsPASCAL::TextOf(sizes).c_str(), cores, ubBytes),
                return ge::GRAPH_FAILED);

    context->SetBlockDim(static_cast<uint32_t>(data->block_dim));
    const uint32_t mode = static_cast<uint32_t>(MODE);
    context->SetTilingKey(GET_TPL_TILING_KEY(mode));
    size_t* workspaces = context->GetWorkspaceSizes(1);
    OP_CHECK_NULL_WITH_CONTEXT(context, workspaces);
    const int64_t shared = NsPASCAL::WorkspaceOf(*data);
    workspaces[0] = shared == 0 ? 0 : platform.GetLibApiWorkSpaceSize() + static_cast<size_t>(shared);
    SCHEDULE;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus ParseCompileInfo([[maybe_unused]] gert::TilingParseContext* context)
{
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(PASCAL).Tiling(ChooseTiling).TilingParse<PASCALCompileInfo>(ParseCompileInfo);
} // namespace optiling
