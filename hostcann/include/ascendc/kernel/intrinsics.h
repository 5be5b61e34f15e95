// Instructions of the device compiler that vector kernels call by their own names.
#ifndef HOSTCANN_ASCENDC_KERNEL_INTRINSICS_H
#define HOSTCANN_ASCENDC_KERNEL_INTRINSICS_H

#include "ascendc/kernel/intrinsics_vec.h"
#include "ascendc/kernel/sync.h"
#include "ascendc/kernel/system.h"

HOSTCANN_API void pipe_barrier(pipe_t pipe) { aic_barrier(static_cast<uint32_t>(pipe)); }
HOSTCANN_API void set_flag(pipe_t src, pipe_t dst, int32_t id)
{
    aic_set_flag(static_cast<uint32_t>(AscendC::hostcann::EventBetween(src, dst)), id);
}
HOSTCANN_API void wait_flag(pipe_t src, pipe_t dst, int32_t id)
{
    aic_wait_flag(static_cast<uint32_t>(AscendC::hostcann::EventBetween(src, dst)), id);
}

HOSTCANN_API void set_mask_count() { aic_mask_mode(1); }
HOSTCANN_API void set_mask_norm() { aic_mask_mode(0); }
HOSTCANN_API void set_vector_mask(uint64_t high, uint64_t low) { aic_mask_set(high, low); }

HOSTCANN_API int64_t get_block_idx() { return aic_block_idx(); }
HOSTCANN_API int64_t get_block_num() { return aic_block_num(); }
HOSTCANN_API int64_t get_subblockid() { return AscendC::GetSubBlockIdx(); }
HOSTCANN_API int64_t get_subblockdim() { return AscendC::GetSubBlockNum(); }
HOSTCANN_API int64_t get_sys_cnt() { return aic_system_cycle(); }

// The kernel's parameters as they lie in memory: the arguments, then the tiling data itself.
HOSTCANN_API uint64_t get_para_base() { return reinterpret_cast<uint64_t>(aic_para_base()); }

namespace AscendC {
namespace hostcann {
struct BlockIdx {
    HOSTCANN_API operator int64_t() const { return aic_block_idx(); }
};
} // namespace hostcann

// A copy between raw pointers; one of the unified buffer is an offset, as GetPhyAddr gives it.
template <typename T>
HOSTCANN_API void DataCopyUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyParams& params)
{
    GlobalTensor<T> gm;
    gm.SetGlobalBuffer(dst);
    DataCopy(gm, hostcann::Raw(src), params);
}
template <typename T>
HOSTCANN_API void DataCopyGM2UBImpl(__ubuf__ T* dst, __gm__ T* src, const DataCopyParams& params)
{
    GlobalTensor<T> gm;
    gm.SetGlobalBuffer(src);
    DataCopy(hostcann::Raw(dst), gm, params);
}
} // namespace AscendC

// An object and not a macro: kernels have variables of this name.
[[maybe_unused]] constexpr AscendC::hostcann::BlockIdx block_idx{};

#endif // HOSTCANN_ASCENDC_KERNEL_INTRINSICS_H
