// What host code of operators takes of the runtime beside acl: its status, its handles and what it knows of the SoC.
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

#ifdef __cplusplus
extern "C" {
#endif
// Text of `key` in the section `label` of the SoC file. An error: a name that is not there, too little room in `val`.
rtError_t rtGetSocSpec(const char* label, const char* key, char* val, const uint32_t maxLen);
#ifdef __cplusplus
}
#endif

#endif // HOSTCANN_RUNTIME_RT_EXTERNAL_BASE_H
