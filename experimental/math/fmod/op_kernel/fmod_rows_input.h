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

// An input. What comes in short form is kept for as long as the same elements are asked for: columns and
// values as they are for a compute class that takes them so, and else spread over the tile once.
template <typename T, bool TAKES_SHORT>
class RowsInput {
public:
    // isOnly: there is one tile.
    __aicore__ inline void Init(TPipe& pipe, GM_ADDR gm, int64_t rowStride, int64_t columnStride, uint32_t tileLength,
                                int64_t rawBytes, bool isOnly)
    {
        isOnly_ = isOnly;
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
            pipe.InitBuffer(queue_, IsKeptShort() ? FMOD_BUFFER_NUM : 1, static_cast<uint32_t>(rawBytes));
            if (!IsKeptShort()) {
                pipe.InitBuffer(spread_, tileBytes);
                tile_ = spread_.template Get<T>();
            }
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
    __aicore__ inline Operand<T> Acquire(const TileShape& shape)
    {
        if (isFresh_) {
            LocalTensor<T> raw = queue_.template DeQue<T>();
            if (form_ == InputForm::TILE || IsSpread(shape)) {
                tile_ = raw;
            } else if (IsKeptShort()) {
                Keep(raw, shape);
            } else {
                Spread(raw, shape);
                queue_.FreeTensor(raw);
            }
        }
        return Operand<T>{tile_, IsKeptShort() ? form_ : InputForm::TILE, shape};
    }

    __aicore__ inline void Release(LocalTensor<T> tile)
    {
        if (form_ == InputForm::TILE || IsSpread(keptShape_)) {
            queue_.FreeTensor(tile);
        }
    }

    // After the last tile.
    __aicore__ inline void End()
    {
        if (isHeld_) {
            queue_.FreeTensor(tile_);
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

    __aicore__ inline bool IsKeptShort() const
    {
        return TAKES_SHORT && (form_ == InputForm::COLUMN || form_ == InputForm::VALUE);
    }

    // One row for one row: nothing asks for it again.
    __aicore__ inline bool IsSpread(const TileShape& shape) const
    {
        return isOnly_ && form_ == InputForm::ROW && shape.rows == 1;
    }

    // Brcb has no 8-bit form and wants its values side by side. One value needs none.
    __aicore__ inline bool UsesBrcb(const TileShape& shape) const
    {
        return sizeof(T) >= sizeof(int16_t) && rowStride_ == 1 && shape.rows > 1;
    }

    // Where the values of a column wait, behind the blocks that Brcb writes.
    __aicore__ inline uint32_t ValuesOffset(const TileShape& shape) const
    {
        return (shape.rows + BRCB_VALUES - 1) / BRCB_VALUES * BRCB_VALUES * PitchOf<T>(1);
    }

    // In place of what was kept before.
    __aicore__ inline void Keep(const LocalTensor<T>& raw, const TileShape& shape)
    {
        End();
        isHeld_ = true;
        tile_ = raw;
        if (form_ == InputForm::COLUMN) {
            FillBlocks(raw, shape);
        }
    }

    __aicore__ inline void Spread(const LocalTensor<T>& raw, const TileShape& shape)
    {
        if (form_ == InputForm::ROW) {
            SpreadRow(raw, shape);
        } else if (form_ == InputForm::VALUE) {
            FillFromBlock(Lanes(tile_), Lanes(raw), shape.rows * PitchLanes(shape));
        } else {
            FillBlocks(raw, shape);
            SpreadColumn(raw, shape);
        }
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

    // One block of every row's value.
    __aicore__ inline void FillBlocks(const LocalTensor<T>& raw, const TileShape& shape)
    {
        if constexpr (sizeof(T) >= sizeof(int16_t)) {
            if (UsesBrcb(shape)) {
                const uint32_t repeats = (shape.rows + BRCB_VALUES - 1) / BRCB_VALUES;
                Brcb(raw, raw[ValuesOffset(shape)], static_cast<uint8_t>(repeats), BrcbRepeatParams(1, BRCB_VALUES));
            }
        }
    }

    // Blocks along the rows or along the columns: the fewer calls.
    __aicore__ inline void SpreadColumn(const LocalTensor<T>& raw, const TileShape& shape)
    {
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
    bool isOnly_ = false;
    bool isHeld_ = false; // tile_ is a buffer of the queue
    int64_t keptOffset_ = 0;
    TileShape keptShape_{0, 0, 0}; // no rows: nothing is kept
};
} // namespace NsFmod
#endif // FMOD_ROWS_INPUT_H
