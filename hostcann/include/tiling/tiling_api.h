// Host side functions of the high-level kernel library: temporary space and tiling of what hostcann has.
#ifndef HOSTCANN_TILING_TILING_API_H
#define HOSTCANN_TILING_TILING_API_H

// Programs of the maker print with what this brings.
#include <iostream>

#include "ascendc/host_api/tiling/adv_tmp_size.h"
#include "ascendc/host_api/tiling/matmul_tiling.h"
#include "ascendc/host_api/tiling/norm_grad_tiling.h"
#include "ascendc/host_api/tiling/norm_group_tiling.h"
#include "ascendc/host_api/tiling/norm_tiling.h"
#include "ascendc/host_api/tiling/pad_tiling.h"
#include "ascendc/host_api/tiling/reduce_tmp_size.h"
#include "ascendc/host_api/tiling/softmax_tiling.h"
#include "ascendc/host_api/tiling/sort_tiling.h"
#include "ascendc/host_api/tiling/transpose_tiling.h"
#include "ascendc/host_api/tiling/units_tmp_size.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

#endif
