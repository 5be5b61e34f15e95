#ifndef CLIP_RANGE_TILING_H
#define CLIP_RANGE_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ClipRangeTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, share);
TILING_DATA_FIELD_DEF_ARR(int32_t, 2, range);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ClipRange, ClipRangeTilingData)
} // namespace optiling

#endif
