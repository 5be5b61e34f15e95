// y = x * scale + shift, or without the shift: parameters of several sizes.
#include "kernel_operator.h"
#include "shift.h"

extern "C" __global__ __aicore__ void affine(GM_ADDR x, bool isShifted, float scale, GM_ADDR y, int16_t shift)
{
    AscendC::TPipe pipe;
    AscendC::TBuf<> buffer;
    pipe.InitBuffer(buffer, TILE * sizeof(float));
    AscendC::GlobalTensor<float> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x) + AscendC::GetBlockIdx() * TILE);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y) + AscendC::GetBlockIdx() * TILE);
    AscendC::LocalTensor<float> tile = buffer.Get<float>();
    AscendC::DataCopy(tile, from, TILE);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Muls(tile, tile, scale, TILE);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Adds(tile, tile, isShifted ? static_cast<float>(shift) : 0.0F, TILE);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(to, tile, TILE);
}
