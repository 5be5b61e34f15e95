// What the kernels of this directory share: tiling data, the part of a core, tile lengths.
#ifndef HOSTCANN_BROKEN_COMMON_H
#define HOSTCANN_BROKEN_COMMON_H

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"

using namespace AscendC;

struct BrokenTiling {
    uint32_t length; // elements of every tensor
    uint32_t tile;   // elements a core works on at a time
};

// The tensors of a kernel.
struct Io {
    __aicore__ inline Io(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR tiling)
    {
        GET_TILING_DATA_WITH_STRUCT(BrokenTiling, tilingData, tiling);
        n = tilingData.length;
        tile = tilingData.tile;
        gx1.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x1), n);
        gx2.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x2), n);
        gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), n);
    }
    uint32_t n, tile;
    GlobalTensor<float> gx1, gx2, gy;
};

// A kernel of a file whose faults are a `Bug` of one class: its Run<Bug>.
#define PAIR(name, bug)                                                                                   \
    template <bool broken>                                                                                \
    __global__ __aicore__ void name(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) \
    {                                                                                                     \
        Run<broken ? (bug) : Bug::NONE>(x1, x2, y, tiling);                                               \
    }

// The contiguous elements one core works on.
struct Part {
    uint32_t from;
    uint32_t length;
};

__aicore__ inline uint32_t Smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Equal parts of whole `unit`s; the last core takes what is left.
__aicore__ inline Part PartOf(uint32_t length, uint32_t unit)
{
    const auto cores = static_cast<uint32_t>(GetBlockNum());
    const uint32_t units = (length + unit - 1) / unit;
    const uint32_t each = (units + cores - 1) / cores * unit;
    const uint32_t from = Smaller(each * static_cast<uint32_t>(GetBlockIdx()), length);
    return {from, Smaller(length - from, each)};
}

// A SetFlag directly followed by its WaitFlag: everything `event`'s second pipe does later is after its first pipe.
template <HardEvent event>
__aicore__ inline void Sync()
{
    const auto id = static_cast<event_t>(GetTPipePtr()->FetchEventID(event));
    SetFlag<event>(id);
    WaitFlag<event>(id);
}

// One contiguous copy of any length.
__aicore__ inline DataCopyExtParams Bytes(uint32_t elements)
{
    return {1, static_cast<uint32_t>(elements * sizeof(float)), 0, 0, 0};
}

__aicore__ inline DataCopyPadExtParams<float> NoPad() { return {false, 0, 0, 0.0f}; }

#endif // HOSTCANN_BROKEN_COMMON_H
