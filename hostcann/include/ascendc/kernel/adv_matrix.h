// Matrices of floats in the unified buffer, ND or NZ: reductions along their rows and arithmetic with a value per row,
// as instructions of one repeat per row. What the Softmax functions are made of.
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_MATRIX_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_MATRIX_H

#include "ascendc/kernel/adv_rows.h"
#include "ascendc/kernel/data_copy.h"
#include "ascendc/kernel/vec_fill.h"

namespace AscendC {
namespace hostcann {

// Where the columns of rows lie: `width` of them together, the next ones `step` elements on, the next row `pitch`
// elements on. ND rows come in parts of a repeat, NZ rows in fractals of 16 columns.
struct RowLayout {
    uint32_t width;
    uint32_t step;
    uint32_t pitch;

    // Strides of an instruction have 8 bits.
    HOSTCANN_API bool HasRepeats() const { return pitch / 8 <= 255; }
};

template <bool isNZ>
HOSTCANN_API RowLayout LayoutOf(uint32_t rows, uint32_t columns)
{
    return isNZ ? RowLayout{16, rows * 16, 16} : RowLayout{64, 64, columns};
}

// issue(first row, rows): as many rows as an instruction has repeats; results of one element per row stay aligned.
template <typename Issue>
HOSTCANN_API void EachRepeats(uint32_t rows, bool hasRepeats, const Issue& issue)
{
    const uint32_t most = hasRepeats ? 248 : 1;
    for (uint32_t r = 0; r < rows; r += most) {
        issue(r, rows - r < most ? rows - r : most);
    }
}

// run(offset in `big`, offset in `part`, elements): the stretches in which `rows` rows lie in both layouts.
template <bool isNZ, typename Run>
HOSTCANN_API void EachStretch(const RowLayout& big, const RowLayout& part, uint32_t rows, uint32_t columns,
                              const Run& run)
{
    if constexpr (isNZ) {
        for (uint32_t c = 0; c < columns; c += 16) {
            run(c / 16 * big.step, c / 16 * part.step, rows * 16);
        }
    } else {
        run(0, 0, rows * columns);
    }
}

template <bool isMax>
HOSTCANN_API void FoldPart(const LocalTensor<float>& dst, const LocalTensor<float>& a, const LocalTensor<float>& b,
                           uint32_t mask, uint32_t repeats, const BinaryRepeatParams& strides)
{
    if constexpr (isMax) {
        Max(dst, a, b, mask, repeats, strides);
    } else {
        Add(dst, a, b, mask, repeats, strides);
    }
}

// One float per row: the maximum or the sum of the first `columns` columns. `work` has room for a part of each row when
// there are several parts.
template <bool isMax>
HOSTCANN_API void ReduceRows(const LocalTensor<float>& dst, const LocalTensor<float>& src, const RowLayout& layout,
                             uint32_t rows, uint32_t columns, const LocalTensor<float>& work)
{
    const uint32_t width = layout.width;
    const uint32_t parts = (columns + width - 1) / width;
    const uint32_t tail = columns - (parts - 1) * width;
    const uint8_t from = static_cast<uint8_t>(layout.HasRepeats() ? layout.pitch / 8 : 0);
    const uint8_t to = static_cast<uint8_t>(width / 8);
    const BinaryRepeatParams strides(1, 1, 1, to, to, from);
    if (parts > 1) {
        EachRepeats(rows, layout.HasRepeats(), [&](uint32_t r, uint32_t n) HOSTCANN_API_LAMBDA {
            Copy(work[r * width], src[r * layout.pitch], width, n, {1, 1, to, from});
        });
    }
    for (uint32_t p = 1; p < parts; ++p) {
        Ordered();
        EachRepeats(rows, layout.HasRepeats(), [&](uint32_t r, uint32_t n) HOSTCANN_API_LAMBDA {
            FoldPart<isMax>(work[r * width], work[r * width], src[p * layout.step + r * layout.pitch],
                            p + 1 == parts ? tail : width, n, strides);
        });
    }
    Ordered();
    const LocalTensor<float>& last = parts > 1 ? work : src;
    const uint32_t pitch = parts > 1 ? width : layout.pitch;
    const int32_t mask = static_cast<int32_t>(parts > 1 ? width : tail);
    EachRepeats(rows, true, [&](uint32_t r, uint32_t n) HOSTCANN_API_LAMBDA {
        const int32_t repeats = static_cast<int32_t>(n);
        const int32_t stride = static_cast<int32_t>(pitch / 8);
        if constexpr (isMax) {
            WholeReduceMax(dst[r], last[r * pitch], mask, repeats, 1, 1, stride, ReduceOrder::ORDER_ONLY_VALUE);
        } else {
            WholeReduceSum(dst[r], last[r * pitch], mask, repeats, 1, 1, stride);
        }
    });
    Ordered();
}

// A block of 32 bytes of each of `rows` values. Writes whole groups of 8 blocks.
template <typename T>
HOSTCANN_API void SpreadBlocks(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t rows)
{
    const uint32_t groups = (rows + 7) / 8;
    for (uint32_t g = 0; g < groups; g += 255) {
        const uint32_t n = groups - g < 255 ? groups - g : 255;
        Brcb(dst[g * 8 * (32 / sizeof(T))], src[g * 8], n, {1, 8});
    }
    Ordered();
}

template <bool isDiv>
HOSTCANN_API void Apply(const LocalTensor<float>& dst, const LocalTensor<float>& src, const LocalTensor<float>& value,
                        uint32_t mask, uint32_t repeats, const BinaryRepeatParams& strides)
{
    if constexpr (isDiv) {
        Div(dst, src, value, mask, repeats, strides);
    } else {
        Sub(dst, src, value, mask, repeats, strides);
    }
}

// dst = src - value or src / value, with a block of equal values per row, `gap` blocks from row to row.
template <bool isDiv>
HOSTCANN_API void ApplyToRows(const LocalTensor<float>& dst, const RowLayout& dl, const LocalTensor<float>& src,
                              const RowLayout& sl, const LocalTensor<float>& values, uint32_t rows, uint32_t columns,
                              uint8_t gap = 1)
{
    if (dl.HasRepeats() && sl.HasRepeats()) {
        const BinaryRepeatParams strides(1, 1, 0, static_cast<uint8_t>(dl.pitch / 8),
                                         static_cast<uint8_t>(sl.pitch / 8), gap);
        for (uint32_t c = 0; c < columns; c += dl.width) {
            const uint32_t p = c / dl.width;
            const uint32_t mask = columns - c < dl.width ? columns - c : dl.width;
            EachRepeats(rows, true, [&](uint32_t r, uint32_t n) HOSTCANN_API_LAMBDA {
                Apply<isDiv>(dst[p * dl.step + r * dl.pitch], src[p * sl.step + r * sl.pitch], values[r * 8 * gap],
                             mask, n, strides);
            });
        }
    } else {
        // Long rows: the repeats go along a row.
        const BinaryRepeatParams strides(1, 1, 0, 8, 8, 0);
        const uint32_t whole = columns / 64;
        for (uint32_t r = 0; r < rows; ++r) {
            const LocalTensor<float> d = dst[r * dl.pitch];
            const LocalTensor<float> s = src[r * sl.pitch];
            EachRepeats(whole, true, [&](uint32_t p, uint32_t n) HOSTCANN_API_LAMBDA {
                Apply<isDiv>(d[p * 64], s[p * 64], values[r * 8 * gap], 64, n, strides);
            });
            if (columns % 64 != 0) {
                Apply<isDiv>(d[whole * 64], s[whole * 64], values[r * 8 * gap], columns % 64, 1, strides);
            }
        }
    }
    Ordered();
}

// Statistics: a value per row. A tensor of them has a block of 32 bytes per row, or one element when isPacked; inside,
// they are floats, a block of 8 or one per row.
template <bool isPacked>
constexpr uint32_t StatLanes = isPacked ? 1 : 8;

template <typename T, bool isPacked>
HOSTCANN_API LocalTensor<T> StatAt(const LocalTensor<T>& tensor, uint32_t row)
{
    return tensor[isPacked ? row : row * static_cast<uint32_t>(32 / sizeof(T))];
}

// The statistics of `rows` rows as floats; `room` holds them when they have to be widened.
template <bool isPacked>
HOSTCANN_API LocalTensor<float> ReadStat(const LocalTensor<float>& from, const LocalTensor<float>&, uint32_t)
{
    return from;
}
template <bool isPacked>
HOSTCANN_API LocalTensor<float> ReadStat(const LocalTensor<half>& from, const LocalTensor<float>& room, uint32_t rows)
{
    if constexpr (isPacked) {
        Cast(room, from, RoundMode::CAST_NONE, rows);
    } else {
        EachRepeats(rows, true, [&](uint32_t r, uint32_t n) HOSTCANN_API_LAMBDA {
            Cast(room[r * 8], from[r * 16], RoundMode::CAST_NONE, uint64_t{8}, n, {1, 1, 1, 1});
        });
    }
    Ordered();
    return room;
}

template <bool isPacked>
HOSTCANN_API void WriteStat(const LocalTensor<float>& to, const LocalTensor<float>& from, const LocalTensor<float>&,
                            uint32_t rows)
{
    if constexpr (isPacked) {
        Muls(to, from, 1.0f, static_cast<int32_t>(rows));
    } else {
        DataCopy(to, from, rows * 8);
    }
    Ordered();
}
// room: 16 floats per row.
template <bool isPacked>
HOSTCANN_API void WriteStat(const LocalTensor<half>& to, const LocalTensor<float>& from, const LocalTensor<float>& room,
                            uint32_t rows)
{
    if constexpr (isPacked) {
        Cast(to, from, RoundMode::CAST_NONE, rows);
    } else {
        const DataCopyParams everySecond(static_cast<uint16_t>(rows), 1, 0, 1);
        DataCopy(room, from, everySecond);
        DataCopy(room[8], from, everySecond);
        Ordered();
        Cast(to, room, RoundMode::CAST_NONE, rows * 16);
    }
    Ordered();
}

} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_MATRIX_H
