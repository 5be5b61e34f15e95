// TransData: image batches from NCDHW to layouts with sixteen channels in a block, and back.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_TRANSPOSE_TRANSDATA_H
#define HOSTCANN_ADV_API_TRANSPOSE_TRANSDATA_H

#include "ascendc/kernel/adv_rows.h"
#include "ascendc/kernel/layout.h"
#include "ascendc/trans_data_format.h"

namespace AscendC {

template <typename T, typename U>
struct TransDataParams {
    T srcLayout;
    U dstLayout;
};

namespace hostcann {

// Sixteen rows of one channel each, and blocks of these channels for one pixel, `step` blocks apart.
struct TransDataTile {
    uint64_t rows[16];
    uint64_t blocks[16];
    uint32_t pixels;
    uint32_t step;
};

// Whole blocks of pixels, as many at a time as there are repeats.
template <bool toBlocks>
HOSTCANN_API void TransDataWhole(TransDataTile& tile)
{
    for (uint32_t left = tile.pixels / 16; left != 0;) {
        const uint32_t now = left < 255 ? left : 255;
        // A single repeat would start one stride behind its addresses.
        const uint16_t ofRows = now == 1 ? 0 : 1;
        const auto ofBlocks = static_cast<uint16_t>(now == 1 ? 0 : 16 * tile.step);
        const TransDataTo5HDParams params(false, false, static_cast<uint8_t>(now), toBlocks ? ofBlocks : ofRows,
                                          toBlocks ? ofRows : ofBlocks);
        TransDataTo5HD<uint16_t>(toBlocks ? tile.blocks : tile.rows, toBlocks ? tile.rows : tile.blocks, params);
        for (uint32_t i = 0; i < 16; ++i) {
            tile.rows[i] += now * 32;
            tile.blocks[i] += uint64_t{now} * 16 * tile.step * 32;
        }
        left -= now;
    }
}

template <bool toBlocks, bool isFractal>
HOSTCANN_API void TransDataOf(const LocalTensor<uint16_t>& rows, const LocalTensor<uint16_t>& blocks,
                              const LocalTensor<uint16_t>& tmp, const TransDataShape& shape)
{
    const uint32_t pitch = shape.Pitch();
    const uint32_t tail = shape.pixels % 16;
    const uint32_t images = isFractal ? shape.N1() * 16 : 1;
    // The row of a channel that does not exist: zeros, or what is thrown away.
    const LocalTensor<uint16_t> spare = tmp;
    const LocalTensor<uint16_t> last = tmp[pitch];
    Duplicate(tmp, uint16_t{0}, static_cast<int32_t>(pitch + 256));
    Ordered();
    TransDataTile tile{};
    tile.pixels = shape.pixels;
    tile.step = images;
    for (uint32_t i = 0; i < shape.n * shape.d * shape.C1(); ++i) {
        const uint32_t c1 = i % shape.C1();
        const uint32_t d = i / shape.C1() % shape.d;
        const uint32_t n = i / shape.C1() / shape.d;
        const uint32_t pixelAt = isFractal ? ((d * shape.C1() + c1) * shape.pixels * images + n) * 16 :
                                             ((n * shape.d + d) * shape.C1() + c1) * shape.pixels * 16;
        for (uint32_t k = 0; k < 16; ++k) {
            const uint32_t c = c1 * 16 + k;
            tile.rows[k] = (c < shape.c ? rows[((n * shape.c + c) * shape.d + d) * pitch] : spare).GetPhyAddr();
            tile.blocks[k] = blocks.GetPhyAddr() + (uint64_t{pixelAt} + k * images * 16) * 2;
        }
        TransDataWhole<toBlocks>(tile);
        Ordered();
        if (tail == 0) {
            continue;
        }
        // The last pixels go through sixteen blocks of their own.
        const LocalTensor<uint16_t> rest = blocks[pixelAt + (shape.pixels - tail) * images * 16];
        const auto gap = static_cast<uint16_t>(images - 1);
        const auto count = static_cast<uint16_t>(tail);
        for (uint32_t k = 0; k < 16; ++k) {
            tile.blocks[k] = last[k * 16].GetPhyAddr();
        }
        if (!toBlocks) {
            DataCopy(last, rest, DataCopyParams(count, 1, gap, 0));
            Ordered();
        }
        TransDataTo5HD<uint16_t>(toBlocks ? tile.blocks : tile.rows, toBlocks ? tile.rows : tile.blocks,
                                 TransDataTo5HDParams());
        Ordered();
        if (toBlocks) {
            DataCopy(rest, last, DataCopyParams(count, 1, 0, gap));
            Ordered();
        }
    }
}

// Images that fill up the last sixteen hold zeros.
HOSTCANN_API void TransDataZeros(const LocalTensor<uint16_t>& blocks, const TransDataShape& shape)
{
    const uint32_t images = shape.N1() * 16;
    const auto count = static_cast<int32_t>((images - shape.n) * 16);
    for (uint32_t i = 0; count != 0 && i < shape.d * shape.C1() * shape.pixels; ++i) {
        Duplicate(blocks[(i * images + shape.n) * 16], uint16_t{0}, count);
    }
    Ordered();
}

template <size_t I, typename L>
HOSTCANN_API uint32_t TransDataDim(const L& layout)
{
    return static_cast<uint32_t>(Std::get<I>(layout.GetShape()));
}

// The shape of the NCDHW side; the other one has to fit it.
template <bool isFractal, typename R, typename B>
HOSTCANN_API TransDataShape TransDataShapeOf(const R& rows, const B& blocks)
{
    static_assert(Std::tuple_size<std::decay_t<decltype(rows.GetShape())>>::value == 5, "TransData: NCDHW has 5 axes");
    static_assert(Std::tuple_size<std::decay_t<decltype(blocks.GetShape())>>::value == (isFractal ? 7 : 6),
                  "TransData: NDC1HWC0 has 6 axes, FRACTAL_Z_3D has 7");
    const uint32_t n = TransDataDim<0>(rows);
    const uint32_t c = TransDataDim<1>(rows);
    const uint32_t d = TransDataDim<2>(rows);
    const uint32_t h = TransDataDim<3>(rows);
    const uint32_t w = TransDataDim<4>(rows);
    const TransDataShape shape{n, c, d, h * w};
    bool fits = false;
    if constexpr (isFractal) {
        fits = TransDataDim<0>(blocks) == d && TransDataDim<1>(blocks) == shape.C1() && TransDataDim<2>(blocks) == h &&
               TransDataDim<3>(blocks) == w && TransDataDim<4>(blocks) == shape.N1() && TransDataDim<5>(blocks) == 16 &&
               TransDataDim<6>(blocks) == 16;
    } else {
        fits = TransDataDim<0>(blocks) == n && TransDataDim<1>(blocks) == d && TransDataDim<2>(blocks) == shape.C1() &&
               TransDataDim<3>(blocks) == h && TransDataDim<4>(blocks) == w && TransDataDim<5>(blocks) == 16;
    }
    if (!fits || shape.Rows() == 0) {
        aic_misuse("TransData", "params", "the two layouts do not belong together",
                   "the axes of one batch, with C1 = ceil(C / 16), N1 = ceil(N / 16), C0 = N0 = 16", c,
                   "make both layouts from the same n, c, d, h and w; the channels are shown");
    }
    return shape;
}

} // namespace hostcann

// Rows of pixels of NCDHW are in whole 32-byte blocks.
template <const TransDataConfig& config, typename T, typename U, typename S>
HOSTCANN_API void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const TransDataParams<U, S>& params)
{
    static_assert(hostcann::IsOneOf<T, int16_t, uint16_t, half, bfloat16_t>,
                  "TransData: int16_t, uint16_t, half or bfloat16_t");
    static_assert(is_layout_v<U> && is_layout_v<S>, "TransData: the parameters hold layouts");
    static_assert(hostcann::TransDataToBlocks(config) || hostcann::TransDataFromBlocks(config),
                  "TransData: NCDHW to NDC1HWC0 or FRACTAL_Z_3D, or back");
    constexpr bool TO_BLOCKS = hostcann::TransDataToBlocks(config);
    constexpr bool IS_FRACTAL = hostcann::TransDataIsFractal(config);
    hostcann::TransDataShape shape{};
    if constexpr (TO_BLOCKS) {
        shape = hostcann::TransDataShapeOf<IS_FRACTAL>(params.srcLayout, params.dstLayout);
    } else {
        shape = hostcann::TransDataShapeOf<IS_FRACTAL>(params.dstLayout, params.srcLayout);
    }
    const uint64_t ofBlocks = shape.Blocks(IS_FRACTAL);
    hostcann::AdvCall("TransData", hostcann::Used(dstTensor, TO_BLOCKS ? ofBlocks : shape.Rows()),
                      hostcann::Used(srcTensor, TO_BLOCKS ? shape.Rows() : ofBlocks), {}, sharedTmpBuffer,
                      hostcann::AdvTmp(shape.Pitch() * 2 + 512, shape.Tmp(TO_BLOCKS, IS_FRACTAL)));
    const LocalTensor<uint16_t> dst = dstTensor.template ReinterpretCast<uint16_t>();
    const LocalTensor<uint16_t> src = srcTensor.template ReinterpretCast<uint16_t>();
    const LocalTensor<uint16_t> tmp = sharedTmpBuffer.ReinterpretCast<uint16_t>();
    hostcann::TransDataOf<TO_BLOCKS, IS_FRACTAL>(TO_BLOCKS ? src : dst, TO_BLOCKS ? dst : src, tmp, shape);
    if constexpr (TO_BLOCKS && IS_FRACTAL) {
        hostcann::TransDataZeros(dst, shape);
    }
}
template <const TransDataConfig& config, typename T, typename U, typename S>
HOSTCANN_API void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                            const TransDataParams<U, S>& params)
{
    TransData<config, T, U, S>(dstTensor, srcTensor, hostcann::AdvStack(1), params);
}

} // namespace AscendC

#endif // HOSTCANN_ADV_API_TRANSPOSE_TRANSDATA_H
