// Kernel unit tests on the host: run a kernel function on the vector cores of this toolkit.
#ifndef HOSTCANN_TIKICPULIB_H
#define HOSTCANN_TIKICPULIB_H

#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernel_operator.h"

#include "ascendc/kernel/entry.h"

enum class KernelMode : uint8_t { MIX_MODE = 0, AIC_MODE, AIV_MODE };

namespace AscendC {

using ::KernelMode;

inline void* GmAlloc(size_t size) { return aic_gm_alloc(size); }
inline void GmFree(void* ptr)
{
    if (aic_gm_free(ptr) != 0) {
        throw std::runtime_error("GmFree: the address was not returned by GmAlloc, or was already freed");
    }
}

// Every kernel runs on vector cores here.
inline void SetKernelMode(KernelMode mode)
{
    if (mode != KernelMode::AIV_MODE) {
        throw std::runtime_error("SetKernelMode: not implemented by hostcann: only KernelMode::AIV_MODE exists here");
    }
}

namespace hostcann {

inline uint64_t& IcpuTilingKey()
{
    static thread_local uint64_t key = 0;
    return key;
}

template <typename Call>
void CallBlock(void* const* args)
{
    KernelEntry(*static_cast<const Call*>(args[0]));
}

template <typename T>
void AddPointer(aic_icpu_param* found, uint32_t* count, uint32_t index, const T& value)
{
    if constexpr (std::is_pointer<T>::value) {
        found[(*count)++] = {index, const_cast<void*>(static_cast<const volatile void*>(value))};
    }
}

template <typename... Params, typename... Args>
void IcpuRun(const char* name, void (*kernel)(Params...), uint32_t blockDim, Args&&... args)
{
    const std::tuple<Params...> params(static_cast<Params>(args)...);
    const auto call = [&] { std::apply(kernel, params); };
    aic_icpu_param pointers[sizeof...(Params) + 1];
    uint32_t count = 0;
    uint32_t index = 0;
    std::apply([&](const auto&... value) { (AddPointer(pointers, &count, index++, value), ...); }, params);
    const void* const target = &call;
    void* const block[] = {const_cast<void*>(target)};
    if (aic_icpu_run(&CallBlock<decltype(call)>, name, IcpuTilingKey(), blockDim, block, 1, pointers, count) != 0) {
        throw std::runtime_error(aic_last_error());
    }
}

} // namespace hostcann

} // namespace AscendC

#define ICPU_SET_TILING_KEY(key) (::AscendC::hostcann::IcpuTilingKey() = (key))

// Throws std::runtime_error with the fault's text when the kernel faults.
#define ICPU_RUN_KF(kernel, blockDim, ...) ::AscendC::hostcann::IcpuRun(#kernel, kernel, blockDim, ##__VA_ARGS__)

#endif // HOSTCANN_TIKICPULIB_H
