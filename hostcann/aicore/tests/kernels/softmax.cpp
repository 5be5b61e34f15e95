// The Softmax functions: every form of call, on shapes and temporary spaces that the test chooses.
#include "kernel_operator.h"

using namespace AscendC;

namespace {

struct Case {
    uint32_t m;
    uint32_t k;
    uint32_t oriM;
    uint32_t oriK;
    uint32_t split; // rows of a pass; 0: a tiling of another shape
    uint32_t tmpBytes;
};

constexpr SoftmaxConfig PACKED{true, 0, 0, SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC};

template <typename T>
__aicore__ inline void In(const LocalTensor<T>& to, void* from, uint32_t count)
{
    GlobalTensor<T> gm;
    gm.SetGlobalBuffer(static_cast<T*>(from));
    DataCopyPad(to, gm, DataCopyExtParams(1, count * sizeof(T), 0, 0, 0), DataCopyPadExtParams<T>(false, 0, 0, T()));
}
template <typename T>
__aicore__ inline void Out(void* to, const LocalTensor<T>& from, uint32_t count)
{
    GlobalTensor<T> gm;
    gm.SetGlobalBuffer(static_cast<T*>(to));
    DataCopyPad(gm, from, DataCopyExtParams(1, count * sizeof(T), 0, 0, 0));
}

// args: case, src, second matrix, inSum, inMax, dst, sum, max, expMax, firstMax. Every output starts as the memory is.
template <typename T, typename U, bool isPacked, typename Compute>
__aicore__ inline void Rows(void* const* args, const Compute& compute)
{
    const Case c = *static_cast<const Case*>(args[0]);
    const uint32_t all = c.m * c.k;
    const uint32_t stats = isPacked ? c.m : c.m * (32 / sizeof(U));
    const uint32_t narrow = isPacked ? c.m : c.m * (32 / sizeof(T));
    TPipe pipe;
    TBuf<> buffers[10];
    pipe.InitBuffer(buffers[0], c.tmpBytes);
    for (uint32_t i : {1, 2, 5}) {
        pipe.InitBuffer(buffers[i], (all * sizeof(T) + 31) / 32 * 32);
    }
    for (uint32_t i : {3, 4, 6, 7, 8, 9}) {
        pipe.InitBuffer(buffers[i], (c.m * 32 + 31) / 32 * 32);
    }
    LocalTensor<uint8_t> tmp = buffers[0].Get<uint8_t>(c.tmpBytes);
    LocalTensor<T> src = buffers[1].Get<T>();
    LocalTensor<T> other = buffers[2].Get<T>();
    LocalTensor<U> inSum = buffers[3].Get<U>();
    LocalTensor<U> inMax = buffers[4].Get<U>();
    LocalTensor<T> dst = buffers[5].Get<T>();
    LocalTensor<U> sum = buffers[6].Get<U>();
    LocalTensor<U> max = buffers[7].Get<U>();
    LocalTensor<T> expMax = buffers[8].Get<T>();
    LocalTensor<U> first = buffers[9].Get<U>();
    In(src, args[1], all);
    In(other, args[2], all);
    In(inSum, args[3], stats);
    In(inMax, args[4], stats);
    In(dst, args[5], all);
    In(sum, args[6], stats);
    In(max, args[7], stats);
    In(expMax, args[8], narrow);
    In(first, args[9], stats);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    SoftMaxTiling tiling{};
    if (c.split != 0) {
        tiling.srcM = c.m;
        tiling.srcK = c.k;
        tiling.splitM = c.split;
    }
    const SoftMaxShapeInfo shape{c.m, c.k, c.oriM, c.oriK};
    compute(tmp, src, other, inSum, inMax, dst, sum, max, expMax, first, tiling, shape);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    Out(args[5], dst, all);
    Out(args[6], sum, stats);
    Out(args[7], max, stats);
    Out(args[8], expMax, narrow);
    Out(args[9], first, stats);
}
} // namespace

#define KERNEL(name, T_, U_, isPacked, ...)                                                                            \
    extern "C" void name(void* const* args)                                                                            \
    {                                                                                                                  \
        using T = T_;                                                                                                  \
        using U = U_;                                                                                                  \
        Rows<T, U, isPacked>(                                                                                          \
            args, [](LocalTensor<uint8_t> & tmp, LocalTensor<T> & src, LocalTensor<T> & other, LocalTensor<U> & inSum, \
                     LocalTensor<U> & inMax, LocalTensor<T> & dst, LocalTensor<U> & sum, LocalTensor<U> & max,         \
                     LocalTensor<T> & expMax, LocalTensor<U> & first, const SoftMaxTiling& tiling,                     \
                     const SoftMaxShapeInfo& shape) __attribute__((always_inline)) {                                   \
                (void)tmp, (void)dst, (void)tiling, (void)other, (void)inSum, (void)inMax, (void)expMax, (void)first,  \
                    (void)sum, (void)max;                                                                              \
                __VA_ARGS__;                                                                                           \
            });                                                                                                        \
    }
// f32, f16, and f16 with float sums and maxima.
#define THREE(name, ...)                                 \
    KERNEL(name##_f32, float, float, false, __VA_ARGS__) \
    KERNEL(name##_f16, half, half, false, __VA_ARGS__)   \
    KERNEL(name##_mix, half, float, false, __VA_ARGS__)
#define TWO(name, ...)                                   \
    KERNEL(name##_f32, float, float, false, __VA_ARGS__) \
    KERNEL(name##_f16, half, half, false, __VA_ARGS__)

THREE(softmax, SoftMax<T>(dst, sum, max, src, tmp, tiling, shape))
THREE(softmax_nz, SoftMax<T, false, false, true>(dst, sum, max, src, tmp, tiling, shape))
KERNEL(softmax_in_place_f32, float, float, false, SoftMax<T>(src, src, tmp, tiling, shape);
       DataCopy(dst, src, shape.srcM* shape.srcK))
KERNEL(softmax_stack_f16, half, half, false, SoftMax<T>(dst, src, tiling, shape))
KERNEL(softmax_stack_mix, half, float, false, SoftMax<T>(dst, sum, max, src, tiling, shape))
THREE(simple, SimpleSoftMax<T>(dst, inSum, inMax, src, tmp, tiling, shape))
KERNEL(simple_stack_nz_mix, half, float, false,
       SimpleSoftMax<T, false, false, true>(dst, inSum, inMax, src, tiling, shape))
TWO(log, LogSoftMaxTiling t{}; t.srcM = tiling.srcM; t.srcK = tiling.srcK; t.splitM = tiling.splitM;
    LogSoftMax(dst, sum, max, src, tmp, t, shape))
THREE(flash_update, SoftmaxFlash<T>(dst, sum, max, src, expMax, inSum, inMax, tmp, tiling, true, shape))
THREE(flash_stack, SoftmaxFlash<T>(dst, sum, max, src, expMax, inSum, inMax, tiling, false, shape))
THREE(v2_update, SoftmaxFlashV2<T, true>(dst, sum, max, src, expMax, inSum, inMax, tmp, tiling, shape))
THREE(v2, SoftmaxFlashV2<T>(dst, sum, max, src, expMax, inSum, inMax, tmp, tiling, shape))
// The sums and maxima replace those they come from.
KERNEL(v2_nz_mix, half, float, false,
       SoftmaxFlashV2<T, true, false, false, true>(dst, inSum, inMax, src, expMax, inSum, inMax, tiling, shape);
       DataCopy(sum, inSum, shape.srcM * 8); DataCopy(max, inMax, shape.srcM * 8))
KERNEL(v2_packed_mix, half, float, true,
       SoftmaxFlashV2<T, true, false, false, false, PACKED>(dst, sum, max, src, expMax, inSum, inMax, tmp, tiling,
                                                            shape))
KERNEL(v2_first_f32, float, float, true,
       SoftmaxFlashV2<T, true, false, false, false, PACKED>(dst, first, sum, max, src, expMax, inSum, inMax, tmp,
                                                            tiling, shape))
KERNEL(v2_first_f16, half, half, true,
       SoftmaxFlashV2<T, true, false, false, false, PACKED>(dst, first, sum, max, src, expMax, inSum, inMax, tmp,
                                                            tiling, shape))
// `first` has the means before and takes the new ones.
KERNEL(v3_mix, half, float, false,
       SoftmaxFlashV3<T, U>(dst, first, sum, max, src, expMax, first, inSum, inMax, tiling,
                            SoftMaxParams(shape.srcM, shape.srcK, shape.oriSrcM, shape.oriSrcK, 2, 8, 0.9375f)))
KERNEL(v3_update_mix, half, float, false,
       SoftmaxFlashV3<T, U, true>(dst, first, sum, max, src, expMax, first, inSum, inMax, tmp, tiling,
                                  SoftMaxParams(shape.srcM, shape.srcK, shape.oriSrcM, shape.oriSrcK, 2, 8, 0.9375f)))
TWO(grad, SoftmaxGrad(dst, other, src, tmp, tiling, false, shape))
TWO(grad_nz, SoftmaxGrad<T, false, true>(dst, other, src, tiling, false, shape))
TWO(front, SoftmaxGradFront(sum, other, src, tmp, tiling, shape))
KERNEL(front_nz_f16, half, half, false, SoftmaxGrad<T, false, true>(sum, other, src, tiling, true, shape))

// The shape of the source, not of the call.
KERNEL(softmax_shaped_f32, float, float, false, const uint32_t padded[] = {2, shape.srcM / 2, shape.srcK};
       const uint32_t original[] = {shape.srcM, shape.oriSrcK};
       src.SetShapeInfo(ShapeInfo(3, padded, 2, original, DataFormat::ND)); SoftMax<T>(dst, sum, max, src, tmp, tiling))

// Rows of maximum 2.0 become -1; expMax[0] says whether there was one.
KERNEL(adjust_f32, float, float, false, DataCopy(dst, src, shape.srcM* shape.srcK);
       const bool found = AdjustSoftMaxRes<T, U>(dst, inMax, 0x40000000u, -1.0f, shape);
       Duplicate(expMax, found ? 1.0f : 0.0f, 8))
KERNEL(adjust_nz_mix, half, float, false, DataCopy(dst, src, shape.srcM* shape.srcK);
       const bool found = AdjustSoftMaxRes<T, U, true>(dst, inMax, 0x40000000u, half(-1.0f), shape);
       Duplicate(expMax, half(found ? 1.0f : 0.0f), 16))
