#include "common/span.h"

struct ClipRange {
    int32_t low, high;
    __aicore__ inline void operator()(AscendC::LocalTensor<int32_t>& y, AscendC::LocalTensor<int32_t>& x,
                                      uint32_t count) const
    {
        AscendC::Maxs(y, x, low, static_cast<int32_t>(count));
        AscendC::Mins(y, y, high, static_cast<int32_t>(count));
    }
};

extern "C" __global__ __aicore__ void clip_range(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    (void)workspace;
    GET_TILING_DATA(data, tiling);
    Span<int32_t, ClipRange> span;
    span.Init(x, y, data.total, data.share);
    span.Process(ClipRange{data.range[0], data.range[1]});
}
