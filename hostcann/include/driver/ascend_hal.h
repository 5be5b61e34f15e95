// What AI CPU kernels ask of the driver. The host has no SDMA: the function is there on no machine, and kernels that
// look for it copy by themselves.
#ifndef HOSTCANN_DRIVER_ASCEND_HAL_H
#define HOSTCANN_DRIVER_ASCEND_HAL_H

#include <stddef.h>

typedef unsigned long long DVdeviceptr;

typedef enum tagDrvError {
    DRV_ERROR_NONE = 0,
    DRV_ERROR_NOT_SUPPORT = 0xfffe,
} drvError_t;

#ifdef __cplusplus
extern "C" {
#endif

drvError_t halSdmaCopy(DVdeviceptr dst, size_t dst_size, DVdeviceptr src, size_t len) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif // HOSTCANN_DRIVER_ASCEND_HAL_H
