#ifndef FMA_TILING_H
#define FMA_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(FmaTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, share);
TILING_DATA_FIELD_DEF(float, scale);
TILING_DATA_FIELD_DEF(float, offset);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Fma, FmaTilingData)
} // namespace optiling

#endif
