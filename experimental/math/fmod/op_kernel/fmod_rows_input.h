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
#include "fmod_operand.h"

namespace NsFmod {
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

// An input. What comes in short form is spread over the tile once, in the type W that the compute class computes in,
// and kept for as long as the same elements are asked for.
template <typename T, typename W>
class RowsInput {
public:
    // rows: of the highest tile. isOnly: there is one tile.
    __aicore__ inline void Init(GM_ADDR gm, int64_t rowStride, int64_t columnStride, int64_t rows, bool isOnly)
    {
        gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gm));
        rowStride_ = rowStride;
        if (columnStride != 0) {
            // Few rows of one tile: reading them again costs nothing where spreading them would hold up the tile.
            const bool isTile = rowStride != 0 || (isOnly && rows <= FEW_ROWS);
            form_ = isTile ? InputForm::TILE : InputForm::ROW;
        } else {
            form_ = rowStride != 0 ? InputForm::COLUMN : InputForm::VALUE;
        }
    }

    // What the compute class reads.
    __aicore__ inline void InitTile(TPipe& pipe, uint32_t tileLength, bool isOnly)
    {
        if (form_ == InputForm::TILE) {
            const uint8_t buffers = isOnly ? 1 : FMOD_BUFFER_NUM;
            pipe.InitBuffer(queue_, buffers, static_cast<uint32_t>(tileLength * sizeof(T)));
        } else {
            pipe.InitBuffer(spread_, static_cast<uint32_t>(tileLength * sizeof(W)));
        }
    }

    // What is spread over it, on the other side of the bank gap.
    __aicore__ inline void InitRaw(TPipe& pipe, int64_t rawBytes)
    {
        if (form_ != InputForm::TILE) {
            pipe.InitBuffer(queue_, 1, static_cast<uint32_t>(rawBytes));
        }
    }

    // Whether its copy takes longer than that of another input.
    __aicore__ inline bool IsLongerThan(const RowsInput& other, const TileShape& shape) const
    {
        return CopyBytes(shape) > other.CopyBytes(shape);
    }

    // Elements that are read once go past the L2.
    __aicore__ inline void Stream()
    {
        if (form_ == InputForm::TILE) {
            gm_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
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
        if (form_ == InputForm::TILE) {
            RowCopy<T>(rowStride_, shape).In(raw_, gm_, offset);
        } else if (form_ == InputForm::ROW) {
            RowCopy<T>(0, TileShape{1, shape.columns, shape.pitch}).In(raw_, gm_, offset);
        } else if (form_ == InputForm::VALUE) {
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

    // The operand, valid until Release. prepare: what the compute class does to all values of it once, in its type.
    template <typename PREPARE>
    __aicore__ inline Operand<T, W> Acquire(const TileShape& shape, PREPARE&& prepare)
    {
        Operand<T, W> operand;
        operand.isFresh = isFresh_;
        if (form_ == InputForm::TILE) {
            operand.tile = queue_.template DeQue<T>();
            return operand;
        }
        const LocalTensor<W> wide = spread_.template Get<W>();
        if (isFresh_) {
            raw_ = queue_.template DeQue<T>();
            if constexpr (IS_WIDENED) {
                Widen(wide, raw_, shape, prepare);
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
        if (form_ == InputForm::TILE) {
            queue_.FreeTensor(tile);
        }
        FreeSpread();
    }

private:
    static constexpr bool IS_WIDENED = !std::is_same_v<W, T>;
    static constexpr int64_t FEW_ROWS = FmodFewRows(IS_WIDENED);
    static constexpr uint32_t BURST_BYTES = 900; // of a long row, that take as long as a row of one element
    static constexpr uint32_t BLOCK_LANES = FMOD_BLOCK_BYTES / sizeof(W);

    // When it is asked for, or behind the tile: the vector unit must not wait for the call that comes before it.
    __aicore__ inline void FreeSpread()
    {
        if (isSpread_) {
            queue_.FreeTensor(raw_);
            isSpread_ = false;
        }
    }

    // Bytes that take as long as the copy of a tile.
    __aicore__ inline uint32_t CopyBytes(const TileShape& shape) const
    {
        if (form_ == InputForm::TILE || form_ == InputForm::ROW) {
            return (form_ == InputForm::TILE ? shape.rows : 1) * shape.columns * sizeof(T);
        }
        return form_ == InputForm::VALUE || UsesBrcb(shape) ? FMOD_BLOCK_BYTES : shape.rows * BURST_BYTES;
    }

    // A row is there for fewer rows, too.
    __aicore__ inline bool IsKept(int64_t offset, const TileShape& shape) const
    {
        const bool hasRows = form_ == InputForm::ROW ? keptShape_.rows >= shape.rows : keptShape_.rows == shape.rows;
        return form_ != InputForm::TILE && keptOffset_ == offset && hasRows && keptShape_.columns == shape.columns;
    }

    // Brcb wants its values side by side. Few values come in blocks of their own in less time.
    __aicore__ inline bool UsesBrcb(const TileShape& shape) const
    {
        return rowStride_ == 1 && shape.rows > BRCB_VALUES;
    }

    __aicore__ inline static uint32_t BlocksOf(const TileShape& shape)
    {
        return (shape.rows + BRCB_VALUES - 1) / BRCB_VALUES * BRCB_VALUES;
    }

    // Where the values of a column wait. What is widened comes first, its values and blocks in the wide type behind it:
    // see RawBytes of the tiling function. What is not waits behind its blocks.
    __aicore__ inline uint32_t ValuesOffset(const TileShape& shape) const
    {
        return IS_WIDENED ? 0 : BlocksOf(shape) * PitchOf<T>(1);
    }

    __aicore__ inline void Spread(const LocalTensor<T>& tile, const LocalTensor<T>& raw, const TileShape& shape)
    {
        if (form_ == InputForm::ROW) {
            DataCopy(tile, raw, shape.pitch);
            SpreadRow(tile, shape);
        } else if (form_ == InputForm::VALUE) {
            SpreadBlock(tile, raw, shape.rows * shape.pitch);
        } else {
            if (UsesBrcb(shape)) {
                FillBlocks(raw, raw[ValuesOffset(shape)], shape);
            }
            SpreadColumn(tile, raw, shape);
        }
    }

    // Casts and prepares what there is before it is spread.
    template <typename PREPARE>
    __aicore__ inline void Widen(const LocalTensor<W>& wide, const LocalTensor<T>& raw, const TileShape& shape,
                                 PREPARE&& prepare)
    {
        const LocalTensor<W> memory = raw.template ReinterpretCast<W>();
        if (form_ == InputForm::ROW) {
            Cast(wide, raw, RoundMode::CAST_NONE, Span{shape.pitch});
            prepare(wide, Span{shape.pitch});
            SpreadRow(wide, shape);
        } else if (form_ == InputForm::VALUE) {
            const LocalTensor<W> block = memory[BLOCK_LANES];
            Cast(block, raw, RoundMode::CAST_NONE, Span{BLOCK_LANES});
            prepare(block, Span{BLOCK_LANES});
            SpreadBlock(wide, block, shape.rows * shape.pitch);
        } else {
            const uint32_t count = BlocksOf(shape);
            const LocalTensor<W> blocks = memory[count * BLOCK_LANES];
            if (UsesBrcb(shape)) {
                const LocalTensor<W> values = memory[count * sizeof(float) / sizeof(W)];
                Cast(values, raw, RoundMode::CAST_NONE, Span{count});
                prepare(values, Span{count});
                FillBlocks(blocks, values, shape);
            } else {
                WidenBlocks(blocks, raw, shape.rows);
                prepare(blocks, Span{shape.rows * BLOCK_LANES});
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
    InputForm form_ = InputForm::TILE;
    int64_t rowStride_ = 0;
    bool isFresh_ = true;
    bool isSpread_ = false; // raw_ is, and has not been given back
    int64_t keptOffset_ = 0;
    TileShape keptShape_{0, 0, 0}; // no rows: nothing is kept
};
} // namespace NsFmod
#endif // FMOD_ROWS_INPUT_H
