// y = x * scale + an offset, a tile for each core. The scalars are parameters; the second one's name is one that
// launches use.
#include "kernel_operator.h"
#include "shift.h"

#define SCALED(TYPE)                                                                                              \
    extern "C" __global__ __aicore__ void scaled_##TYPE(GM_ADDR x, __gm__ void* y, float scale, int32_t blockDim) \
    {                                                                                                             \
        AscendC::TPipe pipe;                                                                                      \
        AscendC::TBuf<> buffer;                                                                                   \
        pipe.InitBuffer(buffer, TILE * sizeof(TYPE));                                                             \
        AscendC::GlobalTensor<TYPE> from, to;                                                                     \
        from.SetGlobalBuffer(reinterpret_cast<__gm__ TYPE*>(x) + AscendC::GetBlockIdx() * TILE);                  \
        to.SetGlobalBuffer(reinterpret_cast<__gm__ TYPE*>(y) + AscendC::GetBlockIdx() * TILE);                    \
        AscendC::LocalTensor<TYPE> tile = buffer.Get<TYPE>();                                                     \
        AscendC::DataCopy(tile, from, TILE);                                                                      \
        AscendC::PipeBarrier<PIPE_ALL>();                                                                         \
        AscendC::Muls(tile, tile, static_cast<TYPE>(scale), TILE);                                                \
        AscendC::PipeBarrier<PIPE_V>();                                                                           \
        AscendC::Adds(tile, tile, static_cast<TYPE>(blockDim), TILE);                                             \
        AscendC::PipeBarrier<PIPE_ALL>();                                                                         \
        AscendC::DataCopy(to, tile, TILE);                                                                        \
    }

SCALED(float)
SCALED(int32_t)
