/**
 * Copyright (c) 2026 The Fmod operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

/*!
 * \file fmod_rows_input.h
 * \brief Rows between GM and UB, and an input of a tile that is kept while it serves several.
 */
#ifndef FMOD_ROWS_INPUT_H
#define FMOD_ROWS_INPUT_H

#include <type_traits>
#include "fmod_common.h"

namespace NsFmod {
// rows x columns elements; a row takes pitch elements in UB, columns rounded up to whole blocks.
struct TileShape {
    uint32_t rows;
    uint32_t columns;
    uint32_t pitch;
};

constexpr uint32_t BRCB_VALUES = 8; // values that one repeat of Brcb spreads over eight blocks

template <typename T>
__aicore__ inline uint32_t PitchOf(uint32_t columns)
{
    constexpr uint32_t blockLength = FMOD_BLOCK_BYTES / sizeof(T);
    return (columns + blockLength - 1) / blockLength * blockLength;
}

// Rows between GM and UB. The stride field of a copy holds 32 bits and no negative gap: rows that are farther apart or
// overlap go one by one.
template <typename T>
class RowCopy {
public:
    __aicore__ inline RowCopy(int64_t rowStride, const TileShape& shape) : rowStride_(rowStride), pitch_(shape.pitch)
    {
        const int64_t gap = (rowStride - static_cast<int64_t>(shape.columns)) * static_cast<int64_t>(sizeof(T));
        const bool isOne = shape.rows == 1 || (gap >= 0 && gap <= static_cast<int64_t>(UINT32_MAX));
        calls_ = isOne ? 1 : shape.rows;
        rows_ = static_cast<uint16_t>(isOne ? shape.rows : 1);
        bytes_ = static_cast<uint32_t>(shape.columns * sizeof(T));
        gap_ = rows_ == 1 ? 0 : static_cast<uint32_t>(gap);
    }
    __aicore__ inline void In(const LocalTensor<T>& rows, const GlobalTensor<T>& gm, int64_t offset) const
    {
        const DataCopyExtParams params{rows_, bytes_, gap_, 0, 0};
        for (uint32_t i = 0; i < calls_; i++) {
            DataCopyPad(rows[i * pitch_], gm[offset + i * rowStride_], params, DataCopyPadExtParams<T>{});
        }
    }
    __aicore__ inline void Out(const GlobalTensor<T>& gm, int64_t offset, const LocalTensor<T>& rows) const
    {
        const DataCopyExtParams params{rows_, bytes_, 0, gap_, 0};
        for (uint32_t i = 0; i < calls_; i++) {
            DataCopyPad(gm[offset + i * rowStride_], rows[i * pitch_], params);
        }
    }

private:
    int64_t rowStride_;
    uint32_t pitch_;
    uint32_t calls_;
    uint16_t rows_; // of one call
    uint32_t bytes_;
    uint32_t gap_;
};

// times repeats of wide, dstStep blocks apart, each of mask lanes of the one block that src has every srcStep blocks.
template <typename W, typename T>
__aicore__ inline void SpreadBlocks(const LocalTensor<W>& wide, const LocalTensor<T>& src, uint32_t mask,
                                    uint32_t times, uint32_t dstStep, uint32_t srcStep)
{
    if constexpr (std::is_same_v<W, T>) { // moves bits
        using Lane = std::conditional_t<sizeof(T) == sizeof(int32_t), int32_t, int16_t>;
        const CopyRepeatParams steps(1, 0, static_cast<uint16_t>(dstStep), static_cast<uint16_t>(srcStep));
        Copy(wide.template ReinterpretCast<Lane>(), src.template ReinterpretCast<Lane>(), static_cast<uint64_t>(mask),
             static_cast<uint8_t>(times), steps);
    } else {
        const UnaryRepeatParams steps(1, 0, static_cast<uint8_t>(dstStep), static_cast<uint8_t>(srcStep));
        AscendC::Cast(wide, src, RoundMode::CAST_NONE, static_cast<uint64_t>(mask), static_cast<uint8_t>(times), steps);
    }
}

// One block over length elements.
template <typename W, typename T>
__aicore__ inline void SpreadBlock(const LocalTensor<W>& wide, const LocalTensor<T>& block, uint32_t length)
{
    constexpr uint32_t lanes = REPEAT_BYTES / sizeof(W);
    uint32_t done = 0;
    while (done < length) {
        const uint32_t left = length - done;
        const uint32_t mask = left < lanes ? left : lanes;
        const uint32_t whole = left / lanes;
        const uint32_t times = left < lanes ? 1 : (whole < MAX_REPEAT ? whole : MAX_REPEAT);
        SpreadBlocks(wide[done], block, mask, times, REPEAT_BLOCKS, 0);
        done += mask * times;
    }
}

// A block a row, along the rows or along the columns: the fewer calls. The step of a cast from row to row has 8 bits.
template <typename W, typename T>
__aicore__ inline void SpreadColumn(const LocalTensor<W>& wide, const LocalTensor<T>& blocks, const TileShape& shape)
{
    constexpr uint32_t lanes = REPEAT_BYTES / sizeof(W);
    constexpr uint32_t blockLength = FMOD_BLOCK_BYTES / sizeof(T);
    constexpr uint32_t maxStep = std::is_same_v<W, T> ? UINT16_MAX : UINT8_MAX;
    const uint32_t step = static_cast<uint32_t>(shape.pitch * sizeof(W) / FMOD_BLOCK_BYTES);
    if (step > maxStep || shape.rows <= (shape.pitch + lanes - 1) / lanes) {
        for (uint32_t row = 0; row < shape.rows; row++) {
            SpreadBlock(wide[row * shape.pitch], blocks[row * blockLength], shape.pitch);
        }
        return;
    }
    for (uint32_t at = 0; at < shape.pitch; at += lanes) {
        const uint32_t mask = shape.pitch - at < lanes ? shape.pitch - at : lanes;
        for (uint32_t row = 0; row < shape.rows; row += MAX_REPEAT) {
            const uint32_t left = shape.rows - row;
            const uint32_t times = left < MAX_REPEAT ? left : MAX_REPEAT;
            SpreadBlocks(wide[row * shape.pitch + at], blocks[row * blockLength], mask, times, step, 1);
        }
    }
}

// The first row over all rows: each copy takes as many as there are.
template <typename W>
__aicore__ inline void SpreadRow(const LocalTensor<W>& wide, const TileShape& shape)
{
    uint32_t done = 1;
    while (done < shape.rows) {
        const uint32_t left = shape.rows - done;
        const uint32_t rows = done < left ? done : left;
        DataCopy(wide[done * shape.pitch], wide, rows * shape.pitch);
        done += rows;
    }
}

// An input, by its form (FmodForm). What comes in short form is spread over the tile once, in the type W that the
// compute class computes in, and kept for as long as the same elements are asked for.
template <typename T, typename COMPUTE, bool IS_DIVISOR>
class RowsInput {
    using W = typename COMPUTE::Wide;

public:
    __aicore__ inline void Init(GM_ADDR gm, int64_t rowStride, int64_t columnStride)
    {
        gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gm));
        rowStride_ = rowStride;
        if (columnStride != 0) {
            form_ = rowStride != 0 ? FmodForm::TILE : FmodForm::ROW;
        } else {
            form_ = rowStride != 0 ? FmodForm::COLUMN : FmodForm::VALUE;
        }
    }

    // What the compute class reads.
    __aicore__ inline void InitTile(TPipe& pipe, uint32_t tileLength)
    {
        if (form_ == FmodForm::TILE) {
            pipe.InitBuffer(queue_, FMOD_BUFFER_NUM, static_cast<uint32_t>(tileLength * sizeof(T)));
        } else {
            pipe.InitBuffer(spread_, static_cast<uint32_t>(tileLength * sizeof(W)));
        }
    }

    // What is spread over it, on the other side of the bank gap.
    __aicore__ inline void InitShort(TPipe& pipe, int64_t bytes)
    {
        if (form_ != FmodForm::TILE) {
            pipe.InitBuffer(queue_, 1, static_cast<uint32_t>(bytes));
        }
    }

    // Starts the copy from GM unless the wanted elements are in UB.
    __aicore__ inline void CopyIn(int64_t offset, const TileShape& shape)
    {
        isFresh_ = !IsKept(offset, shape);
        if (!isFresh_) {
            return;
        }
        keptOffset_ = offset;
        keptShape_ = shape;
        FreeSpread();
        raw_ = queue_.template AllocTensor<T>();
        if (form_ == FmodForm::TILE) {
            RowCopy<T>(rowStride_, shape).In(raw_, gm_, offset);
        } else if (form_ == FmodForm::ROW) {
            RowCopy<T>(0, TileShape{1, shape.columns, shape.pitch}).In(raw_, gm_, offset);
        } else if (form_ == FmodForm::VALUE) {
            RowCopy<T>(0, TileShape{1, 1, PitchOf<T>(1)}).In(raw_, gm_, offset);
        } else if (UsesBrcb(shape)) {
            RowCopy<T>(0, TileShape{1, shape.rows, shape.rows}).In(raw_[ValuesOffset(shape)], gm_, offset);
        } else { // a copy of one element fills its block with it
            RowCopy<T>(rowStride_, TileShape{shape.rows, 1, PitchOf<T>(1)}).In(raw_, gm_, offset);
        }
    }

    __aicore__ inline void EnQue()
    {
        if (isFresh_) {
            queue_.EnQue(raw_);
        }
    }

    // The operand, valid until Release.
    __aicore__ inline Operand<T, W> Acquire(const TileShape& shape)
    {
        Operand<T, W> operand;
        operand.isFresh = isFresh_;
        if (form_ == FmodForm::TILE) {
            operand.tile = queue_.template DeQue<T>();
            return operand;
        }
        const LocalTensor<W> wide = spread_.template Get<W>();
        if (isFresh_) {
            raw_ = queue_.template DeQue<T>();
            if constexpr (IS_WIDENED) {
                Widen(wide, raw_, shape);
            } else {
                Spread(wide, raw_, shape);
            }
            isSpread_ = true;
        }
        if constexpr (IS_WIDENED) {
            operand.wide = wide;
            operand.isWide = true;
        } else {
            operand.tile = wide;
        }
        return operand;
    }

    __aicore__ inline void Release(LocalTensor<T> tile)
    {
        if (form_ == FmodForm::TILE) {
            queue_.FreeTensor(tile);
        }
        FreeSpread();
    }

private:
    static constexpr bool IS_WIDENED = !std::is_same_v<W, T>;
    static constexpr uint32_t BLOCK_LANES = FMOD_BLOCK_BYTES / sizeof(W);

    // Before the next copy into it, or after the tile.
    __aicore__ inline void FreeSpread()
    {
        if (isSpread_) {
            queue_.FreeTensor(raw_);
            isSpread_ = false;
        }
    }

    // A row is there for fewer rows, too.
    __aicore__ inline bool IsKept(int64_t offset, const TileShape& shape) const
    {
        const bool hasRows = form_ == FmodForm::ROW ? keptShape_.rows >= shape.rows : keptShape_.rows == shape.rows;
        return form_ != FmodForm::TILE && keptOffset_ == offset && hasRows && keptShape_.columns == shape.columns;
    }

    // Brcb takes eight values, side by side; a copy of one value into its own block needs no Brcb.
    __aicore__ inline bool UsesBrcb(const TileShape& shape) const
    {
        return rowStride_ == 1 && shape.rows > BRCB_VALUES;
    }

    __aicore__ inline static uint32_t BlocksOf(const TileShape& shape)
    {
        return (shape.rows + BRCB_VALUES - 1) / BRCB_VALUES * BRCB_VALUES;
    }

    // Where the values of a column wait. What is widened comes first, its values and blocks in the wide type behind it:
    // see ShortBytes of the tiling function. What is not waits behind its blocks.
    __aicore__ inline uint32_t ValuesOffset(const TileShape& shape) const
    {
        return IS_WIDENED ? 0 : BlocksOf(shape) * PitchOf<T>(1);
    }

    __aicore__ inline void Spread(const LocalTensor<T>& tile, const LocalTensor<T>& raw, const TileShape& shape)
    {
        if (form_ == FmodForm::ROW) {
            DataCopy(tile, raw, shape.pitch);
            SpreadRow(tile, shape);
        } else if (form_ == FmodForm::VALUE) {
            SpreadBlock(tile, raw, shape.rows * shape.pitch);
        } else {
            if (UsesBrcb(shape)) {
                FillBlocks(raw, raw[ValuesOffset(shape)], shape);
            }
            SpreadColumn(tile, raw, shape);
        }
    }

    __aicore__ inline static void Prepare(const LocalTensor<W>& values, uint32_t length)
    {
        if constexpr (IS_DIVISOR) {
            COMPUTE::PrepareDivisor(values, length);
        }
    }

    // Casts and prepares what there is before it is spread.
    __aicore__ inline void Widen(const LocalTensor<W>& wide, const LocalTensor<T>& raw, const TileShape& shape)
    {
        const LocalTensor<W> memory = raw.template ReinterpretCast<W>();
        if (form_ == FmodForm::ROW) {
            Cast(wide, raw, RoundMode::CAST_NONE, shape.pitch);
            Prepare(wide, shape.pitch);
            SpreadRow(wide, shape);
        } else if (form_ == FmodForm::VALUE) {
            const LocalTensor<W> block = memory[BLOCK_LANES];
            Cast(block, raw, RoundMode::CAST_NONE, BLOCK_LANES);
            Prepare(block, BLOCK_LANES);
            SpreadBlock(wide, block, shape.rows * shape.pitch);
        } else {
            const uint32_t count = BlocksOf(shape);
            const LocalTensor<W> blocks = memory[count * BLOCK_LANES];
            if (UsesBrcb(shape)) {
                const LocalTensor<W> values = memory[count * sizeof(float) / sizeof(W)];
                Cast(values, raw, RoundMode::CAST_NONE, count);
                Prepare(values, count);
                FillBlocks(blocks, values, shape);
            } else {
                WidenBlocks(blocks, raw, shape.rows);
                Prepare(blocks, shape.rows * BLOCK_LANES);
            }
            SpreadColumn(wide, blocks, shape);
        }
    }

    // A block of T for a block of W.
    __aicore__ inline static void WidenBlocks(const LocalTensor<W>& wide, const LocalTensor<T>& blocks, uint32_t rows)
    {
        const UnaryRepeatParams steps(1, 1, 1, 1);
        for (uint32_t row = 0; row < rows; row += MAX_REPEAT) {
            const uint32_t left = rows - row;
            AscendC::Cast(wide[row * BLOCK_LANES], blocks[row * PitchOf<T>(1)], RoundMode::CAST_NONE,
                          static_cast<uint64_t>(BLOCK_LANES),
                          static_cast<uint8_t>(left < MAX_REPEAT ? left : MAX_REPEAT), steps);
        }
    }

    // One block of every row's value.
    template <typename V>
    __aicore__ inline static void FillBlocks(const LocalTensor<V>& blocks, const LocalTensor<V>& values,
                                             const TileShape& shape)
    {
        Brcb(blocks, values, static_cast<uint8_t>(BlocksOf(shape) / BRCB_VALUES), BrcbRepeatParams(1, BRCB_VALUES));
    }

    TQue<QuePosition::VECIN, 1> queue_;
    TBuf<QuePosition::VECCALC> spread_;
    GlobalTensor<T> gm_;
    LocalTensor<T> raw_;
    FmodForm form_ = FmodForm::TILE;
    int64_t rowStride_ = 0;
    bool isFresh_ = true;
    bool isSpread_ = false; // raw_ is, and has not been given back
    int64_t keptOffset_ = 0;
    TileShape keptShape_{0, 0, 0}; // no rows: nothing is kept
};
} // namespace NsFmod
#endif // FMOD_ROWS_INPUT_H
