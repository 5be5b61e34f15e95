// The part of the bounds-checked C library that operators use. Every function returns EOK or leaves dest untouched.
#ifndef HOSTCANN_SECUREC_H
#define HOSTCANN_SECUREC_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifndef EOK
#define EOK 0
#endif
#ifndef ERANGE_AND_RESET
#define EINVAL_AND_RESET 150
#define ERANGE_AND_RESET 162
#define EOVERLAP_AND_RESET 182
#endif
#ifndef SECUREC_MEM_MAX_LEN
#define SECUREC_MEM_MAX_LEN 0x7fffffffUL
#endif
typedef int errno_t;

static inline errno_t memcpy_s(void* dest, size_t destMax, const void* src, size_t count)
{
    if (dest == NULL || src == NULL) {
        return EINVAL;
    }
    if (count > destMax) {
        return ERANGE;
    }
    (void)memmove(dest, src, count);
    return EOK;
}

static inline errno_t memmove_s(void* dest, size_t destMax, const void* src, size_t count)
{
    return memcpy_s(dest, destMax, src, count);
}

static inline errno_t memset_s(void* dest, size_t destMax, int c, size_t count)
{
    if (dest == NULL) {
        return EINVAL;
    }
    if (count > destMax) {
        return ERANGE;
    }
    (void)memset(dest, c, count);
    return EOK;
}

static inline errno_t strcpy_s(char* strDest, size_t destMax, const char* strSrc)
{
    if (strDest == NULL || strSrc == NULL) {
        return EINVAL;
    }
    return memcpy_s(strDest, destMax, strSrc, strlen(strSrc) + 1);
}

static inline errno_t strncpy_s(char* strDest, size_t destMax, const char* strSrc, size_t count)
{
    if (strDest == NULL || strSrc == NULL) {
        return EINVAL;
    }
    const size_t length = strnlen(strSrc, count);
    if (length >= destMax) {
        return ERANGE;
    }
    (void)memcpy(strDest, strSrc, length);
    strDest[length] = '\0';
    return EOK;
}

static inline errno_t strcat_s(char* strDest, size_t destMax, const char* strSrc)
{
    if (strDest == NULL || strSrc == NULL) {
        return EINVAL;
    }
    const size_t used = strnlen(strDest, destMax);
    return used == destMax ? ERANGE : strcpy_s(strDest + used, destMax - used, strSrc);
}

// At most count characters. The number of characters written, -1 when they do not fit into destMax.
__attribute__((format(printf, 4, 0))) static inline int vsnprintf_s(char* strDest, size_t destMax, size_t count,
                                                                    const char* format, va_list args)
{
    const size_t room = count < destMax ? count + 1 : destMax;
    const int written = strDest == NULL || destMax == 0 ? -1 : vsnprintf(strDest, room, format, args);
    return written < 0 || (size_t)written >= room ? -1 : written;
}

__attribute__((format(printf, 3, 0))) static inline int vsprintf_s(char* strDest, size_t destMax, const char* format,
                                                                   va_list args)
{
    return vsnprintf_s(strDest, destMax, destMax, format, args);
}

__attribute__((format(printf, 3, 4))) static inline int sprintf_s(char* strDest, size_t destMax, const char* format,
                                                                  ...)
{
    va_list args;
    va_start(args, format);
    const int written = vsprintf_s(strDest, destMax, format, args);
    va_end(args);
    return written;
}

__attribute__((format(printf, 4, 5))) static inline int snprintf_s(char* strDest, size_t destMax, size_t count,
                                                                   const char* format, ...)
{
    va_list args;
    va_start(args, format);
    const int written = vsnprintf_s(strDest, destMax, count, format, args);
    va_end(args);
    return written;
}

#endif
