// Flags, barriers, masks and other state of a core.
#ifndef HOSTCANN_ASCENDC_KERNEL_SYNC_H
#define HOSTCANN_ASCENDC_KERNEL_SYNC_H

#include "ascendc/kernel/emit.h"
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

// Of the unified buffer, which has no line in the cache here.
template <typename T, CacheLine entireType, DcciDst dcciDst>
HOSTCANN_API void DataCacheCleanAndInvalid(const LocalTensor<T>& dst)
{
    static_assert(dcciDst == DcciDst::CACHELINE_UB || dcciDst == DcciDst::CACHELINE_ALL,
                  "DataCacheCleanAndInvalid of a LocalTensor: CACHELINE_UB or CACHELINE_ALL");
    if (dcciDst == DcciDst::CACHELINE_ALL && entireType == CacheLine::ENTIRE_DATA_CACHE) {
        aic_dcci(nullptr, 1);
    }
    (void)dst;
}

// Hints: what they load early is loaded when it is needed.
template <typename T>
HOSTCANN_API void DataCachePreload(const GlobalTensor<uint64_t>&, const T)
{
    static_assert(std::is_same<T, int16_t>::value || std::is_same<T, int64_t>::value,
                  "DataCachePreload: cacheOffset is int16_t or int64_t");
}
HOSTCANN_API void ICachePreLoad(const int64_t) {}
// 0: the preload is done.
HOSTCANN_API int64_t GetICachePreloadStatus() { return 0; }

namespace hostcann {
// A toolkit compiles any type and refuses it in the kernel.
template <typename T>
HOSTCANN_API void CheckAtomicType(const char* name)
{
    if constexpr (!IsOneOf<T, int8_t, int16_t, half, bfloat16_t, int32_t, float>) {
        aic_misuse(name, "T", "atomic copies do not have the type, whose bytes are counted here",
                   "int8_t, int16_t, half, bfloat16_t, int32_t or float on A2", sizeof(T),
                   "convert in the unified buffer and copy one of these types");
    }
}
template <typename T>
HOSTCANN_API void SetAtomic(const char* name, uint32_t op)
{
    CheckAtomicType<T>(name);
    aic_atomic(op, DtypeOf<T>::VALUE);
}
} // namespace hostcann

// For every later copy from the unified buffer to global memory, until the mode is switched off.
template <typename T>
HOSTCANN_API void SetAtomicAdd()
{
    hostcann::SetAtomic<T>("SetAtomicAdd", AIC_ATOMIC_ADD);
}
template <typename T>
HOSTCANN_API void SetAtomicMax()
{
    hostcann::SetAtomic<T>("SetAtomicMax", AIC_ATOMIC_MAX);
}
template <typename T>
HOSTCANN_API void SetAtomicMin()
{
    hostcann::SetAtomic<T>("SetAtomicMin", AIC_ATOMIC_MIN);
}
// Of the operation that is set, a sum if there is none.
template <typename T>
HOSTCANN_API void SetAtomicType()
{
    hostcann::CheckAtomicType<T>("SetAtomicType");
    aic_atomic_type(hostcann::DtypeOf<T>::VALUE);
}
HOSTCANN_API void SetAtomicNone() { aic_atomic(AIC_ATOMIC_NONE, 0); }
HOSTCANN_API void DisableDmaAtomic() { aic_atomic(AIC_ATOMIC_NONE, 0); }

enum class AtomicDtype {
    ATOMIC_NONE = 0,
    ATOMIC_F32,
    ATOMIC_F16,
    ATOMIC_S16,
    ATOMIC_S32,
    ATOMIC_S8,
    ATOMIC_BF16,
};
enum class AtomicOp { ATOMIC_SUM = 0 };

namespace hostcann {
// The element type behind each AtomicDtype.
constexpr uint32_t ATOMIC_DTYPES[] = {~0u,
                                      DtypeOf<float>::VALUE,
                                      DtypeOf<half>::VALUE,
                                      DtypeOf<int16_t>::VALUE,
                                      DtypeOf<int32_t>::VALUE,
                                      DtypeOf<int8_t>::VALUE,
                                      DtypeOf<bfloat16_t>::VALUE};
} // namespace hostcann

template <AtomicDtype type, AtomicOp op>
HOSTCANN_API void SetStoreAtomicConfig()
{
    static_assert(op == AtomicOp::ATOMIC_SUM, "SetStoreAtomicConfig: ATOMIC_SUM only");
    if (type == AtomicDtype::ATOMIC_NONE) {
        aic_atomic(AIC_ATOMIC_NONE, 0);
    } else {
        aic_atomic(AIC_ATOMIC_ADD, hostcann::ATOMIC_DTYPES[static_cast<int>(type)]);
    }
}
HOSTCANN_API void GetStoreAtomicConfig(uint16_t& atomicType, uint16_t& atomicOp)
{
    const uint32_t state = aic_atomic_state();
    const uint32_t operation = state >> 16;
    atomicType = 0;
    atomicOp = operation == AIC_ATOMIC_NONE ? 0 : static_cast<uint16_t>(operation - AIC_ATOMIC_ADD);
    for (uint16_t i = 1; operation != AIC_ATOMIC_NONE && i < 7; ++i) {
        if (hostcann::ATOMIC_DTYPES[i] == (state & 0xffff)) {
            atomicType = i;
        }
    }
}

// The cores that meet must be all alive: at most as many blocks as the chip has vector cores.
template <bool isAIVOnly = true>
HOSTCANN_API void SyncAll()
{
    aic_sync_all(isAIVOnly ? 0 : 1);
}
template <bool isAIVOnly = true>
HOSTCANN_API void SyncAll(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
                          const int32_t usedCores = 0)
{
    static_assert(isAIVOnly, "hostcann: SyncAll<false> with a workspace is not modelled; SyncAll<false>() is");
    const aic_operand ub = hostcann::Access::Operand(ubWorkspace);
    aic_sync_soft(const_cast<int32_t*>(gmWorkspace.GetPhyAddr()), &ub, usedCores);
}

namespace hostcann {
template <typename T>
HOSTCANN_API void CheckBypassType()
{
    static_assert(std::is_integral<T>::value && !std::is_same<T, bool>::value,
                  "ReadGmByPassDCache and WriteGmByPassDCache: integers of 8 to 64 bits");
}
} // namespace hostcann

// Scalar accesses to global memory past the data cache.
template <typename T>
HOSTCANN_API T ReadGmByPassDCache(__gm__ T* addr)
{
    hostcann::CheckBypassType<T>();
    aic_gm_bypass(addr, sizeof(T), 0);
    return __atomic_load_n(addr, __ATOMIC_ACQUIRE);
}
template <typename T>
HOSTCANN_API void WriteGmByPassDCache(__gm__ T* addr, T value)
{
    hostcann::CheckBypassType<T>();
    aic_gm_bypass(addr, sizeof(T), 1);
    __atomic_store_n(addr, value, __ATOMIC_RELEASE);
}

// Holds back the compiler only; no pipe waits for another.
HOSTCANN_API void Barrier() { __asm__ __volatile__("" ::: "memory"); }

// Flags between the cores of a launch: mode 0 joins all of them.
template <uint8_t modeId, pipe_t pipe>
HOSTCANN_API void CrossCoreSetFlag(uint16_t flagId)
{
    static_assert(modeId <= 2, "CrossCoreSetFlag: A2 has the modes 0, 1 and 2");
    static_assert(pipe != PIPE_S && pipe != PIPE_ALL, "CrossCoreSetFlag: PIPE_S and PIPE_ALL are not supported");
    aic_cross_set(modeId, static_cast<uint32_t>(pipe), flagId);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
HOSTCANN_API void CrossCoreWaitFlag(uint16_t flagId)
{
    aic_cross_wait(flagId);
}

namespace hostcann {
// The word of a core and an event in the workspace of IBSet and IBWait.
template <bool isAIVOnly>
HOSTCANN_API void Exchange(const GlobalTensor<int32_t>& gmWorkspace, int32_t blockIdx, int32_t eventID, uint32_t set)
{
    static_assert(isAIVOnly, "IBSet<false> and IBWait<false> count cube cores; every launch here is vector-only");
    const int64_t word = aic_block_num() * 8 * eventID + int64_t{blockIdx} * 8;
    aic_exchange(const_cast<int32_t*>(gmWorkspace.GetPhyAddr()) + word, set);
}
} // namespace hostcann

// One core tells another: the word goes from 0 to 1 and back.
template <bool isAIVOnly = true>
HOSTCANN_API void IBSet(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>&, int32_t blockIdx,
                        int32_t eventID)
{
    hostcann::Exchange<isAIVOnly>(gmWorkspace, blockIdx, eventID, 1);
}
template <bool isAIVOnly = true>
HOSTCANN_API void IBWait(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>&, int32_t blockIdx,
                         int32_t eventID)
{
    hostcann::Exchange<isAIVOnly>(gmWorkspace, blockIdx, eventID, 0);
}

// One core after the other, in the order of their numbers.
HOSTCANN_API void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace)
{
    const aic_operand ub = hostcann::Access::Operand(ubWorkspace);
    aic_turns_init(const_cast<int32_t*>(gmWorkspace.GetPhyAddr()), &ub);
}
HOSTCANN_API void WaitPreBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace)
{
    const aic_operand ub = hostcann::Access::Operand(ubWorkspace);
    aic_turn_wait(const_cast<int32_t*>(gmWorkspace.GetPhyAddr()), &ub);
}
HOSTCANN_API void NotifyNextBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace)
{
    const aic_operand ub = hostcann::Access::Operand(ubWorkspace);
    aic_turn_done(const_cast<int32_t*>(gmWorkspace.GetPhyAddr()), &ub);
}

enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

// Some cores arrive, others wait for all of them. 512 zero bytes of workspace for every core that waits.
template <PipeMode pipeMode>
class GroupBarrier {
    static_assert(pipeMode == PipeMode::MTE3_MODE, "GroupBarrier: MTE3_MODE only");

public:
    HOSTCANN_API GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn)
        : workspace_(groupWorkspace), arrive_(arriveSizeIn), wait_(waitSizeIn)
    {
    }
    HOSTCANN_API void Arrive(uint32_t arriveIndex)
    {
        Check("GroupBarrier::Arrive", arriveIndex, arrive_);
        aic_group_arrive(workspace_, wait_);
    }
    HOSTCANN_API void Wait(uint32_t waitIndex)
    {
        Check("GroupBarrier::Wait", waitIndex, wait_);
        aic_group_wait(workspace_, waitIndex, ++round_ * arrive_);
    }
    HOSTCANN_API uint64_t GetWorkspaceLen() { return uint64_t{wait_} * 512; }

private:
    HOSTCANN_API void Check(const char* name, uint32_t index, uint32_t size)
    {
        if (index >= size) {
            aic_misuse(name, "index", "no such core of the group", "less than the size given to the constructor", index,
                       "count the cores of each group from 0");
        }
    }

    GM_ADDR workspace_;
    uint32_t arrive_;
    uint32_t wait_;
    uint32_t round_ = 0;
};

// For kernels inside a SuperKernel; on A2 they only compile (their pages).
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
HOSTCANN_API void SetNextTaskStart()
{
}
template <bool FORCE = false>
HOSTCANN_API void WaitPreTaskEnd()
{
}

HOSTCANN_API void InitSocState()
{
    SetAtomicNone();
    aic_mask_mode(0);
    aic_mask_reset();
}

} // namespace AscendC

// The instructions behind this one.
#define PRELOAD(len) ::AscendC::ICachePreLoad(len)

#endif // HOSTCANN_ASCENDC_KERNEL_SYNC_H
