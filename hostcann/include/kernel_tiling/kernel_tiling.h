// Kernels include this for the tiling macros; the tiling structs of the high-level API are not modelled.
#ifndef HOSTCANN_KERNEL_TILING_H
#define HOSTCANN_KERNEL_TILING_H

#include "ascendc/kernel/tiling.h"

#endif // HOSTCANN_KERNEL_TILING_H
