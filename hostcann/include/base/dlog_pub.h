// The log of host code: a level, a module id, a format of printf (runtime base/dlog_pub.h).
#ifndef HOSTCANN_BASE_DLOG_PUB_H
#define HOSTCANN_BASE_DLOG_PUB_H

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/log_types.h"

#ifdef __cplusplus
extern "C" {
#endif
// 1: a message of this level is recorded.
int32_t CheckLogLevel(int32_t moduleId, int32_t logLevel);
// No format check here: messages of upstream operators pass size_t for %d and the like.
void DlogRecord(int32_t moduleId, int32_t level, const char* fmt, ...);
void DlogVaList(int32_t moduleId, int32_t level, const char* fmt, va_list list);
// Messages are written at once: there is nothing to flush.
void DlogFlush(void);
#ifdef __cplusplus
}
#endif

#define Dlog(moduleId, level, fmt, ...)                                                        \
    do {                                                                                       \
        if (CheckLogLevel((moduleId), (level)) == 1) {                                         \
            DlogRecord((moduleId), (level), "[%s:%d]" fmt, __FILE__, __LINE__, ##__VA_ARGS__); \
        }                                                                                      \
    } while (0)
#define DlogSub(moduleId, submodule, level, fmt, ...) Dlog(moduleId, level, "[%s]" fmt, submodule, ##__VA_ARGS__)
#define dlog_error(moduleId, fmt, ...) Dlog(moduleId, DLOG_ERROR, fmt, ##__VA_ARGS__)
#define dlog_warn(moduleId, fmt, ...) Dlog(moduleId, DLOG_WARN, fmt, ##__VA_ARGS__)
#define dlog_info(moduleId, fmt, ...) Dlog(moduleId, DLOG_INFO, fmt, ##__VA_ARGS__)
#define dlog_debug(moduleId, fmt, ...) Dlog(moduleId, DLOG_DEBUG, fmt, ##__VA_ARGS__)

#endif // HOSTCANN_BASE_DLOG_PUB_H
