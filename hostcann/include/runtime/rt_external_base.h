// Types that host code of operators names beside acl's: the runtime's status and handles. Its functions are not here.
#ifndef HOSTCANN_RUNTIME_RT_EXTERNAL_BASE_H
#define HOSTCANN_RUNTIME_RT_EXTERNAL_BASE_H

#include <stdint.h>

#include "acl/acl_rt.h"

typedef int32_t rtError_t;
typedef void* rtContext_t;
typedef void* rtEvent_t;
typedef void* rtStream_t;

#ifndef RT_ERROR_NONE
#define RT_ERROR_NONE 0
#endif

#endif // HOSTCANN_RUNTIME_RT_EXTERNAL_BASE_H
