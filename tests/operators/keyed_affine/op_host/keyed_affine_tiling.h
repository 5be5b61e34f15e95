#ifndef KEYED_AFFINE_TILING_H
#define KEYED_AFFINE_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(KeyedAffineExtent)
TILING_DATA_FIELD_DEF(uint8_t, rank);
TILING_DATA_FIELD_DEF_ARR(int64_t, 2, elements);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(KeyedAffineExtentOp, KeyedAffineExtent)

BEGIN_TILING_DATA_DEF(KeyedAffineTilingData)
TILING_DATA_FIELD_DEF(int32_t, scale);
TILING_DATA_FIELD_DEF_STRUCT(KeyedAffineExtent, extent);
TILING_DATA_FIELD_DEF(int32_t, shift);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(KeyedAffine, KeyedAffineTilingData)
} // namespace optiling

#endif
