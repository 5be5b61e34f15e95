// BilinearInterpolation: gather blocks, multiply them by weights, add up those of one row.
#ifndef HOSTCANN_ASCENDC_KERNEL_VEC_INTERPOLATE_H
#define HOSTCANN_ASCENDC_KERNEL_VEC_INTERPOLATE_H

#include "ascendc/kernel/vec_arith.h"
#include "ascendc/kernel/vec_fill.h"
#include "ascendc/kernel/vec_gather.h"

namespace AscendC {
namespace hostcann {

template <typename T, typename Mask>
HOSTCANN_API void Interpolate(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                              const LocalTensor<uint32_t>& src0Offset, const LocalTensor<T>& src1, Mask mask,
                              uint32_t hRepeat, bool repeatMode, uint16_t dstBlkStride, uint32_t vROffset,
                              uint32_t vRepeat, const LocalTensor<uint8_t>& sharedTmpBuffer)
{
    static_assert(std::is_same<T, half>::value, "BilinearInterpolation: half on A2");
    if (hRepeat == 0 || vRepeat == 0 || vROffset < 128 || vROffset * sizeof(T) % 32 != 0) {
        const bool shift = hRepeat != 0 && vRepeat != 0;
        aic_misuse("BilinearInterpolation",
                   shift        ? "vROffset" :
                   hRepeat == 0 ? "hRepeat" :
                                  "vRepeat",
                   "parameter out of range", shift ? "128 to 65534, whole blocks of 32 bytes" : "1 to 255",
                   shift ? vROffset : 0, "see the parameter table of the page");
    }
    // As in the steps of the page: the gathered blocks, behind them a block for every weight.
    constexpr uint32_t LANES = 128;
    const uint32_t repeats = hRepeat * vRepeat;
    const LocalTensor<T> gathered = sharedTmpBuffer.template ReinterpretCast<T>();
    const LocalTensor<T> weights = gathered[repeats * LANES];
    const uint32_t count = repeatMode ? repeats * 8 : repeats;
    for (uint32_t i = 0; i < repeats; ++i) {
        Gatherb(gathered[i * LANES].template ReinterpretCast<uint16_t>(), src0.template ReinterpretCast<uint16_t>(),
                src0Offset[i * 8], 1, {1, 8});
    }
    // Eight weights a repeat; an even number of repeats starts on a whole block.
    constexpr uint32_t MOST_REPEATS = 254;
    const uint32_t eights = (count + 7) / 8;
    for (uint32_t i = 0; i < eights; i += MOST_REPEATS) {
        const uint32_t n = eights - i < MOST_REPEATS ? eights - i : MOST_REPEATS;
        Brcb(weights[i * LANES], src1[i * 8], n, {1, 8});
    }
    PipeBarrier<PIPE_V>();
    for (uint32_t i = 0; i < repeats; ++i) {
        const LocalTensor<T> x = gathered[i * LANES];
        Mul(x, x, weights[repeatMode ? i * LANES : i * 16], mask, 1,
            BinaryRepeatParams(1, 1, repeatMode ? 1 : 0, 8, 8, 8));
    }
    PipeBarrier<PIPE_V>();
    for (uint32_t v = 0; v < vRepeat; ++v) {
        const LocalTensor<T> to = dst[v * vROffset];
        const LocalTensor<T> row = gathered[v * hRepeat * LANES];
        if (hRepeat == 1) {
            Copy(to, row, mask, 1, CopyRepeatParams(dstBlkStride, 1, 8, 8));
        }
        const auto stride = static_cast<uint8_t>(dstBlkStride);
        for (uint32_t h = 1; h < hRepeat; ++h) {
            Add(to, h == 1 ? row : to, row[h * LANES], mask, 1,
                BinaryRepeatParams(stride, h == 1 ? 1 : stride, 1, 8, 8, 8));
            PipeBarrier<PIPE_V>();
        }
    }
}

} // namespace hostcann

template <typename T>
HOSTCANN_API void BilinearInterpolation(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                        const LocalTensor<uint32_t>& src0Offset, const LocalTensor<T>& src1,
                                        uint64_t mask[], uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride,
                                        uint16_t vROffset, uint8_t vRepeat, const LocalTensor<uint8_t>& sharedTmpBuffer)
{
    hostcann::Interpolate(dst, src0, src0Offset, src1, mask, hRepeat, repeatMode, dstBlkStride, vROffset, vRepeat,
                          sharedTmpBuffer);
}
template <typename T>
HOSTCANN_API void BilinearInterpolation(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                        const LocalTensor<uint32_t>& src0Offset, const LocalTensor<T>& src1,
                                        uint64_t mask, uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride,
                                        uint16_t vROffset, uint8_t vRepeat, const LocalTensor<uint8_t>& sharedTmpBuffer)
{
    hostcann::Interpolate(dst, src0, src0Offset, src1, mask, hRepeat, repeatMode, dstBlkStride, vROffset, vRepeat,
                          sharedTmpBuffer);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_VEC_INTERPOLATE_H
