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
 * \brief Broadcast and strided tensors: a tile is rows of a strided copy.
 */
#ifndef FMOD_ROWS_H
#define FMOD_ROWS_H

#include <type_traits>
#include "fmod_common.h"

namespace NsFmod {
constexpr uint32_t BRCB_VALUES = 8; // values that one repeat of Brcb spreads over eight blocks

// rows x columns elements; a row takes pitch elements in UB, columns rounded up to whole blocks.
struct TileShape {
    uint32_t rows;
    uint32_t columns;
    uint32_t pitch;
};

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

// An input. TILE moves along both axes in GM; the others are loaded in short form, spread over the tile once and kept
// for as long as the same elements are asked for: ROW has one row for all rows, COLUMN one value a row, VALUE one
// value.
enum class InputForm { TILE, ROW, COLUMN, VALUE };

template <typename T>
class RowsInput {
public:
    __aicore__ inline void Init(TPipe& pipe, GM_ADDR gm, int64_t rowStride, int64_t columnStride, uint32_t tileLength)
    {
        gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gm));
        rowStride_ = rowStride;
        if (columnStride != 0) {
            form_ = rowStride != 0 ? InputForm::TILE : InputForm::ROW;
        } else {
            form_ = rowStride != 0 ? InputForm::COLUMN : InputForm::VALUE;
        }
        const uint32_t tileBytes = tileLength * sizeof(T);
        if (form_ == InputForm::TILE) {
            pipe.InitBuffer(queue_, FMOD_BUFFER_NUM, tileBytes);
        } else {
            pipe.InitBuffer(queue_, 1, tileBytes);
            pipe.InitBuffer(spread_, tileBytes);
            tile_ = spread_.template Get<T>();
        }
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
        raw_ = queue_.template AllocTensor<T>();
        if (form_ == InputForm::TILE) {
            RowCopy<T>(rowStride_, shape).In(raw_, gm_, offset);
        } else if (form_ == InputForm::ROW) {
            RowCopy<T>(0, TileShape{1, shape.columns, shape.pitch}).In(raw_, gm_, offset);
        } else if (form_ == InputForm::VALUE) {
            RowCopy<T>(0, TileShape{1, 1, PitchOf<T>(1)}).In(raw_, gm_, offset);
        } else if (UsesBrcb()) {
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

    // The tile, valid until Release.
    __aicore__ inline LocalTensor<T> Acquire(const TileShape& shape)
    {
        if (!isFresh_) {
            return tile_;
        }
        LocalTensor<T> raw = queue_.template DeQue<T>();
        if (form_ == InputForm::TILE) {
            tile_ = raw;
            return tile_;
        }
        if (form_ == InputForm::ROW) {
            SpreadRow(raw, shape);
        } else if (form_ == InputForm::VALUE) {
            FillFromBlock(Lanes(tile_), Lanes(raw), shape.rows * PitchLanes(shape));
        } else {
            SpreadColumn(raw, shape);
        }
        queue_.FreeTensor(raw);
        return tile_;
    }

    __aicore__ inline void Release(LocalTensor<T> tile)
    {
        if (form_ == InputForm::TILE) {
            queue_.FreeTensor(tile);
        }
    }

private:
    // Spreading moves bytes: 32-bit lanes where the type has them, 16-bit lanes otherwise.
    using Lane = std::conditional_t<sizeof(T) == sizeof(int32_t), int32_t, int16_t>;
    static constexpr uint32_t REPEAT_LANES = REPEAT_BYTES / sizeof(Lane);
    static constexpr uint32_t BLOCK_LANES = FMOD_BLOCK_BYTES / sizeof(Lane);

    __aicore__ inline static LocalTensor<Lane> Lanes(const LocalTensor<T>& tensor)
    {
        return tensor.template ReinterpretCast<Lane>();
    }

    __aicore__ inline static uint32_t PitchLanes(const TileShape& shape)
    {
        return static_cast<uint32_t>(shape.pitch * sizeof(T) / sizeof(Lane));
    }

    __aicore__ inline bool IsKept(int64_t offset, const TileShape& shape) const
    {
        return form_ != InputForm::TILE && keptOffset_ == offset && keptShape_.rows == shape.rows &&
               keptShape_.columns == shape.columns;
    }

    // Brcb has no 8-bit form and wants its values side by side.
    __aicore__ inline bool UsesBrcb() const { return sizeof(T) >= sizeof(int16_t) && rowStride_ == 1; }

    // Where the values of a column wait, behind the blocks that Brcb writes.
    __aicore__ inline uint32_t ValuesOffset(const TileShape& shape) const
    {
        return (shape.rows + BRCB_VALUES - 1) / BRCB_VALUES * BRCB_VALUES * PitchOf<T>(1);
    }

    __aicore__ inline void SpreadRow(const LocalTensor<T>& row, const TileShape& shape)
    {
        DataCopy(tile_, row, shape.pitch);
        uint32_t done = 1;
        while (done < shape.rows) {
            const uint32_t left = shape.rows - done;
            const uint32_t rows = done < left ? done : left;
            DataCopy(tile_[done * shape.pitch], tile_, rows * shape.pitch);
            done += rows;
        }
    }

    // Repeats one block over lanes lanes.
    __aicore__ inline void FillFromBlock(const LocalTensor<Lane>& dst, const LocalTensor<Lane>& block, uint32_t lanes)
    {
        const CopyRepeatParams params(1, 0, REPEAT_BYTES / FMOD_BLOCK_BYTES, 0);
        uint32_t done = 0;
        while (lanes - done >= REPEAT_LANES) {
            const uint32_t left = (lanes - done) / REPEAT_LANES;
            const uint32_t times = left < MAX_REPEAT ? left : MAX_REPEAT;
            Copy(dst[done], block, static_cast<uint64_t>(REPEAT_LANES), static_cast<uint8_t>(times), params);
            done += times * REPEAT_LANES;
        }
        if (done < lanes) {
            Copy(dst[done], block, static_cast<uint64_t>(lanes - done), 1, params);
        }
    }

    // One block of every row's value, then along the rows or along the columns: the fewer calls.
    __aicore__ inline void SpreadColumn(const LocalTensor<T>& raw, const TileShape& shape)
    {
        if constexpr (sizeof(T) >= sizeof(int16_t)) {
            if (UsesBrcb()) {
                const uint32_t repeats = (shape.rows + BRCB_VALUES - 1) / BRCB_VALUES;
                Brcb(raw, raw[ValuesOffset(shape)], static_cast<uint8_t>(repeats), BrcbRepeatParams(1, BRCB_VALUES));
            }
        }
        const LocalTensor<Lane> dst = Lanes(tile_);
        const LocalTensor<Lane> blocks = Lanes(raw);
        const uint32_t pitch = PitchLanes(shape);
        if (shape.rows <= (pitch + REPEAT_LANES - 1) / REPEAT_LANES) {
            for (uint32_t row = 0; row < shape.rows; row++) {
                FillFromBlock(dst[row * pitch], blocks[row * BLOCK_LANES], pitch);
            }
            return;
        }
        const CopyRepeatParams params(1, 0, static_cast<uint16_t>(pitch / BLOCK_LANES), 1);
        for (uint32_t at = 0; at < pitch; at += REPEAT_LANES) {
            const uint32_t left = pitch - at;
            const uint64_t mask = left < REPEAT_LANES ? left : REPEAT_LANES;
            for (uint32_t row = 0; row < shape.rows; row += MAX_REPEAT) {
                const uint32_t rows = shape.rows - row;
                const uint32_t times = rows < MAX_REPEAT ? rows : MAX_REPEAT;
                Copy(dst[row * pitch + at], blocks[row * BLOCK_LANES], mask, static_cast<uint8_t>(times), params);
            }
        }
    }

    TQue<QuePosition::VECIN, 1> queue_;
    TBuf<QuePosition::VECCALC> spread_;
    GlobalTensor<T> gm_;
    LocalTensor<T> raw_;
    LocalTensor<T> tile_;
    InputForm form_ = InputForm::TILE;
    int64_t rowStride_ = 0;
    bool isFresh_ = true;
    int64_t keptOffset_ = 0;
    TileShape keptShape_{0, 0, 0}; // no rows: nothing is kept
};

// A core takes a range of tiles; rows run fastest, then columns, then the outer axes, so that an operand which does not
// move along the rows stays in UB. Columns run fastest where an operand does not move along those.
template <typename T, typename COMPUTE, bool IS_SCALAR>
class FmodRows {
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
        x1_.Init(pipe, x1, tiling.x1Stride[FMOD_ROW_AXIS], tiling.x1Stride[FMOD_COLUMN_AXIS], tileLength);
        // The order puts every buffer on its side of the bank gap, which lies in the work memory.
        if constexpr (IS_SCALAR) {
            compute_.Init(pipe, tiling, tileLength);
            pipe.InitBuffer(yQueue_, FMOD_BUFFER_NUM, yBytes);
        } else {
            pipe.InitBuffer(yQueue_, FMOD_BUFFER_NUM, yBytes);
            compute_.Init(pipe, tiling, tileLength);
            x2_.Init(pipe, x2, tiling.x2Stride[FMOD_ROW_AXIS], tiling.x2Stride[FMOD_COLUMN_AXIS], tileLength);
        }
        if (tiling.isStreamed != 0) {
            x1_.Stream();
            x2_.Stream();
        }
    }

    __aicore__ inline void Process()
    {
        if (share_.length > 0) {
            Locate(share_.begin);
            CopyIn();
        }
        for (int64_t i = 0; i < share_.length; i++) {
            if (tiling_->isStreamed != 0 && i >= tiling_->keptLength) {
                yGm_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
            }
            Compute(share_.begin + i + 1, i + 1 < share_.length);
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
        x1Offset_ = 0;
        x2Offset_ = 0;
        yOffset_ = 0;
        Step(FMOD_ROW_AXIS, row);
        Step(FMOD_COLUMN_AXIS, column);
        for (uint32_t axis = FMOD_ROW_AXIS; axis > 0 && outer != 0; axis--) {
            Step(axis - 1, outer % tiling_->dims[axis - 1]);
            outer /= tiling_->dims[axis - 1];
        }
        const int64_t rowsLeft = tiling_->dims[FMOD_ROW_AXIS] - row;
        const int64_t columnsLeft = tiling_->dims[FMOD_COLUMN_AXIS] - column;
        shape_.rows = static_cast<uint32_t>(rowsLeft < tiling_->rowTile ? rowsLeft : tiling_->rowTile);
        shape_.columns = static_cast<uint32_t>(columnsLeft < tiling_->colTile ? columnsLeft : tiling_->colTile);
        shape_.pitch = PitchOf<T>(shape_.columns);
    }

    __aicore__ inline void Step(uint32_t axis, int64_t index)
    {
        x1Offset_ += index * tiling_->x1Stride[axis];
        x2Offset_ += index * tiling_->x2Stride[axis];
        yOffset_ += index * tiling_->yStride[axis];
    }

    // Both copies before either flag: see FmodContiguous.
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
    __aicore__ inline void Compute(int64_t next, bool hasNext)
    {
        const LocalTensor<T> x1 = x1_.Acquire(shape_);
        LocalTensor<T> x2;
        if constexpr (!IS_SCALAR) {
            x2 = x2_.Acquire(shape_);
        }
        const TileShape shape = shape_;
        const int64_t yOffset = yOffset_;
        if (hasNext) {
            Locate(next);
            CopyIn();
        }
        LocalTensor<T> y = yQueue_.template AllocTensor<T>();
        compute_.Compute(y, x1, x2, shape.rows * shape.pitch);
        yQueue_.EnQue(y);
        x1_.Release(x1);
        if constexpr (!IS_SCALAR) {
            x2_.Release(x2);
        }
        y = yQueue_.template DeQue<T>();
        RowCopy<T>(tiling_->yStride[FMOD_ROW_AXIS], shape).Out(yGm_, yOffset, y);
        yQueue_.FreeTensor(y);
    }

    COMPUTE compute_;
    RowsInput<T> x1_;
    RowsInput<T> x2_;
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
