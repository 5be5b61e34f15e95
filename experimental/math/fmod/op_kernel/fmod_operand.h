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
 * \file fmod_operand.h
 * \brief One input of the row modes: a strided or broadcast tile of rows in UB.
 */
#ifndef FMOD_OPERAND_H
#define FMOD_OPERAND_H

#include <type_traits>
#include "fmod_work.h"

namespace NsFmod {
constexpr uint32_t BLOCK_BYTES = 32;
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
    constexpr uint32_t blockLength = BLOCK_BYTES / sizeof(T);
    return (columns + blockLength - 1) / blockLength * blockLength;
}

// Strided rows between GM and UB. The stride field of a copy holds 32 bits and no negative gap: rows that are farther
// apart or overlap go one by one.
template <typename T>
__aicore__ inline bool IsOneCopy(int64_t rowStride, const TileShape& shape)
{
    const int64_t gap = (rowStride - static_cast<int64_t>(shape.columns)) * static_cast<int64_t>(sizeof(T));
    return shape.rows == 1 || (gap >= 0 && gap <= static_cast<int64_t>(UINT32_MAX));
}

template <typename T>
__aicore__ inline void CopyRowsIn(const LocalTensor<T>& rows, const GlobalTensor<T>& gm, int64_t offset,
                                  int64_t rowStride, const TileShape& shape)
{
    const DataCopyPadExtParams<T> padParams{};
    const uint32_t bytes = static_cast<uint32_t>(shape.columns * sizeof(T));
    if (IsOneCopy<T>(rowStride, shape)) {
        const int64_t gap = shape.rows == 1 ? 0 : (rowStride - static_cast<int64_t>(shape.columns)) * sizeof(T);
        const DataCopyExtParams params{static_cast<uint16_t>(shape.rows), bytes, static_cast<uint32_t>(gap), 0, 0};
        DataCopyPad(rows, gm[offset], params, padParams);
        return;
    }
    const DataCopyExtParams params{1, bytes, 0, 0, 0};
    for (uint32_t row = 0; row < shape.rows; row++) {
        DataCopyPad(rows[row * shape.pitch], gm[offset + row * rowStride], params, padParams);
    }
}

template <typename T>
__aicore__ inline void CopyRowsOut(const GlobalTensor<T>& gm, int64_t offset, int64_t rowStride,
                                   const LocalTensor<T>& rows, const TileShape& shape)
{
    const uint32_t bytes = static_cast<uint32_t>(shape.columns * sizeof(T));
    if (IsOneCopy<T>(rowStride, shape)) {
        const int64_t gap = shape.rows == 1 ? 0 : (rowStride - static_cast<int64_t>(shape.columns)) * sizeof(T);
        const DataCopyExtParams params{static_cast<uint16_t>(shape.rows), bytes, 0, static_cast<uint32_t>(gap), 0};
        DataCopyPad(gm[offset], rows, params);
        return;
    }
    const DataCopyExtParams params{1, bytes, 0, 0, 0};
    for (uint32_t row = 0; row < shape.rows; row++) {
        DataCopyPad(gm[offset + row * rowStride], rows[row * shape.pitch], params);
    }
}

// A tile is streamed when both axes move in GM. Otherwise it is loaded in short form, spread over the tile once and
// kept for as long as the same elements are asked for: ROW has one row for all rows, COLUMN one value a row, POINT one
// value.
template <typename T>
class FmodOperand {
public:
    __aicore__ inline void Init(TPipe& pipe, GM_ADDR gm, int64_t rowStride, int64_t columnStride, uint32_t tileLength)
    {
        gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gm));
        rowStride_ = rowStride;
        isRow_ = rowStride == 0 && columnStride != 0;
        isColumn_ = rowStride != 0 && columnStride == 0;
        isPoint_ = rowStride == 0 && columnStride == 0;
        isStreamed_ = !isRow_ && !isColumn_ && !isPoint_;
        const uint32_t tileBytes = tileLength * sizeof(T);
        if (isStreamed_) {
            pipe.InitBuffer(queue_, FMOD_BUFFER_NUM, tileBytes);
        } else {
            pipe.InitBuffer(queue_, 1, tileBytes);
            pipe.InitBuffer(spread_, tileBytes);
            tile_ = spread_.template Get<T>();
        }
    }

    // Queues the copy from GM unless the wanted elements are in UB.
    __aicore__ inline void CopyIn(int64_t offset, const TileShape& shape, bool mayKeep)
    {
        isFresh_ = !(mayKeep && IsKept(offset, shape));
        if (!isFresh_) {
            return;
        }
        keptOffset_ = offset;
        keptShape_ = shape;
        isKept_ = !isStreamed_;
        const LocalTensor<T> raw = queue_.template AllocTensor<T>();
        if (isStreamed_) {
            CopyRowsIn(raw, gm_, offset, rowStride_, shape);
        } else if (isRow_) {
            CopyRowsIn(raw, gm_, offset, 0, TileShape{1, shape.columns, shape.pitch});
        } else if (isPoint_) {
            CopyRowsIn(raw, gm_, offset, 0, TileShape{1, 1, PitchOf<T>(1)});
        } else if (UsesBrcb()) {
            CopyRowsIn(raw[ValuesOffset(shape)], gm_, offset, 0, TileShape{1, shape.rows, shape.rows});
        } else { // a copy of one element fills its block with it
            CopyRowsIn(raw, gm_, offset, rowStride_, TileShape{shape.rows, 1, PitchOf<T>(1)});
        }
        queue_.EnQue(raw);
    }

    // The tile, valid until Release.
    __aicore__ inline LocalTensor<T> Acquire(const TileShape& shape)
    {
        if (!isFresh_) {
            return tile_;
        }
        LocalTensor<T> raw = queue_.template DeQue<T>();
        if (isStreamed_) {
            tile_ = raw;
            return tile_;
        }
        if (isRow_) {
            SpreadRow(raw, shape);
        } else {
            if (isColumn_ && UsesBrcb()) {
                const uint32_t repeats = (shape.rows + BRCB_VALUES - 1) / BRCB_VALUES;
                if constexpr (sizeof(T) >= sizeof(int16_t)) {
                    Brcb(raw, raw[ValuesOffset(shape)], static_cast<uint8_t>(repeats),
                         BrcbRepeatParams(1, BRCB_VALUES));
                }
            }
            SpreadBlocks(raw, shape, isPoint_);
        }
        queue_.FreeTensor(raw);
        return tile_;
    }

    __aicore__ inline void Release()
    {
        if (isStreamed_) {
            queue_.FreeTensor(tile_);
        }
    }

private:
    // Spreading moves bytes: 32-bit lanes where the type has them, 16-bit lanes otherwise.
    using Lane = std::conditional_t<sizeof(T) == sizeof(int32_t), int32_t, int16_t>;
    static constexpr uint32_t REPEAT_LANES = REPEAT_BYTES / sizeof(Lane);
    static constexpr uint32_t BLOCK_LANES = BLOCK_BYTES / sizeof(Lane);

    __aicore__ inline bool IsKept(int64_t offset, const TileShape& shape) const
    {
        return isKept_ && keptOffset_ == offset && keptShape_.rows == shape.rows && keptShape_.columns == shape.columns;
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
        const CopyRepeatParams params(1, 0, REPEAT_BYTES / BLOCK_BYTES, 0);
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

    // raw holds one filled block for every row, or a single one. Along the rows or along the columns: the fewer calls.
    __aicore__ inline void SpreadBlocks(const LocalTensor<T>& raw, const TileShape& shape, bool isPoint)
    {
        const LocalTensor<Lane> dst = tile_.template ReinterpretCast<Lane>();
        const LocalTensor<Lane> blocks = raw.template ReinterpretCast<Lane>();
        const uint32_t pitch = static_cast<uint32_t>(shape.pitch * sizeof(T) / sizeof(Lane));
        if (isPoint) {
            FillFromBlock(dst, blocks, shape.rows * pitch);
            return;
        }
        const uint32_t chunks = (pitch + REPEAT_LANES - 1) / REPEAT_LANES;
        if (shape.rows <= chunks) {
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
    LocalTensor<T> tile_;
    TileShape keptShape_{0, 0, 0};
    int64_t keptOffset_ = 0;
    int64_t rowStride_ = 0;
    bool isRow_ = false;
    bool isColumn_ = false;
    bool isPoint_ = false;
    bool isStreamed_ = true;
    bool isKept_ = false;
    bool isFresh_ = true;
};
} // namespace NsFmod
#endif // FMOD_OPERAND_H
