#include "checked_scale_tiling_data.h"
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void checked_scale(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    (void)workspace;
    REGISTER_TILING_DEFAULT(CheckedScaleTilingData);
    GET_TILING_DATA_WITH_STRUCT(CheckedScaleTilingData, data, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, CHECKED_SCALE_MAX * sizeof(float));
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
    LocalTensor<float> values = buffer.Get<float>();
    const DataCopyExtParams all = {1, static_cast<uint32_t>(data.elements * sizeof(float)), 0, 0, 0};
    DataCopyPad(values, from, all, DataCopyPadExtParams<float>{false, 0, 0, 0});
    PipeBarrier<PIPE_ALL>();
    Muls(values, values, data.factor, data.elements);
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(to, values, all);
}
