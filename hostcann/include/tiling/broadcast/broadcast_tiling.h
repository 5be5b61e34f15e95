// A part of tiling/tiling_api.h, under a name of older toolkits.
#pragma once
#include "ascendc/host_api/tiling/adv_tmp_size.h"
