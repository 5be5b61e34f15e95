// Log lines, reported errors and the check macros of op_api sources. CHECK_* and OP_CHECK act when the condition is
// false.
#ifndef HOSTCANN_OPDEV_OP_LOG_H
#define HOSTCANN_OPDEV_OP_LOG_H

#include <cstdint>
#include <string>

#include "aclnn/aclnn_base.h"
#include "opdev/op_errno.h"

#define OPAPI_SUBMOD_NAME "NNOP"
#define OP_LOG_DEBUG 0
#define OP_LOG_INFO 1
#define OP_LOG_WARN 2
#define OP_LOG_ERROR 3
#define OP_LOG_EVENT 0x10

// Upstream's sources pass arguments that do not match their formats (CANN does not check them), so checking is opt-in.
#ifdef HOSTCANN_CHECK_FORMATS
#define HOSTCANN_PRINTF_LIKE(format, first) __attribute__((format(printf, format, first)))
#else
#define HOSTCANN_PRINTF_LIKE(format, first)
#endif

namespace op {
namespace internal {

bool LogEnabled(int level);
void LogRecord(int level, const char* file, int line, const char* func, const char* fmt, ...)
    HOSTCANN_PRINTF_LIKE(5, 6);
// Logs an error; `report` also puts the text where aclGetRecentErrMsg finds it, as EZ1001, EZ9903 or EZ9999 depending
// on the first digit of the code.
void LogError(bool report, int code, const char* file, int line, const char* func, const char* fmt, ...)
    HOSTCANN_PRINTF_LIKE(6, 7);
// Reports a message under its own code, e.g. EZ1006, and logs it.
void ReportCoded(const char* ezCode, int code, const std::string& text);

} // namespace internal
} // namespace op

#define OP_LOG_AT_LEVEL_(level, ...)                                                       \
    do {                                                                                   \
        if (op::internal::LogEnabled(level)) {                                             \
            op::internal::LogRecord(level, __FILE__, __LINE__, __FUNCTION__, __VA_ARGS__); \
        }                                                                                  \
    } while (false)

#define OP_LOGD(...) OP_LOG_AT_LEVEL_(OP_LOG_DEBUG, __VA_ARGS__)
#define OP_LOGI(...) OP_LOG_AT_LEVEL_(OP_LOG_INFO, __VA_ARGS__)
#define OP_LOGW(...) OP_LOG_AT_LEVEL_(OP_LOG_WARN, __VA_ARGS__)
#define OP_EVENT(...) OP_LOG_AT_LEVEL_(OP_LOG_EVENT, __VA_ARGS__)
#define OP_LOGE(errno, ...) op::internal::LogError(true, errno, __FILE__, __LINE__, __FUNCTION__, __VA_ARGS__)
#define OP_LOGE_WITHOUT_REPORT(errno, ...) \
    op::internal::LogError(false, errno, __FILE__, __LINE__, __FUNCTION__, __VA_ARGS__)

#ifndef likely
#define likely(x) __builtin_expect(static_cast<bool>(x), 1)
#endif
#ifndef unlikely
#define unlikely(x) __builtin_expect(static_cast<bool>(x), 0)
#endif

#define OP_CHECK_NOTNULL(val)                                                                     \
    do {                                                                                          \
        if (unlikely((val) == nullptr)) {                                                         \
            OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "[%s] is a null pointer, expected an object", #val); \
            return ACLNN_ERR_INNER_NULLPTR;                                                       \
        }                                                                                         \
    } while (false)

// Logged, not reported: a bare CHECK_RET leaves nothing for aclGetRecentErrMsg.
#define CHECK_RET(condition, ret_value)                                                          \
    do {                                                                                         \
        if (unlikely(!(condition))) {                                                            \
            OP_LOGE_WITHOUT_REPORT(ACLNN_ERR_INNER, "condition [%s] does not hold", #condition); \
            return ret_value;                                                                    \
        }                                                                                        \
    } while (false)

#define CHECK_RET_CODE(func, ...)                       \
    do {                                                \
        const aclnnStatus checkRetCode_ = (func);       \
        if (unlikely(checkRetCode_ != ACLNN_SUCCESS)) { \
            OP_LOGE(checkRetCode_, __VA_ARGS__);        \
            return checkRetCode_;                       \
        }                                               \
    } while (false)

#define CHECK_COND(cond, ret, ...)     \
    do {                               \
        if (unlikely(!(cond))) {       \
            OP_LOGE(ret, __VA_ARGS__); \
            return ret;                \
        }                              \
    } while (false)

#define OP_CHECK(cond, log_func, return_expr) \
    do {                                      \
        if (unlikely(!(cond))) {              \
            log_func;                         \
            return_expr;                      \
        }                                     \
    } while (false)

#define OP_CHECK_NO_RETURN(cond, log_func) \
    do {                                   \
        if (unlikely(!(cond))) {           \
            log_func;                      \
        }                                  \
    } while (false)

#endif // HOSTCANN_OPDEV_OP_LOG_H
