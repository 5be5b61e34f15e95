// Tiling data of SoftMax for tiling functions.
#ifndef HOSTCANN_ADV_API_ACTIVATION_SOFTMAX_TILINGDATA_H
#define HOSTCANN_ADV_API_ACTIVATION_SOFTMAX_TILINGDATA_H

#include "ascendc/adv_tiling_fields.h"
#include "register/tilingdata_base.h"

namespace optiling {
#define HOSTCANN_FIELD(name) TILING_DATA_FIELD_DEF(uint32_t, name)
BEGIN_TILING_DATA_DEF(SoftMaxTiling)
HOSTCANN_SOFTMAX_FIELDS(HOSTCANN_FIELD)
END_TILING_DATA_DEF
#undef HOSTCANN_FIELD
} // namespace optiling

#endif // HOSTCANN_ADV_API_ACTIVATION_SOFTMAX_TILINGDATA_H
