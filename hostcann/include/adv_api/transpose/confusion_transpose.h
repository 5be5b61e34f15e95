// The high-level Transpose: matrices in 16 by 16 fractals (NZ) and in rows (ND), with their axes exchanged, split or
// joined.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_TRANSPOSE_CONFUSION_TRANSPOSE_H
#define HOSTCANN_ADV_API_TRANSPOSE_CONFUSION_TRANSPOSE_H

#include "ascendc/kernel/adv_rows.h"
#include "ascendc/tiling_structs.h"

namespace AscendC {
namespace hostcann {

template <typename T>
constexpr bool IsHighTransposable = IsOneOf<T, int16_t, uint16_t, half, int32_t, uint32_t, float>;

// B, N, S and H / N as the tiling function got them.
struct TransposeShape {
    uint32_t b;
    uint32_t n;
    uint32_t s;
    uint32_t width;
};

// A column of fractals is S rows of 16 elements: each goes to a row of its own, `pitch` elements apart.
template <typename T>
HOSTCANN_API void SpreadColumn(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t rows, uint32_t pitch)
{
    constexpr uint32_t BLOCKS = sizeof(T) / 2;
    const uint32_t gap = (pitch - 16) * static_cast<uint32_t>(sizeof(T)) / 32;
    for (uint32_t row = 0; row < rows; row += 4095) {
        const uint32_t now = rows - row < 4095 ? rows - row : 4095;
        DataCopy(dst[row * pitch], src[row * 16],
                 DataCopyParams(static_cast<uint16_t>(now), BLOCKS, 0, static_cast<uint16_t>(gap)));
    }
}

// Fractals to fractals where every column of them keeps its rows: the order in memory stays.
template <typename T>
HOSTCANN_API void TransposeFractals(const LocalTensor<T>& dst, const LocalTensor<T>& src, TransposeType type,
                                    const TransposeShape& p)
{
    const uint32_t columns = p.width / 16;
    if (type == TransposeType::TRANSPOSE_NZ2NZ_012_WITH_N || type == TransposeType::TRANSPOSE_NZ2NZ_012_WITHOUT_N) {
        DataCopy(dst, src, p.b * p.n * p.s * p.width);
        Ordered();
        return;
    }
    for (uint32_t i = 0; i < p.b * p.n * columns; ++i) {
        const uint32_t column = i % columns;
        const uint32_t n = i / columns % p.n;
        const uint32_t b = i / columns / p.n;
        const uint32_t batch = b * p.s * p.n * p.width;
        const LocalTensor<T> from = src[i * p.s * 16];
        switch (type) {
            case TransposeType::TRANSPOSE_NZ2ND_0213:
            case TransposeType::TRANSPOSE_NZ2ND_012_WITHOUT_N:
                // B, S, N, H / N, and B, S, H: the same rows.
                SpreadColumn(dst[batch + n * p.width + column * 16], from, p.s, p.n * p.width);
                break;
            case TransposeType::TRANSPOSE_NZ2NZ_0213:
                SpreadColumn(dst[batch + column * p.n * 16 + n * 16], from, p.s, p.n * p.width);
                break;
            default:
                // B, N, S, H / N.
                SpreadColumn(dst[batch + n * p.s * p.width + column * 16], from, p.s, p.width);
                break;
        }
    }
    Ordered();
}

// Rows and columns of one matrix, sixteen by a block at a time.
template <typename T>
HOSTCANN_API void TransposeMatrix(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t height, uint32_t width)
{
    constexpr uint32_t PER_BLOCK = 32 / sizeof(T);
    uint64_t to[16];
    uint64_t from[16];
    for (uint32_t row = 0; row < height; row += 16) {
        for (uint32_t column = 0; column < width; column += PER_BLOCK) {
            for (uint32_t i = 0; i < 16; ++i) {
                from[i] = src[(row + i) * width + column].GetPhyAddr();
                // Two blocks of 32-bit elements make a row of sixteen.
                const uint32_t line = i * PER_BLOCK / 16;
                to[i] = dst[(column + line) * height + row + i * PER_BLOCK % 16].GetPhyAddr();
            }
            TransDataTo5HD<T>(to, from, TransDataTo5HDParams());
        }
    }
    Ordered();
}

} // namespace hostcann

// Needs no temporary space here; that of the page is accepted.
template <typename T>
HOSTCANN_API void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, TransposeType transposeType,
                            const tiling::ConfusionTransposeTiling& tiling)
{
    static_assert(hostcann::IsHighTransposable<T>, "Transpose: 16 and 32-bit types");
    const auto type = static_cast<uint32_t>(transposeType);
    if (type < 1 || type > 7 || tiling.param0 != type) {
        aic_misuse("Transpose", "transposeType", "not the type of the tiling, or none that A2 has",
                   "1 to 7, as given to GetTransposeTilingInfo", type,
                   "call GetTransposeTilingInfo with the type that the kernel passes");
    }
    const hostcann::TransposeShape p{tiling.param1, tiling.param2, tiling.param3, tiling.param4};
    const uint64_t elements = uint64_t{p.b} * p.n * p.s * p.width;
    const bool isMatrix = transposeType == TransposeType::TRANSPOSE_ND2ND_ONLY;
    const bool needsN = transposeType == TransposeType::TRANSPOSE_NZ2NZ_0213;
    if (elements == 0 || p.s % 16 != 0 || p.width % 16 != 0 || (needsN && p.n % 16 != 0)) {
        aic_misuse("Transpose", "tiling", "hostcann transposes whole fractals of 16 by 16 elements",
                   isMatrix ? "H and W in sixteens" : "S and H / N in sixteens, and N for TRANSPOSE_NZ2NZ_0213",
                   p.width, "pad the axes; an H / N with a remainder is not supported here");
    }
    hostcann::AdvCall("Transpose", hostcann::Used(dst, elements), hostcann::Used(src, elements), {}, sharedTmpBuffer,
                      hostcann::AdvTmp(0, 0));
    if (isMatrix) {
        hostcann::TransposeMatrix(dst, src, p.s, p.width);
    } else {
        hostcann::TransposeFractals(dst, src, transposeType, p);
    }
}
template <typename T>
HOSTCANN_API void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, TransposeType transposeType,
                            const tiling::ConfusionTransposeTiling& tiling)
{
    Transpose(dst, src, LocalTensor<uint8_t>(), transposeType, tiling);
}

// The name of CANN 8.1.
template <typename T>
HOSTCANN_API void ConfusionTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                     const LocalTensor<uint8_t>& sharedTmpBuffer, TransposeType transposeType,
                                     const tiling::ConfusionTransposeTiling& tiling)
{
    Transpose(dst, src, sharedTmpBuffer, transposeType, tiling);
}
template <typename T>
HOSTCANN_API void ConfusionTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src, TransposeType transposeType,
                                     const tiling::ConfusionTransposeTiling& tiling)
{
    Transpose(dst, src, transposeType, tiling);
}

} // namespace AscendC

#endif // HOSTCANN_ADV_API_TRANSPOSE_CONFUSION_TRANSPOSE_H
