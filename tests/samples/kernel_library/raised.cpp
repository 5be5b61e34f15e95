// y = x * by + a number: a template, of which a program launches the instances that stand below.
#include "kernel_operator.h"
#include "shift.h"

namespace raise {

template <typename T, int32_t number = 1>
__global__ __aicore__ void raised(GM_ADDR x, GM_ADDR y, T by)
{
    AscendC::TPipe pipe;
    AscendC::TBuf<> buffer;
    pipe.InitBuffer(buffer, TILE * sizeof(T));
    AscendC::GlobalTensor<T> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x) + AscendC::GetBlockIdx() * TILE);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + AscendC::GetBlockIdx() * TILE);
    AscendC::LocalTensor<T> tile = buffer.Get<T>();
    AscendC::DataCopy(tile, from, TILE);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Muls(tile, tile, by, TILE);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Adds(tile, tile, static_cast<T>(number), TILE);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(to, tile, TILE);
}

} // namespace raise

template __global__ __aicore__ void raise::raised<float, 9>(GM_ADDR, GM_ADDR, float);
template __global__ __aicore__ void raise::raised<int32_t, 6>(GM_ADDR, GM_ADDR, int32_t);
