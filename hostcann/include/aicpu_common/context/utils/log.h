// Log lines and check macros of AI CPU kernels. The first error line of a run goes into the stream's failure.
#ifndef HOSTCANN_AICPU_LOG_H
#define HOSTCANN_AICPU_LOG_H

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "cpu_types.h"

namespace aicpu {

inline int64_t GetTid() { return syscall(SYS_gettid); }

namespace hostcann {
// Level: HC_LOG_* of hostcann/host_abi.h. Kernels give arguments that do not match their formats: nobody checks them.
AICPU_VISIBILITY void KernelLog(int32_t level, const char* function, const char* format, ...);
// Checks may leave the text out.
inline void KernelLog(int32_t level, const char* function) { KernelLog(level, function, "%s failed", function); }
} // namespace hostcann
} // namespace aicpu

#define KERNEL_LOG_ERROR(...) aicpu::hostcann::KernelLog(0, __func__ __VA_OPT__(, ) __VA_ARGS__)
#define KERNEL_LOG_WARN(...) aicpu::hostcann::KernelLog(1, __func__ __VA_OPT__(, ) __VA_ARGS__)
#define KERNEL_LOG_INFO(...) aicpu::hostcann::KernelLog(2, __func__ __VA_OPT__(, ) __VA_ARGS__)
#define KERNEL_LOG_EVENT(...) aicpu::hostcann::KernelLog(2, __func__ __VA_OPT__(, ) __VA_ARGS__)
#define KERNEL_LOG_DEBUG(...) aicpu::hostcann::KernelLog(3, __func__ __VA_OPT__(, ) __VA_ARGS__)

// Kernels leave the semicolon behind these out.
#define KERNEL_CHECK_FALSE(condition, errorCode, ...) \
    if (!(condition)) {                               \
        KERNEL_LOG_ERROR(__VA_ARGS__);                \
        return errorCode;                             \
    }

#define KERNEL_CHECK_FALSE_VOID(condition, ...) \
    if (!(condition)) {                         \
        KERNEL_LOG_ERROR(__VA_ARGS__);          \
        return;                                 \
    }

#define KERNEL_CHECK_FALSE_EXEC(condition, ...) \
    do {                                        \
        if (!(condition)) {                     \
            __VA_ARGS__;                        \
        }                                       \
    } while (false)

#define KERNEL_CHECK_NULLPTR(value, errorCode, ...) KERNEL_CHECK_FALSE((value) != nullptr, errorCode, __VA_ARGS__)
#define KERNEL_CHECK_NULLPTR_VOID(value, ...) KERNEL_CHECK_FALSE_VOID((value) != nullptr, __VA_ARGS__)

#define KERNEL_CHECK_RET(condition, errorCode) \
    do {                                       \
        if (condition) {                       \
            return errorCode;                  \
        }                                      \
    } while (false)

#define KERNEL_CHECK_ERROR(expression)                       \
    do {                                                     \
        const uint32_t kernelStatus_ = (expression);         \
        KERNEL_CHECK_RET(kernelStatus_ != 0, kernelStatus_); \
    } while (false)

#define KERNEL_HANDLE_ERROR(expression, ...)         \
    {                                                \
        const uint32_t kernelStatus_ = (expression); \
        if (kernelStatus_ != 0) {                    \
            KERNEL_LOG_ERROR(__VA_ARGS__);           \
            return kernelStatus_;                    \
        }                                            \
    }

#define KERNEL_CHECK_ASSIGN_64S_MULTI(a, b, result, errorCode)                                                     \
    do {                                                                                                           \
        int64_t kernelProduct_ = 0;                                                                                \
        KERNEL_CHECK_FALSE(!__builtin_mul_overflow((a), (b), &kernelProduct_), errorCode, "%lld * %lld overflows", \
                           static_cast<long long>(a), static_cast<long long>(b));                                  \
        (result) = kernelProduct_;                                                                                 \
    } while (false)

#endif // HOSTCANN_AICPU_LOG_H
