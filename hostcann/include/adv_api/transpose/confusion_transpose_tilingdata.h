// A part of the tiling classes, under the name the toolkit gives it.
#pragma once
#include "ascendc/host_api/tiling/tiling_classes.h"
