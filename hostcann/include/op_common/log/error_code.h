// Tiling functions include it beside log/log.h. Its codes are for views that hostcann reports in words.
#ifndef HOSTCANN_OP_COMMON_LOG_ERROR_CODE_H
#define HOSTCANN_OP_COMMON_LOG_ERROR_CODE_H

#include "log/log.h"

#endif
