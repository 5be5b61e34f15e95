// y = x + first + second by way of the workspace. The kernel gets the workspace after the part that is the system's.
#include "kernel_operator.h"
#include "shift.h"

extern "C" __global__ __aicore__ void shifted(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    const auto* shift = reinterpret_cast<__gm__ Shift*>(tiling);
    AscendC::TPipe pipe;
    AscendC::TBuf<> buffer;
    pipe.InitBuffer(buffer, TILE * sizeof(float));
    AscendC::GlobalTensor<float> from, between, to;
    const auto start = AscendC::GetBlockIdx() * TILE;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x) + start);
    between.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace) + start);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y) + start);
    AscendC::LocalTensor<float> tile = buffer.Get<float>();
    AscendC::DataCopy(tile, from, TILE);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Adds(tile, tile, shift->first, TILE);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(between, tile, TILE);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(tile, between, TILE);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Adds(tile, tile, shift->second, TILE);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(to, tile, TILE);
}
