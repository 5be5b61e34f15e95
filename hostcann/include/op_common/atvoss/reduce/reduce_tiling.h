// Tiling of reductions of chips with register vectors (opbase, atvoss). DAV_2201 has none: every call fails and says
// so.
#ifndef HOSTCANN_OP_COMMON_ATVOSS_REDUCE_TILING_H
#define HOSTCANN_OP_COMMON_ATVOSS_REDUCE_TILING_H

#include <cstdint>
#include <vector>

#include "exe_graph/runtime/tiling_context.h"
#include "op_common/atvoss/reduce/reduce_operator.h"
#include "op_common/atvoss/reduce/reduce_tiling_data.h"
#include "op_common/atvoss/reduce/reduce_tiling_key_decl.h"
#include "op_common/atvoss/util/placeholder.h"
#include "op_common/log/log.h"
#include "op_common/op_host/util/platform_util.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace Ops {
namespace Base {
constexpr uint64_t CACHE_BUF_SIZE = 16 * 1024UL;

struct ReduceOpCompileInfo {
    uint64_t vectorCoreNum = 0;
    uint64_t ubSize = 0;
    uint64_t cacheLineSize = 0;
    uint64_t ubBlockSize = 0;
    uint64_t vRegSize = 0;
};
struct ReduceOpInputParam {
    uint32_t reservedSize = 0;
    uint32_t reservedNode = 0;
    ge::DataType inputDtype = ge::DT_UNDEFINED;
    ge::DataType promoteDtpye = ge::DT_UNDEFINED;
    std::vector<int64_t> axes;
    std::vector<int64_t> shape;
};
struct ReduceTilingKey {
    uint32_t patternID = 0;
    uint32_t loopARCount = 0;
    uint32_t loopInnerARCount = 0;
};

namespace ReduceOpTmpl {
inline ge::graphStatus NoRegisters(const gert::TilingContext* context)
{
    OP_LOGE(context, "tiling of reductions is for chips whose vector unit works on registers, this one does not");
    return ge::GRAPH_FAILED;
}
inline ge::graphStatus GetInputShape(gert::TilingContext* context, int32_t, std::vector<int64_t>&)
{
    return NoRegisters(context);
}
inline ge::graphStatus GetInputDtype(gert::TilingContext* context, int32_t, ge::DataType&)
{
    return NoRegisters(context);
}
inline ge::graphStatus GetInputParam(gert::TilingContext* context, ReduceOpInputParam&, int32_t, int32_t = 0,
                                     int32_t = 0)
{
    return NoRegisters(context);
}
} // namespace ReduceOpTmpl
using namespace ReduceOpTmpl;

template <typename Dag = void>
ge::graphStatus Tiling4ReduceOp(gert::TilingContext* context, ReduceOpInputParam&, ReduceTilingKey&,
                                const ReduceOpCompileInfo* = nullptr, ReduceOpTilingData* = nullptr)
{
    return NoRegisters(context);
}
} // namespace Base
} // namespace Ops

#endif
