// Kernel unit tests on the host: run a kernel function on the vector cores of this toolkit.
#ifndef HOSTCANN_TIKICPULIB_H
#define HOSTCANN_TIKICPULIB_H

#include <cstdlib>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "kernel_operator.h"

enum class KernelMode : uint8_t { MIX_MODE = 0, AIC_MODE, AIV_MODE };

namespace AscendC {

using ::KernelMode;

inline void* GmAlloc(size_t size)
{
    const size_t aligned = (size + 511) / 512 * 512;
    return std::aligned_alloc(512, aligned == 0 ? 512 : aligned);
}
inline void GmFree(void* ptr) { std::free(ptr); }

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
    (*static_cast<const Call*>(args[0]))();
}

template <typename Call>
void RunBlocks(const char* name, uint32_t blockDim, const Call& call)
{
    void* const args[] = {const_cast<void*>(static_cast<const void*>(&call))};
    if (aic_icpu_run(&CallBlock<Call>, name, IcpuTilingKey(), blockDim, args, 1) != 0) {
        throw std::runtime_error(aic_last_error());
    }
}

template <typename... Params, typename... Args>
void IcpuRun(const char* name, void (*kernel)(Params...), uint32_t blockDim, Args&&... args)
{
    const std::tuple<Params...> params(static_cast<Params>(args)...);
    RunBlocks(name, blockDim, [&] { std::apply(kernel, params); });
}

} // namespace hostcann

} // namespace AscendC

#define ICPU_SET_TILING_KEY(key) (::AscendC::hostcann::IcpuTilingKey() = (key))

// Throws std::runtime_error with the fault's text when the kernel faults.
#define ICPU_RUN_KF(kernel, blockDim, ...) ::AscendC::hostcann::IcpuRun(#kernel, kernel, blockDim, ##__VA_ARGS__)

#endif // HOSTCANN_TIKICPULIB_H
