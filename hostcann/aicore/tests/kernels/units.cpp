// Gelu and gated units, quantisation, DropOut and Select: the test gives three inputs and reads one output.
#include "kernel_operator.h"

using namespace AscendC;

namespace {

struct Case {
    uint32_t bytes[4]; // of the inputs and the output, in whole blocks
    uint32_t tmpBytes;
    uint32_t n[6];
    float x[2];
};

template <typename Compute>
__aicore__ inline void Units(void* const* args, const Compute& compute)
{
    const Case c = *static_cast<const Case*>(args[0]);
    TPipe pipe;
    TBuf<> buffers[5];
    LocalTensor<uint8_t> t[5];
    for (uint32_t i = 0; i < 4; ++i) {
        pipe.InitBuffer(buffers[i], c.bytes[i]);
        t[i] = buffers[i].Get<uint8_t>(c.bytes[i]);
        GlobalTensor<uint8_t> gm;
        gm.SetGlobalBuffer(static_cast<uint8_t*>(args[1 + i]));
        DataCopyPad(t[i], gm, DataCopyExtParams(1, c.bytes[i], 0, 0, 0), DataCopyPadExtParams<uint8_t>(false, 0, 0, 0));
    }
    pipe.InitBuffer(buffers[4], c.tmpBytes);
    t[4] = buffers[4].Get<uint8_t>(c.tmpBytes);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    compute(t, c);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    GlobalTensor<uint8_t> gm;
    gm.SetGlobalBuffer(static_cast<uint8_t*>(args[4]));
    DataCopyPad(gm, t[3], DataCopyExtParams(1, c.bytes[3], 0, 0, 0));
}
} // namespace

// a, b and c of the types A, B and C, out of the type D.
#define UNIT(name, A, B, C, D, ...)                                                            \
    extern "C" void name(void* const* args)                                                    \
    {                                                                                          \
        Units(                                                                                 \
            args, [](LocalTensor<uint8_t> * t, const Case& k) __attribute__((always_inline)) { \
                LocalTensor<A> a = t[0].ReinterpretCast<A>();                                  \
                LocalTensor<B> b = t[1].ReinterpretCast<B>();                                  \
                LocalTensor<C> c = t[2].ReinterpretCast<C>();                                  \
                LocalTensor<D> out = t[3].ReinterpretCast<D>();                                \
                LocalTensor<uint8_t> tmp = t[4];                                               \
                (void)b, (void)c, (void)tmp, (void)k;                                          \
                __VA_ARGS__;                                                                   \
            });                                                                                \
    }
#define SAME(name, T, ...) UNIT(name, T, T, T, T, __VA_ARGS__)

SAME(gelu_f32, float, Gelu(out, a, tmp, k.n[0]))
SAME(gelu_f16, half, Gelu(out, a, tmp, k.n[0]))
SAME(gelu_high_f16, half, Gelu<half, true>(out, a, tmp, k.n[0]))
SAME(gelu_fast_f32, float, Gelu<float, false, true>(out, a, k.n[0]))
SAME(faster_f32, float, FasterGelu(out, a, tmp, k.n[0]))
SAME(faster_f16, half, FasterGelu(out, a, k.n[0]))
SAME(faster_high_f16, half, FasterGelu<half, true>(out, a, tmp, k.n[0]))
SAME(clipped_f32, float, FasterGeluV2(out, a, tmp, k.n[0]))
SAME(clipped_f16, half, FasterGeluV2(out, a, tmp, k.n[0]))
SAME(clipped_high_f16, half, FasterGeluV2<half, true>(out, a, k.n[0]))
SAME(geglu_f32, float, GeGLU(out, a, b, k.n[0]))
SAME(geglu_f16, half, GeGLU(out, a, b, tmp, k.n[0]))
SAME(swiglu_f32, float, SwiGLU(out, a, b, k.x[0], k.n[0]))
SAME(swiglu_f16, half, SwiGLU(out, a, b, k.x[0], tmp, k.n[0]))
SAME(reglu_f32, float, ReGlu(out, a, b, tmp, k.n[0]))
SAME(reglu_f16, half, ReGlu(out, a, b, tmp, k.n[0]))
SAME(reglu_bf16, bfloat16_t, ReGlu(out, a, b, k.n[0]))

constexpr AscendQuantConfig CONSTANT{96, 0, 0, 512};
UNIT(quant_f32, float, float, float, int8_t, AscendQuant(out, a, tmp, k.x[0], k.x[1], k.n[0]))
UNIT(quant_f16, half, half, half, int8_t, AscendQuant(out, a, k.x[0], k.x[1], k.n[0]))
UNIT(quant_constant_f16, half, half, half, int8_t, AscendQuant<half, false, CONSTANT>(out, a, tmp, k.x[0], k.x[1]))
UNIT(quant_in_place_f16, half, half, half, int8_t,
     AscendQuant(a.ReinterpretCast<int8_t>(), a, tmp, k.x[0], k.x[1], k.n[0]);
     DataCopy(out, a.ReinterpretCast<int8_t>(), k.n[0]))
UNIT(quant_channels_f32, float, float, float, int8_t, AscendQuant(out, a, tmp, b, c, k.n[1], k.n[1], k.n[0]))
UNIT(quant_channels_f16, half, half, half, int8_t, AscendQuant(out, a, b, c, k.n[1], k.n[1], k.n[0]))
UNIT(quant_offset_f16, half, half, half, int8_t, b.SetSize(k.n[1]); a.SetSize(k.n[0]);
     AscendQuant(out, a, tmp, b, static_cast<half>(k.x[1])))

UNIT(dequant_f32, int32_t, float, float, float, AscendDequant(out, a, b, tmp, {k.n[0], k.n[1], k.n[2]}))
UNIT(dequant_bf16, int32_t, bfloat16_t, float, bfloat16_t,
     AscendDequant(out, a, b, DequantParams{k.n[0], k.n[1], k.n[2]}))
UNIT(dequant_f16, int32_t, uint64_t, float, half, AscendDequant(out, a, b, tmp, {k.n[0], k.n[1], k.n[2]}))
UNIT(dequant_number_f32, int32_t, float, float, float,
     (AscendDequant<float, bfloat16_t>(out, a, ToBfloat16(k.x[0]), tmp, DequantParams{k.n[0], k.n[1], k.n[2]})))
UNIT(dequant_one_row_f32, int32_t, float, float, float,
     (AscendDequant<float, float, DeQuantMode::DEQUANT_WITH_MULTI_ROW>(out, a, b, tmp,
                                                                       DequantParams{k.n[0], k.n[1], k.n[2]})))
UNIT(dequant_older_f32, int32_t, float, float, float, b.SetSize(k.n[1]); a.SetSize(k.n[0] * k.n[1]);
     AscendDequant(out, a, b, tmp))

#define ANTI(name, T)                                                                                                \
    UNIT(anti_##name, int8_t, T, T, T, a.SetSize(k.n[0] * k.n[1]);                                                   \
         (AscendAntiQuant<int8_t, T, false>(out, a, b, c, tmp, k.n[0], {k.n[2], k.n[1], k.n[2], k.n[1]})))           \
    UNIT(anti_bare_##name, int8_t, T, T, T, a.SetSize(k.n[0] * k.n[1]);                                              \
         (AscendAntiQuant<int8_t, T, false>(out, a, b, c, tmp, k.n[0])))                                             \
    UNIT(anti_offset_##name, int8_t, T, T, T, a.SetSize(k.n[0] * k.n[1]); const uint32_t shape[] = {k.n[2], k.n[1]}; \
         b.SetShapeInfo(ShapeInfo(2, shape, DataFormat::ND));                                                        \
         (AscendAntiQuant<int8_t, T, false>(out, a, b, c, tmp, k.n[0])))                                             \
    UNIT(anti_turned_##name, int8_t, T, T, T, a.SetSize(k.n[0] * k.n[1]);                                            \
         (AscendAntiQuant<int8_t, T, true>(out, a, b, c, k.n[0], {k.n[1], k.n[2], k.n[1], k.n[2]})))                 \
    UNIT(anti_scale_##name, int8_t, T, T, T, a.SetSize(k.n[0] * k.n[1]);                                             \
         (AscendAntiQuant<int8_t, T, false>(out, a, c, tmp, k.n[0], {k.n[2], k.n[1], k.n[2], k.n[1]})))              \
    UNIT(anti_number_##name, int8_t, T, T, T, a.SetSize(k.n[0] * k.n[1]);                                            \
         (AscendAntiQuant<int8_t, T, false>(out, a, T(k.x[0]), T(k.x[1]), tmp, k.n[0])))
ANTI(f16, half)
ANTI(bf16, bfloat16_t)

#define DROP(name, T, mode)                                                                                 \
    UNIT(name, T, uint8_t, T, T, DropOutShapeInfo info; info.firstAxis = k.n[0]; info.srcLastAxis = k.n[1]; \
         info.maskLastAxis = k.n[2]; (DropOut<T, false, mode>(out, a, b, tmp, k.x[0], info)))
DROP(drop_f32, float, 0)
DROP(drop_f16, half, 0)
DROP(drop_padded_bits_f32, float, 4)

#define CHOOSE(name, T, U, first, second, function)                                                               \
    UNIT(name, T, U, T, T, SelectWithBytesMaskShapeInfo info; info.firstAxis = k.n[0]; info.srcLastAxis = k.n[1]; \
         info.maskLastAxis = k.n[2]; const T number = static_cast<T>(k.x[0]);                                     \
         function(out, first, second, b, tmp, info))
CHOOSE(choose_f32_u8, float, uint8_t, a, number, Select)
CHOOSE(choose_f16_bool, half, bool, number, a, Select)
CHOOSE(choose_f16_i16, half, int16_t, a, number, Select)
CHOOSE(choose_f32_u16, float, uint16_t, number, a, Select)
CHOOSE(choose_f32_i32, float, int32_t, a, number, SelectWithBytesMask)
CHOOSE(choose_f16_u32, half, uint32_t, number, a, SelectWithBytesMask)

SAME(fault_gelu_tmp, float, Gelu(out, a, tmp, k.n[0]))
SAME(fault_quant_counts, half, AscendQuant(out.ReinterpretCast<int8_t>(), a, tmp, b, c, k.n[1], k.n[1], k.n[0]))
UNIT(fault_dequant_row, int32_t, float, float, float, AscendDequant(out, a, b, tmp, {k.n[0], k.n[1], k.n[2]}))
UNIT(fault_anti_shape, int8_t, half, half, half, (AscendAntiQuant<int8_t, half, false>(out, a, c, tmp, k.n[0])))
UNIT(fault_anti_width, int8_t, half, half, half,
     (AscendAntiQuant<int8_t, half, false>(out, a, b, c, tmp, k.n[0], {1, 3, 1, 3})))
