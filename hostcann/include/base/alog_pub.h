// The log under its other names (base/dlog_pub.h): a module id, the kind of log, a level, a format of printf.
#ifndef HOSTCANN_BASE_ALOG_PUB_H
#define HOSTCANN_BASE_ALOG_PUB_H

#include "base/dlog_pub.h"

// The kind of log decides the file that it goes to on a device; here both go to one.
#define DLOG_TYPE_DEBUG 0
#define DLOG_TYPE_RUN 1

static inline int32_t AlogCheckDebugLevel(uint32_t moduleId, int32_t level)
{
    return CheckLogLevel((int32_t)moduleId, level);
}

static inline void AlogRecord(uint32_t moduleId, uint32_t type, int32_t level, const char* fmt, ...)
{
    va_list list;
    (void)type;
    va_start(list, fmt);
    DlogVaList((int32_t)moduleId, level, fmt, list);
    va_end(list);
}

#endif // HOSTCANN_BASE_ALOG_PUB_H
