// Tiling of broadcasting kernels of chips with register vectors (opbase, atvoss). Tiling sources for several chips
// include this header for what it includes; its own class is not here.
#ifndef HOSTCANN_OP_COMMON_ATVOSS_BROADCAST_TILING_H
#define HOSTCANN_OP_COMMON_ATVOSS_BROADCAST_TILING_H

#include "exe_graph/runtime/tiling_context.h"
#include "op_common/atvoss/util/dag.h"
#include "op_common/log/log.h"
#include "op_common/op_host/util/platform_util.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

#endif
