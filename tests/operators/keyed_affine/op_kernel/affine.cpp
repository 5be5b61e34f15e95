#include "affine_tile.h"
#include "kernel_operator.h"

using namespace AscendC;

#define KEY_SCALE_ONLY 10
#define KEY_SCALE_AND_SHIFT 11

// The data type decides what is compiled, not only what is run.
#if ORIG_DTYPE_X == DT_FLOAT
using Element = float;
#elif ORIG_DTYPE_X == DT_INT32
using Element = int32_t;
#else
#error "KeyedAffine has two data types"
#endif

// Another chip registers a struct of the kernel's own: here the one of op_host counts.
#if __CCE_AICORE__ == 310
struct KeyedAffineTilingData {
    uint64_t elements;
};
#endif

extern "C" __global__ __aicore__ void keyed_affine(GM_ADDR x, GM_ADDR scale, GM_ADDR y, GM_ADDR workspace,
                                                   GM_ADDR tiling)
{
    (void)scale;
    (void)workspace;
#if __CCE_AICORE__ == 310
    REGISTER_TILING_DEFAULT(KeyedAffineTilingData);
#endif
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, TILE * sizeof(Element));
    GlobalTensor<Element> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(x));
    to.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(y));
    LocalTensor<Element> local = buffer.Get<Element>();
    for (int64_t at = 0; at < data.extent.elements[0]; at += TILE) {
        const int64_t left = data.extent.elements[0] - at;
        const uint32_t count = static_cast<uint32_t>(left < TILE ? left : TILE);
        const DataCopyExtParams extent{1, static_cast<uint32_t>(count * sizeof(Element)), 0, 0, 0};
        DataCopyPad(local, from[at], extent, DataCopyPadExtParams<Element>{false, 0, 0, 0});
        PipeBarrier<PIPE_ALL>();
        Muls(local, local, static_cast<Element>(data.scale), count);
        if (TILING_KEY_IS(KEY_SCALE_AND_SHIFT)) {
            PipeBarrier<PIPE_V>();
            Adds(local, local, static_cast<Element>(data.shift), count);
        } else if (TILING_KEY_IS(KEY_SCALE_ONLY)) {
            PipeBarrier<PIPE_V>();
        }
        PipeBarrier<PIPE_ALL>();
        DataCopyPad(to[at], local, extent);
        PipeBarrier<PIPE_ALL>();
    }
}
