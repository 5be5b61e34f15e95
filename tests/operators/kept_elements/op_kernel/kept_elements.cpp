#include <type_traits>

#include "kernel_operator.h"
#include "kept_elements_tiling_data.h"
// In a package the kernels of all operators lie side by side.
#include "../keyed_affine/affine_tile.h"
#include "op_kernel/math_util.h"
#include "op_kernel/platform_util.h"

using namespace AscendC;

#if defined(TILING_KEY_VAR) && TILING_KEY_VAR != 0
#error "there is one key"
#endif

static_assert(std::is_same<DTYPE_X, float>::value, "no kernel is made of another column");
static_assert(TILE == KEPT_ELEMENTS_MAX, "one tile is enough");
constexpr uint32_t SHAPE_WORDS = 9;

__aicore__ inline void KeepPositive(GM_ADDR x, GM_ADDR y, GM_ADDR shapes, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(KeptElementsTilingData, data, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> inBuffer, outBuffer, shapeBuffer;
    pipe.InitBuffer(inBuffer, TILE * sizeof(float));
    pipe.InitBuffer(outBuffer, TILE * sizeof(float));
    pipe.InitBuffer(shapeBuffer,
                    Ops::Base::CeilAlign<uint32_t>(SHAPE_WORDS * sizeof(int64_t), Ops::Base::GetUbBlockSize()));
    GlobalTensor<float> from, to;
    GlobalTensor<int64_t> shape;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
    shape.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(shapes));
    LocalTensor<float> in = inBuffer.Get<float>();
    LocalTensor<float> out = outBuffer.Get<float>();
    LocalTensor<int64_t> words = shapeBuffer.Get<int64_t>();
    DataCopyPad(in, from, {1, static_cast<uint32_t>(data.elements * sizeof(float)), 0, 0, 0},
                DataCopyPadExtParams<float>{false, 0, 0, 0});
    PipeBarrier<PIPE_ALL>();
    uint32_t kept = 0;
    for (uint32_t i = 0; i < data.elements; ++i) {
        const float value = in.GetValue(i);
        if (value > 0) {
            out.SetValue(kept++, value);
        }
    }
    words.SetValue(0, 1);
    words.SetValue(1, kept);
    for (uint32_t i = 2; i < SHAPE_WORDS; ++i) {
        words.SetValue(i, 0);
    }
    PipeBarrier<PIPE_ALL>();
    if (kept > 0) {
        DataCopyPad(to, out, {1, static_cast<uint32_t>(kept * sizeof(float)), 0, 0, 0});
    }
    DataCopyPad(shape, words, {1, SHAPE_WORDS * sizeof(int64_t), 0, 0, 0});
}

template <uint32_t Mode>
__global__ __aicore__ void kept_elements(GM_ADDR x, GM_ADDR y, GM_ADDR shapes, GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(KeptElementsTilingData);
    (void)workspace;
    KeepPositive(x, y, shapes, tiling);
}

// The entry of a kernel without keys, beside a template of the same name.
extern "C" __global__ __aicore__ void kept_elements(GM_ADDR x, GM_ADDR y, GM_ADDR shapes, GM_ADDR workspace,
                                                    GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(KeptElementsTilingData);
    (void)workspace;
    KeepPositive(x, y, shapes, tiling);
}

#ifndef ASCENDC_CPU_DEBUG
void kept_elements_do(uint32_t blocks, void* stream, uint8_t* x, uint8_t* y, uint8_t* shapes, uint8_t* tiling)
{
    kept_elements<<<blocks, nullptr, stream>>>(x, y, shapes, nullptr, tiling);
}
#endif
