// A part of tiling/tiling_api.h, under the name the toolkit gives it.
#pragma once
#include "ascendc/host_api/tiling/transpose_tiling.h"
