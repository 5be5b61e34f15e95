// Stack buffers of the pipe, and the calls that fill global memory through one.
#ifndef HOSTCANN_ASCENDC_KERNEL_GM_FILL_H
#define HOSTCANN_ASCENDC_KERNEL_GM_FILL_H

#include "ascendc/kernel/data_copy.h"
#include "ascendc/kernel/pipe.h"
#include "ascendc/kernel/vec_fill.h"

namespace AscendC {

// All of the unified buffer above what InitBuffer handed out. Nothing is reserved: a later InitBuffer may overlap.
template <typename T, TPosition pos>
HOSTCANN_API bool PopStackBuffer(LocalTensor<T>& popLocal)
{
    static_assert(hostcann::IsVectorPosition(pos) && pos != TPosition::GM, "PopStackBuffer: VECIN, VECOUT or VECCALC");
    popLocal = hostcann::Access::Make<T>(aic_pop_stack(), pos);
    return true;
}

// size counts elements. The caller orders earlier and later accesses to the same memory.
template <typename T>
HOSTCANN_API void Fill(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value)
{
    const LocalTensor<T> buffer = hostcann::Access::Make<T>(aic_fill_stack(), TPosition::VECCALC);
    constexpr uint64_t INSTRUCTION = 255 * 256 / sizeof(T);
    const uint64_t part = buffer.GetSize() < INSTRUCTION ? buffer.GetSize() : INSTRUCTION;
    Duplicate(buffer, value, static_cast<int32_t>(part));
    const TEventID id = GetTPipePtr()->FetchEventID(HardEvent::V_MTE3);
    SetFlag<HardEvent::V_MTE3>(id);
    WaitFlag<HardEvent::V_MTE3>(id);
    for (uint64_t done = 0; done < size; done += part) {
        const uint64_t now = size - done < part ? size - done : part;
        DataCopyPad(gmWorkspaceAddr[done], buffer,
                    DataCopyExtParams(1, static_cast<uint32_t>(now * sizeof(T)), 0, 0, 0));
    }
    PipeBarrier<PIPE_MTE3>();
}
template <typename T>
HOSTCANN_API void InitGlobalMemory(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value)
{
    Fill(gmWorkspaceAddr, size, value);
}
template <typename T>
HOSTCANN_API void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = 0)
{
    Fill(gmWorkspaceAddr, size, value);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_GM_FILL_H
