// libruntime.so: the rt functions that test kits call beside the acl ones. Every one is the acl function of the same
// meaning.
#include <cstdint>

#include "acl/acl.h"
#include "hostcann/host_abi.h"

namespace {

// Kits read the status as 64 bits, of which an int32_t result leaves the upper half open.
uint64_t Wide(aclError status) { return static_cast<uint32_t>(status); }

} // namespace

extern "C" {

uint64_t rtSetDevice(int32_t device) { return Wide(aclrtSetDevice(device)); }

uint64_t rtDeviceReset(int32_t device) { return Wide(aclrtResetDevice(device)); }

uint64_t rtCtxCreate(void** context, uint32_t, int32_t device) { return Wide(aclrtCreateContext(context, device)); }

uint64_t rtCtxDestroy(void* context) { return Wide(aclrtDestroyContext(context)); }

uint64_t rtStreamCreate(void** stream, int32_t priority)
{
    return Wide(aclrtCreateStreamWithConfig(stream, static_cast<uint32_t>(priority), 0));
}

uint64_t rtStreamDestroy(void* stream) { return Wide(aclrtDestroyStream(stream)); }

uint64_t rtStreamDestroyForce(void* stream) { return Wide(aclrtDestroyStreamForce(stream)); }

uint64_t rtStreamSynchronize(void* stream) { return Wide(aclrtSynchronizeStream(stream)); }

uint64_t rtStreamSynchronizeWithTimeout(void* stream, int32_t milliseconds)
{
    return Wide(aclrtSynchronizeStreamWithTimeout(stream, milliseconds));
}

// There is one kind of device memory; type and module say which and for whom.
uint64_t rtMalloc(void** memory, uint64_t size, uint32_t, uint16_t)
{
    return Wide(aclrtMalloc(memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
}

uint64_t rtFree(void* memory) { return Wide(aclrtFree(memory)); }

// Kinds 0 to 3 have the same numbers on both sides.
uint64_t rtMemcpy(void* to, uint64_t capacity, const void* from, uint64_t size, uint32_t kind)
{
    return Wide(aclrtMemcpy(to, capacity, from, size, static_cast<aclrtMemcpyKind>(kind)));
}

uint64_t rtGetDeviceSatMode(int32_t* mode)
{
    auto now = ACL_RT_OVERFLOW_MODE_UNDEF;
    const aclError status = mode == nullptr ? ACL_ERROR_INVALID_PARAM : aclrtGetDeviceSatMode(&now);
    if (status == ACL_SUCCESS) {
        *mode = static_cast<int32_t>(now);
    }
    return Wide(status);
}

uint64_t rtSetDeviceSatMode(int32_t mode)
{
    return Wide(aclrtSetDeviceSatMode(static_cast<aclrtFloatOverflowMode>(mode)));
}

// Kernels are launched through aclnn, or through acl as objects of a package.
#define UNSUPPORTED(name)                            \
    uint64_t name()                                  \
    {                                                \
        static bool isTold = false;                  \
        return Wide(hc_unsupported(#name, &isTold)); \
    }

UNSUPPORTED(rtDevBinaryRegister)
UNSUPPORTED(rtFunctionRegister)
UNSUPPORTED(rtKernelLaunch)
UNSUPPORTED(rtGetC2cCtrlAddr)

} // extern "C"
