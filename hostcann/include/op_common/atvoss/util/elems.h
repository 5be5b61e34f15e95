#ifndef HOSTCANN_OP_COMMON_ATVOSS_UTIL_ELEMS_H
#define HOSTCANN_OP_COMMON_ATVOSS_UTIL_ELEMS_H

#include "atvoss/util/dag.h"

#endif
