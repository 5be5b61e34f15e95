// Flags, barriers, masks and other state of a core.
#ifndef HOSTCANN_ASCENDC_KERNEL_SYNC_H
#define HOSTCANN_ASCENDC_KERNEL_SYNC_H

#include "ascendc/kernel/tensor.h"

namespace AscendC {

template <HardEvent event>
HOSTCANN_API void SetFlag(int32_t eventID)
{
    aic_set_flag(static_cast<uint32_t>(event), eventID);
}

template <HardEvent event>
HOSTCANN_API void WaitFlag(int32_t eventID)
{
    aic_wait_flag(static_cast<uint32_t>(event), eventID);
}

template <pipe_t pipe>
HOSTCANN_API void PipeBarrier()
{
    static_assert(pipe != PIPE_S, "PipeBarrier: PIPE_S is not supported");
    aic_barrier(static_cast<uint32_t>(pipe));
}

template <MemDsbT arg0>
HOSTCANN_API void DataSyncBarrier()
{
    aic_barrier(PIPE_ALL);
}

namespace hostcann {

constexpr HardEvent EventBetween(pipe_t src, pipe_t dst)
{
    return src == PIPE_MTE2 && dst == PIPE_V    ? HardEvent::MTE2_V :
           src == PIPE_V && dst == PIPE_MTE2    ? HardEvent::V_MTE2 :
           src == PIPE_MTE3 && dst == PIPE_V    ? HardEvent::MTE3_V :
           src == PIPE_V && dst == PIPE_MTE3    ? HardEvent::V_MTE3 :
           src == PIPE_V && dst == PIPE_V       ? HardEvent::V_V :
           src == PIPE_MTE3 && dst == PIPE_MTE2 ? HardEvent::MTE3_MTE2 :
           src == PIPE_MTE2 && dst == PIPE_MTE3 ? HardEvent::MTE2_MTE3 :
           src == PIPE_S && dst == PIPE_V       ? HardEvent::S_V :
           src == PIPE_V && dst == PIPE_S       ? HardEvent::V_S :
           src == PIPE_S && dst == PIPE_MTE2    ? HardEvent::S_MTE2 :
           src == PIPE_MTE2 && dst == PIPE_S    ? HardEvent::MTE2_S :
           src == PIPE_S && dst == PIPE_MTE3    ? HardEvent::S_MTE3 :
           src == PIPE_MTE3 && dst == PIPE_S    ? HardEvent::MTE3_S :
                                                  HardEvent::MAX;
}

} // namespace hostcann

template <pipe_t src, pipe_t dst>
class TQueSync {
public:
    HOSTCANN_API void SetFlag(TEventID id) { AscendC::SetFlag<EVENT>(id); }
    HOSTCANN_API void WaitFlag(TEventID id) { AscendC::WaitFlag<EVENT>(id); }

private:
    static constexpr HardEvent EVENT = hostcann::EventBetween(src, dst);
    static_assert(EVENT != HardEvent::MAX, "TQueSync: a vector core has no event between these pipes");
};

HOSTCANN_API void SetMaskCount() { aic_mask_mode(1); }
HOSTCANN_API void SetMaskNorm() { aic_mask_mode(0); }
HOSTCANN_API void ResetMask() { aic_mask_reset(); }

template <typename T, MaskMode mode = MaskMode::NORMAL>
HOSTCANN_API void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow)
{
    aic_mask_set(maskHigh, maskLow);
}

// A number of elements: lanes per repeat in normal mode, all of them in counter mode.
template <typename T, MaskMode mode = MaskMode::NORMAL>
HOSTCANN_API void SetVectorMask(int32_t len)
{
    if (mode == MaskMode::COUNTER) {
        aic_mask_set(0, static_cast<uint64_t>(len));
        return;
    }
    const auto word = [](int32_t n) { return n >= 64 ? ~uint64_t{0} : n <= 0 ? uint64_t{0} : (uint64_t{1} << n) - 1; };
    aic_mask_set(word(len - 64), word(len));
}

HOSTCANN_API void SetDeqScale(half scale)
{
    uint16_t bits;
    std::memcpy(&bits, &scale, sizeof(bits));
    aic_deq_scale(bits);
}

// Scalar accesses are not cached here; the checker follows which lines the device would still hold.
template <typename T, CacheLine entireType, DcciDst dcciDst>
HOSTCANN_API void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst)
{
    aic_dcci(dst.GetPhyAddr(), entireType == CacheLine::ENTIRE_DATA_CACHE);
}
template <typename T, CacheLine entireType>
HOSTCANN_API void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst)
{
    aic_dcci(dst.GetPhyAddr(), entireType == CacheLine::ENTIRE_DATA_CACHE);
}

namespace hostcann {
template <typename T>
HOSTCANN_API void SetAtomic(uint32_t op)
{
    static_assert(std::is_same<T, int8_t>::value || std::is_same<T, int16_t>::value || std::is_same<T, half>::value ||
                      std::is_same<T, bfloat16_t>::value || std::is_same<T, int32_t>::value ||
                      std::is_same<T, float>::value,
                  "atomic copies: int8_t, int16_t, half, bfloat16_t, int32_t or float on A2");
    aic_atomic(op, DtypeOf<T>::VALUE);
}
} // namespace hostcann

// For every later copy from the unified buffer to global memory, until the mode is switched off.
template <typename T>
HOSTCANN_API void SetAtomicAdd()
{
    hostcann::SetAtomic<T>(AIC_ATOMIC_ADD);
}
template <typename T>
HOSTCANN_API void SetAtomicMax()
{
    hostcann::SetAtomic<T>(AIC_ATOMIC_MAX);
}
template <typename T>
HOSTCANN_API void SetAtomicMin()
{
    hostcann::SetAtomic<T>(AIC_ATOMIC_MIN);
}
HOSTCANN_API void SetAtomicNone() { aic_atomic(AIC_ATOMIC_NONE, 0); }
HOSTCANN_API void DisableDmaAtomic() { aic_atomic(AIC_ATOMIC_NONE, 0); }

// The cores that meet must be all alive: at most as many blocks as the chip has vector cores.
template <bool isAIVOnly = true>
HOSTCANN_API void SyncAll()
{
    static_assert(isAIVOnly, "SyncAll<false> also waits for cube cores; every launch here is vector-only");
    aic_sync_all();
}
template <bool isAIVOnly = true>
HOSTCANN_API void SyncAll(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
                          const int32_t usedCores = 0)
{
    static_assert(isAIVOnly, "SyncAll<false> also waits for cube cores; every launch here is vector-only");
    aic_sync_soft(const_cast<int32_t*>(gmWorkspace.GetPhyAddr()), hostcann::Access::Operand(ubWorkspace), usedCores);
}

// Holds back the compiler only; no pipe waits for another.
HOSTCANN_API void Barrier() { __asm__ __volatile__("" ::: "memory"); }

// --- exist upstream, fault here ---
template <uint8_t modeId, pipe_t pipe>
HOSTCANN_API void CrossCoreSetFlag(uint16_t)
{
    aic_unsupported("CrossCoreSetFlag");
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
HOSTCANN_API void CrossCoreWaitFlag(uint16_t)
{
    aic_unsupported("CrossCoreWaitFlag");
}

HOSTCANN_API void InitSocState()
{
    SetAtomicNone();
    aic_mask_mode(0);
    aic_mask_reset();
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_SYNC_H
