// Host side functions of the high-level kernel library. hostcann has none yet: using one is a compile error, not a
// wrong number. The platform part is what most operators want from this header.
#ifndef HOSTCANN_TILING_TILING_API_H
#define HOSTCANN_TILING_TILING_API_H

#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

#endif
