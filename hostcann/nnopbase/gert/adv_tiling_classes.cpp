// Tiling data classes of the high-level functions: a struct that is registered as <Struct>OpApi is in kernel_tiling.h.
#include "adv_api/activation/logsoftmax_tilingdata.h"
#include "adv_api/activation/softmax_tilingdata.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(SoftMaxTilingOpApi, SoftMaxTiling)
REGISTER_TILING_DATA_CLASS(LogSoftMaxTilingOpApi, LogSoftMaxTiling)
} // namespace optiling
