// The second spelling of tiling/platform/platform_ascendc.h.
#ifndef HOSTCANN_PLATFORM_PLATFORM_ASCENDC_H
#define HOSTCANN_PLATFORM_PLATFORM_ASCENDC_H

#include "tiling/platform/platform_ascendc.h"

#endif
