// Tiling of elementwise kernels of chips with register vectors. DAV_2201 has none: every call fails and says so.
#ifndef HOSTCANN_OP_COMMON_ATVOSS_ELEWISE_TILING_H
#define HOSTCANN_OP_COMMON_ATVOSS_ELEWISE_TILING_H

#include <cstdint>

#include "exe_graph/runtime/tiling_context.h"
#include "op_common/log/log.h"
#include "register/op_impl_registry.h"

namespace Ops {
namespace Base {
struct EleBaseTilingData {
    int64_t dim0;
    int32_t coreNum;
    int32_t ubFormer;
    int64_t blockFormer;
    int64_t blockNum;
    int64_t ubLoopOfFormerBlock;
    int64_t ubLoopOfTailBlock;
    int64_t ubTailOfFormerBlock;
    int64_t ubTailOfTailBlock;
    int64_t elemNum;
    uint64_t scheMode;
};
struct EleBaseTilingData16B {
    int64_t dim0;
    int32_t coreNum;
    int32_t ubFormer;
};
using EleBaseTilingDataV2 = EleBaseTilingData;

class ElewiseBaseTiling {
public:
    explicit ElewiseBaseTiling(gert::TilingContext* context) : context_(context) {}
    template <typename Dag, typename Data>
    ge::graphStatus DoTiling(Data&, int64_t = 0, int64_t = 0)
    {
        OP_LOGE(context_, "elementwise tiling is for chips whose vector unit works on registers, this one does not");
        return ge::GRAPH_FAILED;
    }

private:
    gert::TilingContext* context_;
};
} // namespace Base
} // namespace Ops

#endif
