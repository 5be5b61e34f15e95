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
 * \brief Pipeline over tiles of rows for broadcast and strided tensors.
 */
#ifndef FMOD_ROWS_H
#define FMOD_ROWS_H

#include "fmod_contiguous.h"
#include "fmod_operand.h"

namespace NsFmod {
constexpr uint32_t ROW_AXIS = FMOD_MAX_DIM - 2;
constexpr uint32_t COLUMN_AXIS = FMOD_MAX_DIM - 1;

// A core takes a range of tiles; rows run fastest, then columns, then the outer axes, so that an operand which does not
// move along the rows stays in UB.
template <typename T, uint32_t PRECISION, bool IS_SCALAR>
class FmodRows {
public:
    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const FmodTilingData& tiling, TPipe& pipe)
    {
        tiling_ = &tiling;
        share_ = ShareOfCore(tiling);
        rowTiles_ = (tiling.dims[ROW_AXIS] + tiling.rowTile - 1) / tiling.rowTile;
        columnTiles_ = (tiling.dims[COLUMN_AXIS] + tiling.colTile - 1) / tiling.colTile;
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
        const uint32_t tileLength = static_cast<uint32_t>(tiling.tileLength);
        const uint32_t tileBytes = tileLength * sizeof(T);
        x1_.Init(pipe, x1, tiling.x1Stride[ROW_AXIS], tiling.x1Stride[COLUMN_AXIS], tileLength);
        if constexpr (IS_SCALAR) {
            policy_.Init(pipe, tiling, tileLength);
            pipe.InitBuffer(yQueue_, FMOD_BUFFER_NUM, tileBytes + FMOD_BANK_ROW_BYTES);
        } else {
            pipe.InitBuffer(yQueue_, FMOD_BUFFER_NUM, tileBytes + FMOD_BANK_ROW_BYTES);
            policy_.Init(pipe, tiling, tileLength);
            x2_.Init(pipe, x2, tiling.x2Stride[ROW_AXIS], tiling.x2Stride[COLUMN_AXIS], tileLength);
        }
        policy_.InitConst(pipe);
    }

    __aicore__ inline void Process()
    {
        for (int64_t i = 0; i < share_.length; i++) {
            Locate(share_.begin + i);
            x1_.CopyIn(x1Offset_, shape_, !IS_SCALAR); // a scalar policy may use x1 up
            if constexpr (!IS_SCALAR) {
                x2_.CopyIn(x2Offset_, shape_, true);
            }
            Compute();
            LocalTensor<T> y = yQueue_.template DeQue<T>();
            CopyRowsOut(yGm_, yOffset_, tiling_->yStride[ROW_AXIS], y, shape_);
            yQueue_.FreeTensor(y);
        }
    }

private:
    // Offsets and shape of a tile from its number.
    __aicore__ inline void Locate(int64_t tile)
    {
        const int64_t row = tile % rowTiles_ * tiling_->rowTile;
        const int64_t column = tile / rowTiles_ % columnTiles_ * tiling_->colTile;
        int64_t outer = tile / rowTiles_ / columnTiles_;
        x1Offset_ = row * tiling_->x1Stride[ROW_AXIS] + column * tiling_->x1Stride[COLUMN_AXIS];
        x2Offset_ = row * tiling_->x2Stride[ROW_AXIS] + column * tiling_->x2Stride[COLUMN_AXIS];
        yOffset_ = row * tiling_->yStride[ROW_AXIS] + column * tiling_->yStride[COLUMN_AXIS];
        for (int32_t axis = static_cast<int32_t>(ROW_AXIS) - 1; axis >= 0 && outer != 0; axis--) {
            const int64_t index = outer % tiling_->dims[axis];
            outer /= tiling_->dims[axis];
            x1Offset_ += index * tiling_->x1Stride[axis];
            x2Offset_ += index * tiling_->x2Stride[axis];
            yOffset_ += index * tiling_->yStride[axis];
        }
        const int64_t rowsLeft = tiling_->dims[ROW_AXIS] - row;
        const int64_t columnsLeft = tiling_->dims[COLUMN_AXIS] - column;
        shape_.rows = static_cast<uint32_t>(rowsLeft < tiling_->rowTile ? rowsLeft : tiling_->rowTile);
        shape_.columns = static_cast<uint32_t>(columnsLeft < tiling_->colTile ? columnsLeft : tiling_->colTile);
        shape_.pitch = PitchOf<T>(shape_.columns);
    }

    __aicore__ inline void Compute()
    {
        const uint32_t length = shape_.rows * shape_.pitch;
        const LocalTensor<T> x1 = x1_.Acquire(shape_);
        if constexpr (IS_SCALAR) {
            const LocalTensor<T> y = yQueue_.template AllocTensor<T>();
            policy_.Scalar(y, x1, length);
            yQueue_.EnQue(y);
        } else {
            const LocalTensor<T> x2 = x2_.Acquire(shape_);
            const LocalTensor<T> y = yQueue_.template AllocTensor<T>();
            policy_.Tensor(y, x1, x2, length);
            yQueue_.EnQue(y);
            x2_.Release();
        }
        x1_.Release();
    }

    typename PolicyOf<T, PRECISION, IS_SCALAR, true>::Type policy_;
    FmodOperand<T> x1_;
    FmodOperand<T> x2_;
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
