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
 * \file fmod_rows.h
 * \brief Broadcast and strided tensors: a tile is rows and columns, moved by copies of several rows.
 */
#ifndef FMOD_ROWS_H
#define FMOD_ROWS_H

#include <type_traits>
#include "fmod_common.h"

namespace NsFmod {
// rows x columns elements; a row takes pitch elements in UB, columns rounded up to whole blocks.
struct TileShape {
    uint32_t rows;
    uint32_t columns;
    uint32_t pitch;
};

// Bytes between rows in GM. The tiling function has checked that 32 bits hold them.
template <typename T>
__aicore__ inline uint32_t GapOf(const TileShape& shape, int64_t rowStride)
{
    return shape.rows == 1 ? 0 : static_cast<uint32_t>((rowStride - shape.columns) * sizeof(T));
}

template <typename T>
__aicore__ inline void CopyRowsIn(const LocalTensor<T>& rows, const GlobalTensor<T>& gm, const TileShape& shape,
                                  int64_t rowStride)
{
    const DataCopyExtParams params{static_cast<uint16_t>(shape.rows), static_cast<uint32_t>(shape.columns * sizeof(T)),
                                   GapOf<T>(shape, rowStride), 0, 0};
    DataCopyPad(rows, gm, params, DataCopyPadExtParams<T>{});
}

template <typename T>
__aicore__ inline void CopyRowsOut(const GlobalTensor<T>& gm, const LocalTensor<T>& rows, const TileShape& shape,
                                   int64_t rowStride)
{
    const DataCopyExtParams params{static_cast<uint16_t>(shape.rows), static_cast<uint32_t>(shape.columns * sizeof(T)),
                                   0, GapOf<T>(shape, rowStride), 0};
    DataCopyPad(gm, rows, params);
}

// times repeats of lanes elements, dstStep blocks apart; each is filled with one of the blocks, srcStep blocks apart.
template <typename W>
__aicore__ inline void FillRepeats(const LocalTensor<W>& dst, const LocalTensor<W>& blocks, uint32_t lanes,
                                   uint32_t times, uint32_t dstStep, uint32_t srcStep)
{
    using Lane = std::conditional_t<sizeof(W) == sizeof(int32_t), int32_t, int16_t>; // Copy moves bits
    constexpr uint32_t blockLength = FMOD_BLOCK_BYTES / sizeof(W);
    const CopyRepeatParams steps(1, 0, static_cast<uint16_t>(dstStep), static_cast<uint16_t>(srcStep));
    for (uint32_t done = 0; done < times; done += MAX_REPEAT) {
        const uint32_t left = times - done;
        Copy(dst[done * dstStep * blockLength].template ReinterpretCast<Lane>(),
             blocks[done * srcStep * blockLength].template ReinterpretCast<Lane>(), static_cast<uint64_t>(lanes),
             static_cast<uint8_t>(left < MAX_REPEAT ? left : MAX_REPEAT), steps);
    }
}

// Fills every row with its block, by repeats down the rows or along a row, whichever takes fewer instructions.
template <typename W>
__aicore__ inline void SpreadBlocks(const LocalTensor<W>& dst, const LocalTensor<W>& blocks, const TileShape& shape)
{
    constexpr uint32_t lanes = REPEAT_BYTES / sizeof(W);
    constexpr uint32_t blockLength = FMOD_BLOCK_BYTES / sizeof(W);
    const uint32_t whole = shape.pitch / lanes;
    const uint32_t rest = shape.pitch % lanes;
    if (shape.rows > whole + (rest != 0 ? 1 : 0)) {
        for (uint32_t at = 0; at < shape.pitch; at += lanes) {
            const uint32_t left = shape.pitch - at;
            FillRepeats(dst[at], blocks, left < lanes ? left : lanes, shape.rows, shape.pitch / blockLength, 1);
        }
        return;
    }
    for (uint32_t row = 0; row < shape.rows; row++) {
        const LocalTensor<W> to = dst[row * shape.pitch];
        FillRepeats(to, blocks[row * blockLength], lanes, whole, REPEAT_BLOCKS, 0);
        if (rest != 0) {
            FillRepeats(to[whole * lanes], blocks[row * blockLength], rest, 1, REPEAT_BLOCKS, 0);
        }
    }
}

// Copies the first row to all others: each copy takes as many rows as there are.
template <typename W>
__aicore__ inline void SpreadRow(const LocalTensor<W>& dst, const TileShape& shape)
{
    uint32_t done = 1;
    while (done < shape.rows) {
        const uint32_t left = shape.rows - done;
        const uint32_t rows = done < left ? done : left;
        DataCopy(dst[done * shape.pitch], dst, rows * shape.pitch);
        done += rows;
    }
}

// An input, by its form (FmodForm). What comes in short form is spread over the tile once, in the type W that the
// compute class computes in, and kept for as long as the same elements are asked for.
template <typename T, typename COMPUTE, bool IS_DIVISOR>
class RowsInput {
    using W = typename COMPUTE::Wide;

public:
    __aicore__ inline void Init(GM_ADDR gm, FmodForm form, int64_t rowStride)
    {
        gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gm));
        form_ = form;
        rowStride_ = rowStride;
    }

    __aicore__ inline int64_t ColumnStride() const { return form_ == FmodForm::TILE || form_ == FmodForm::ROW ? 1 : 0; }

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
    __aicore__ inline void InitShort(TPipe& pipe, int32_t bytes)
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
        raw_ = queue_.template AllocTensor<T>();
        CopyRowsIn(raw_, gm_[offset], ShapeInGm(shape), rowStride_);
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
        const LocalTensor<W> spread = spread_.template Get<W>();
        if (isFresh_) {
            raw_ = queue_.template DeQue<T>();
            Spread(spread, shape);
            queue_.FreeTensor(raw_);
        }
        if constexpr (IS_WIDENED) {
            operand.wide = spread;
            operand.isWide = true;
        } else {
            operand.tile = spread;
        }
        return operand;
    }

    __aicore__ inline void Release(LocalTensor<T> tile)
    {
        if (form_ == FmodForm::TILE) {
            queue_.FreeTensor(tile);
        }
    }

private:
    static constexpr bool IS_WIDENED = !std::is_same_v<W, T>;

    // A row that was spread over more rows serves fewer as well.
    __aicore__ inline bool IsKept(int64_t offset, const TileShape& shape) const
    {
        const bool hasRows = form_ == FmodForm::ROW ? keptShape_.rows >= shape.rows : keptShape_.rows == shape.rows;
        return form_ != FmodForm::TILE && keptOffset_ == offset && hasRows && keptShape_.columns == shape.columns;
    }

    // What is read for a tile. The values of a column are adjacent.
    __aicore__ inline TileShape ShapeInGm(const TileShape& shape) const
    {
        if (form_ == FmodForm::TILE) {
            return shape;
        }
        const uint32_t values = form_ == FmodForm::COLUMN ? shape.rows : 1;
        return TileShape{1, form_ == FmodForm::ROW ? shape.columns : values, shape.pitch};
    }

    // raw_ has what came from GM, then values in W, then a block of each (FMOD_SHORT_VALUE_BYTES).
    __aicore__ inline void Spread(const LocalTensor<W>& spread, const TileShape& shape)
    {
        if (form_ == FmodForm::ROW) {
            if constexpr (IS_WIDENED) {
                Widen(spread, shape.pitch);
            } else {
                DataCopy(spread, raw_, shape.pitch);
            }
            SpreadRow(spread, shape);
            return;
        }
        const uint32_t repeats = form_ == FmodForm::COLUMN ? (shape.rows + FMOD_BRCB_VALUES - 1) / FMOD_BRCB_VALUES : 1;
        const uint32_t count = repeats * FMOD_BRCB_VALUES;
        LocalTensor<W> values = raw_.template ReinterpretCast<W>();
        const LocalTensor<W> blocks = values[count * 2 * sizeof(float) / sizeof(W)];
        if constexpr (IS_WIDENED) {
            values = values[count * sizeof(float) / sizeof(W)];
            Widen(values, count);
        }
        Brcb(blocks, values, static_cast<uint8_t>(repeats), BrcbRepeatParams(1, FMOD_BRCB_VALUES));
        const uint32_t length = shape.rows * shape.pitch;
        SpreadBlocks(spread, blocks, form_ == FmodForm::COLUMN ? shape : TileShape{1, length, length});
    }

    // Divisors are prepared before they are spread.
    __aicore__ inline void Widen(const LocalTensor<W>& wide, uint32_t count)
    {
        Cast(wide, raw_, RoundMode::CAST_NONE, count);
        if constexpr (IS_DIVISOR) {
            COMPUTE::PrepareDivisor(wide, count);
        }
    }

    TQue<QuePosition::VECIN, 1> queue_;
    TBuf<QuePosition::VECCALC> spread_;
    GlobalTensor<T> gm_;
    LocalTensor<T> raw_;
    FmodForm form_ = FmodForm::TILE;
    int64_t rowStride_ = 0;
    bool isFresh_ = true;
    int64_t keptOffset_ = 0;
    TileShape keptShape_{0, 0, 0}; // no rows: nothing is kept
};

// A core takes a range of tiles; rows run fastest, then columns, then the outer axes, so that an operand which does not
// move along the rows stays in UB. Columns run fastest where an operand does not move along those.
template <typename T, typename COMPUTE, bool IS_SCALAR>
class FmodRows {
    using Wide = typename COMPUTE::Wide;

public:
    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const FmodTilingData& tiling, TPipe& pipe)
    {
        tiling_ = &tiling;
        share_ = ShareOfCore(tiling);
        rowTiles_ = (tiling.dims[FMOD_ROW_AXIS] + tiling.rowTile - 1) / tiling.rowTile;
        columnTiles_ = (tiling.dims[FMOD_COLUMN_AXIS] + tiling.colTile - 1) / tiling.colTile;
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
        const uint32_t tileLength = static_cast<uint32_t>(tiling.tileLength);
        const uint32_t yBytes = static_cast<uint32_t>(tileLength * sizeof(T));
        x1_.Init(x1, tiling.x1Form, tiling.x1Stride[FMOD_ROW_AXIS]);
        // The order puts every buffer on its side of the bank gap, which lies in the work memory.
        x1_.InitTile(pipe, tileLength);
        if constexpr (IS_SCALAR) {
            compute_.Init(pipe, tiling, tileLength);
            pipe.InitBuffer(yQueue_, FMOD_BUFFER_NUM, yBytes);
        } else {
            x2_.Init(x2, tiling.x2Form, tiling.x2Stride[FMOD_ROW_AXIS]);
            x2_.InitShort(pipe, tiling.x2ShortBytes);
            pipe.InitBuffer(yQueue_, FMOD_BUFFER_NUM, yBytes);
            compute_.Init(pipe, tiling, tileLength);
            x2_.InitTile(pipe, tileLength);
        }
        x1_.InitShort(pipe, tiling.x1ShortBytes);
    }

    __aicore__ inline void Process()
    {
        if (share_.length > 0) {
            Locate(share_.begin);
            CopyIn();
            compute_.Prepare();
        }
        for (int64_t i = 0; i < share_.length; i++) {
            Compute(i + 1);
        }
    }

private:
    // Offsets and shape of a tile from its number.
    __aicore__ inline void Locate(int64_t tile)
    {
        const bool columnsFirst = tiling_->columnsFirst != 0;
        const int64_t fast = columnsFirst ? columnTiles_ : rowTiles_;
        const int64_t slow = columnsFirst ? rowTiles_ : columnTiles_;
        const int64_t row = (columnsFirst ? tile / fast % slow : tile % fast) * tiling_->rowTile;
        const int64_t column = (columnsFirst ? tile % fast : tile / fast % slow) * tiling_->colTile;
        int64_t outer = tile / fast / slow;
        x1Offset_ = column * x1_.ColumnStride();
        x2Offset_ = column * x2_.ColumnStride();
        yOffset_ = column;
        Step(FMOD_ROW_AXIS, row);
        for (uint32_t axis = FMOD_ROW_AXIS; axis > 0 && outer != 0; axis--) {
            Step(axis - 1, outer % tiling_->dims[axis - 1]);
            outer /= tiling_->dims[axis - 1];
        }
        const int64_t rowsLeft = tiling_->dims[FMOD_ROW_AXIS] - row;
        const int64_t columnsLeft = tiling_->dims[FMOD_COLUMN_AXIS] - column;
        shape_.rows = static_cast<uint32_t>(rowsLeft < tiling_->rowTile ? rowsLeft : tiling_->rowTile);
        shape_.columns = static_cast<uint32_t>(columnsLeft < tiling_->colTile ? columnsLeft : tiling_->colTile);
        constexpr uint32_t blockLength = FMOD_BLOCK_BYTES / sizeof(T);
        shape_.pitch = (shape_.columns + blockLength - 1) / blockLength * blockLength;
    }

    __aicore__ inline void Step(uint32_t axis, int64_t index)
    {
        x1Offset_ += index * tiling_->x1Stride[axis];
        x2Offset_ += index * tiling_->x2Stride[axis];
        yOffset_ += index * tiling_->yStride[axis];
    }

    // Both copies start before the first flag is set.
    __aicore__ inline void CopyIn()
    {
        x1_.CopyIn(x1Offset_, shape_);
        if constexpr (!IS_SCALAR) {
            x2_.CopyIn(x2Offset_, shape_);
            x2_.EnQue();
        }
        x1_.EnQue();
    }

    // The tile that was located, and the copies of the next one: they start before the exact mode waits for its probe.
    __aicore__ inline void Compute(int64_t next)
    {
        const Operand<T, Wide> x1 = x1_.Acquire(shape_);
        Operand<T, Wide> x2;
        if constexpr (!IS_SCALAR) {
            x2 = x2_.Acquire(shape_);
        }
        const TileShape shape = shape_;
        const int64_t yOffset = yOffset_;
        if (next < share_.length) {
            Locate(share_.begin + next);
            CopyIn();
        }
        LocalTensor<T> y = yQueue_.template AllocTensor<T>();
        compute_.Compute(y, x1, x2, shape.rows * shape.pitch);
        yQueue_.EnQue(y);
        y = yQueue_.template DeQue<T>();
        CopyRowsOut(yGm_[yOffset], y, shape, tiling_->yStride[FMOD_ROW_AXIS]);
        yQueue_.FreeTensor(y);
        x1_.Release(x1.tile);
        if constexpr (!IS_SCALAR) {
            x2_.Release(x2.tile);
        }
    }

    COMPUTE compute_;
    RowsInput<T, COMPUTE, false> x1_;
    RowsInput<T, COMPUTE, true> x2_;
    TQue<QuePosition::VECOUT, 1> yQueue_;
    GlobalTensor<T> yGm_;
    const FmodTilingData* tiling_ = nullptr;
    CoreShare share_{0, 0};
    TileShape shape_{0, 0, 0};
    int64_t rowTiles_ = 1;
    int64_t columnTiles_ = 1;
    int64_t x1Offset_ = 0;
    int64_t x2Offset_ = 0;
    int64_t yOffset_ = 0;
};
} // namespace NsFmod
#endif // FMOD_ROWS_H
