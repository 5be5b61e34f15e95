#ifndef SCALE_OFFSET_TILING_H
#define SCALE_OFFSET_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ScaleOffsetTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, share);
TILING_DATA_FIELD_DEF(float, scale);
TILING_DATA_FIELD_DEF(float, offset);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleOffset, ScaleOffsetTilingData)
} // namespace optiling

#endif
