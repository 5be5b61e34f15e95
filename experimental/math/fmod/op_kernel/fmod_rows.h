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

#include "fmod_rows_input.h"

namespace NsFmod {
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
        x1_.Init(x1, tiling.x1Stride[FMOD_ROW_AXIS], tiling.x1Stride[FMOD_COLUMN_AXIS]);
        // The order puts every buffer on its side of the bank gap, which lies in the work memory.
        x1_.InitTile(pipe, tileLength);
        if constexpr (IS_SCALAR) {
            compute_.Init(pipe, tiling, tileLength);
            pipe.InitBuffer(yQueue_, FMOD_BUFFER_NUM, yBytes);
        } else {
            x2_.Init(x2, tiling.x2Stride[FMOD_ROW_AXIS], tiling.x2Stride[FMOD_COLUMN_AXIS]);
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
        RowCopy<T>(tiling_->yStride[FMOD_ROW_AXIS], shape).Out(yGm_, yOffset, y);
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
