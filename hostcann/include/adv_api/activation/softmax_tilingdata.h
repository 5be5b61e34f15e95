// Tiling data of SoftMax and LogSoftMax for tiling functions.
#ifndef HOSTCANN_ADV_API_ACTIVATION_SOFTMAX_TILINGDATA_H
#define HOSTCANN_ADV_API_ACTIVATION_SOFTMAX_TILINGDATA_H

#include "ascendc/tiling_structs.h"
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SoftMaxTiling)
HOSTCANN_FIELDS_SoftMaxTiling(TILING_DATA_FIELD_DEF) END_TILING_DATA_DEF BEGIN_TILING_DATA_DEF(LogSoftMaxTiling)
    HOSTCANN_FIELDS_LogSoftMaxTiling(TILING_DATA_FIELD_DEF) END_TILING_DATA_DEF
} // namespace optiling

#endif // HOSTCANN_ADV_API_ACTIVATION_SOFTMAX_TILINGDATA_H
