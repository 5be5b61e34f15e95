#include "common/span.h"

template <typename T>
struct Fma {
    T scale, offset;
    __aicore__ inline void operator()(AscendC::LocalTensor<T>& y, AscendC::LocalTensor<T>& x, uint32_t count) const
    {
        AscendC::Muls(y, x, scale, static_cast<int32_t>(count));
        AscendC::Adds(y, y, offset, static_cast<int32_t>(count));
    }
};

template <typename T>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR y, const FmaTilingData& data)
{
    Span<T, Fma<T>> span;
    span.Init(x, y, data.total, data.share);
    span.Process(Fma<T>{static_cast<T>(data.scale), static_cast<T>(data.offset)});
}

extern "C" __global__ __aicore__ void fma(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    (void)workspace;
    GET_TILING_DATA(data, tiling);
    if (TILING_KEY_IS(1)) {
        Run<float>(x, y, data);
    } else if (TILING_KEY_IS(2)) {
        Run<int16_t>(x, y, data);
    }
}
