// Tiling data classes of the high-level functions: a struct that is registered as <Struct>OpApi is in kernel_tiling.h.
#include "ascendc/host_api/tiling/tiling_classes.h"
#include "adv_api/activation/softmax_tilingdata.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(SoftMaxTilingOpApi, SoftMaxTiling)
REGISTER_TILING_DATA_CLASS(LogSoftMaxTilingOpApi, LogSoftMaxTiling)
#define HOSTCANN_REGISTER(Name) REGISTER_TILING_DATA_CLASS(Name##OpApi, Name)
HOSTCANN_TILING_STRUCTS(HOSTCANN_REGISTER)
#undef HOSTCANN_REGISTER
} // namespace optiling
