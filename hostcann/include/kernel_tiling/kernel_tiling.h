// Kernels include this for the tiling macros and for the tiling structs of the high-level functions.
#ifndef HOSTCANN_KERNEL_TILING_H
#define HOSTCANN_KERNEL_TILING_H

#include "ascendc/kernel/tiling.h"
#include "ascendc/tiling_structs.h"

#endif // HOSTCANN_KERNEL_TILING_H
