// Kernels of ops-nn include this file of the toolkit's sources beside kernel_operator.h.
#ifndef HOSTCANN_IMPL_DAV_C220_KERNEL_OPERATOR_REG_OTHERS_IMPL_H
#define HOSTCANN_IMPL_DAV_C220_KERNEL_OPERATOR_REG_OTHERS_IMPL_H

#include "kernel_operator.h"

#endif
