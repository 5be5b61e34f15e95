// Rows to whole 32-byte blocks and back.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_PAD_PAD_H
#define HOSTCANN_ADV_API_PAD_PAD_H

#include "ascendc/kernel/adv_rows.h"
#include "ascendc/tiling_structs.h"

namespace AscendC {

struct PadParams {
    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
    int32_t padValue = 0;
};
struct UnPadParams {
    uint16_t leftPad = 0; // has no effect
    uint16_t rightPad = 0;
};

namespace hostcann {

template <typename T>
constexpr bool IsPadded = IsOneOf<T, int16_t, uint16_t, half, int32_t, uint32_t, float>;

// `count` lanes from `first` of the block at the start of every row. Rows may be further apart than a stride reaches.
template <typename T>
HOSTCANN_API void FillLanes(const LocalTensor<T>& dst, T value, uint32_t first, uint32_t count, uint32_t rows,
                            uint32_t pitch)
{
    if (count == 0) {
        return;
    }
    uint64_t lanes[2] = {((1ULL << count) - 1) << first, 0};
    const uint32_t stride = pitch * sizeof(T) / 32;
    const uint32_t most = stride > 255 ? 1 : 255;
    for (uint32_t row = 0; row < rows; row += most) {
        const uint32_t now = rows - row < most ? rows - row : most;
        Duplicate(dst[row * pitch], value, lanes, static_cast<uint8_t>(now), 1,
                  static_cast<uint8_t>(now == 1 ? 8 : stride));
    }
}

// Rows of `width` elements that start anywhere, spread to whole blocks behind `left` columns: gathered, as many
// columns at a time as the temporary space has offsets for.
template <typename T>
HOSTCANN_API void SpreadRows(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& tmp,
                             uint32_t rows, uint32_t width, uint32_t left, uint32_t pitch)
{
    constexpr int32_t SIZE = sizeof(T);
    const LocalTensor<int32_t> offsets = tmp.ReinterpretCast<int32_t>();
    const uint32_t fit = tmp.GetSize() / 4 / 64 * 64;
    for (uint32_t at = 0; at < pitch; at += fit) {
        const uint32_t now = pitch - at < fit ? pitch - at : fit;
        const int32_t n = static_cast<int32_t>(now);
        // Padded columns repeat the first and the last element until they are filled.
        CreateVecIndex(offsets, static_cast<int32_t>(at) - static_cast<int32_t>(left), now);
        Ordered();
        Maxs(offsets, offsets, 0, n);
        Ordered();
        Mins(offsets, offsets, static_cast<int32_t>(width) - 1, n);
        Ordered();
        Muls(offsets, offsets, SIZE, n);
        Ordered();
        for (uint32_t row = 0; row < rows; ++row) {
            Gather(dst[row * pitch + at], src, offsets.ReinterpretCast<uint32_t>(), row * width * sizeof(T), now);
        }
        Ordered();
    }
}

} // namespace hostcann

// Rows of tiling.srcWidth elements: not in whole blocks, then columns are added on both sides; or in whole blocks, then
// the last rightPad columns are filled.
template <typename T>
HOSTCANN_API void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const PadParams& padParams,
                      const LocalTensor<uint8_t>& sharedTmpBuffer, const tiling::PadTiling& tiling)
{
    static_assert(hostcann::IsPadded<T>, "Pad: 16 and 32-bit types");
    constexpr uint32_t BLOCK = 32 / sizeof(T);
    const uint32_t rows = tiling.srcHeight;
    const uint32_t width = tiling.srcWidth;
    const uint32_t pitch = hostcann::RoundUp(width, BLOCK);
    const bool isWhole = pitch == width;
    const uint32_t most = isWhole ? BLOCK : pitch - width;
    if (width == 0 || padParams.leftPad + padParams.rightPad > most || (isWhole && padParams.leftPad != 0)) {
        aic_misuse("Pad", "padParams", "more columns than the last block has, or columns on the left of whole blocks",
                   "leftPad + rightPad up to the next 32 bytes; leftPad 0 where the width is in whole blocks",
                   padParams.leftPad + padParams.rightPad, "pad to the next whole block only");
    }
    hostcann::AdvCall("Pad", hostcann::Used(dstTensor, uint64_t{rows} * pitch),
                      hostcann::Used(srcTensor, uint64_t{rows} * width), {}, sharedTmpBuffer, isWhole ? 0 : 1024);
    if (isWhole) {
        DataCopy(dstTensor, srcTensor, rows * pitch);
        hostcann::Ordered();
    } else {
        hostcann::SpreadRows(dstTensor, srcTensor, sharedTmpBuffer, rows, width, padParams.leftPad, pitch);
    }
    const T value = static_cast<T>(padParams.padValue);
    const uint32_t end = isWhole ? width : padParams.leftPad + width + padParams.rightPad;
    hostcann::FillLanes(dstTensor, value, 0, padParams.leftPad, rows, pitch);
    // On the right both pads may be in the last block, or the row ends before it does.
    hostcann::FillLanes(dstTensor[pitch - BLOCK], value, end - padParams.rightPad - (pitch - BLOCK), padParams.rightPad,
                        rows, pitch);
    hostcann::Ordered();
}
template <typename T>
HOSTCANN_API void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const PadParams& padParams,
                      const tiling::PadTiling& tiling)
{
    Pad(dstTensor, srcTensor, padParams, hostcann::AdvStack(1), tiling);
}

// Rows in whole blocks without their last rightPad columns, one after the other. No temporary space on A2.
template <typename T>
HOSTCANN_API void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                        const UnPadParams& unPadParams, const LocalTensor<uint8_t>& sharedTmpBuffer,
                        const tiling::UnPadTiling& tiling)
{
    static_assert(hostcann::IsPadded<T>, "UnPad: 16 and 32-bit types");
    const uint32_t rows = tiling.srcHeight;
    const uint32_t width = tiling.srcWidth;
    if (width == 0 || width * sizeof(T) % 32 != 0 || unPadParams.rightPad == 0 ||
        unPadParams.rightPad * sizeof(T) >= 32) {
        aic_misuse("UnPad", "unPadParams.rightPad", "not a part of the last block of rows in whole blocks",
                   "1 column to less than 32 bytes, of a width in whole 32-byte blocks", unPadParams.rightPad,
                   "take off less than a block");
    }
    const uint32_t kept = width - unPadParams.rightPad;
    hostcann::AdvCall("UnPad", hostcann::Used(dstTensor, uint64_t{rows} * kept),
                      hostcann::Used(srcTensor, uint64_t{rows} * width), {}, sharedTmpBuffer, 0);
    uint64_t elements = 0;
    GatherMaskParams params(1, 1, 0, 0);
    params.repeatTimes = rows;
    params.src0RepeatStride = width * sizeof(T) / 32;
    // All elements of a row up to the count.
    GatherMask(dstTensor, srcTensor, 7, true, kept, params, elements);
    hostcann::Ordered();
}
template <typename T>
HOSTCANN_API void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                        const UnPadParams& unPadParams, const tiling::UnPadTiling& tiling)
{
    UnPad(dstTensor, srcTensor, unPadParams, LocalTensor<uint8_t>(), tiling);
}

} // namespace AscendC

#endif // HOSTCANN_ADV_API_PAD_PAD_H
