/**
 * Copyright (c) 2026 The MyOp operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

/*!
 * \file my_op.h
 * \brief One core's tiles of y = x1 + x2: copy a tile in, compute, copy it out, double buffered.
 */
#ifndef MY_OP_H
#define MY_OP_H

#include "kernel_operator.h"
#include "my_op_tiling_data.h"
#include "my_op_tiling_key.h"

namespace NsMyOp {
// Where a tile lies in each tensor.
struct Tile {
    int64_t x1;
    int64_t x2;
    int64_t y;
    uint32_t length;
};

template <typename T>
class Kernel {
public:
    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const MyOpTilingData& tiling, AscendC::TPipe& pipe)
    {
        tiling_ = &tiling;
        x1Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x1));
        x2Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x2));
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
        const uint32_t tileBytes = static_cast<uint32_t>(tiling.tileLength * sizeof(T));
        pipe.InitBuffer(x1Queue_, MY_OP_BUFFER_NUM, tileBytes);
        pipe.InitBuffer(x2Queue_, MY_OP_BUFFER_NUM, tileBytes);
        pipe.InitBuffer(yQueue_, MY_OP_BUFFER_NUM, tileBytes);
    }

    __aicore__ inline void Process()
    {
        const int64_t begin = AscendC::GetBlockIdx() * tiling_->coreTiles;
        const int64_t share = begin + tiling_->coreTiles;
        const int64_t end = share < tiling_->totalTiles ? share : tiling_->totalTiles;
        for (int64_t index = begin; index < end; index++) {
            const Tile tile = Locate(index);
            CopyIn(x1Queue_, x1Gm_[tile.x1], tiling_->x1Stride[LAST], tile.length);
            CopyIn(x2Queue_, x2Gm_[tile.x2], tiling_->x2Stride[LAST], tile.length);
            Compute(tile.length);
            CopyOut(tile);
        }
    }

private:
    static constexpr uint32_t LAST = MY_OP_MAX_DIM - 1;

    __aicore__ inline Tile Locate(int64_t index)
    {
        const int64_t columns = tiling_->dims[LAST];
        const int64_t column = index % tiling_->rowTiles * tiling_->tileLength;
        const int64_t left = columns - column;
        int64_t row = index / tiling_->rowTiles;
        Tile tile{column * tiling_->x1Stride[LAST], column * tiling_->x2Stride[LAST], row * columns + column, 0};
        tile.length = static_cast<uint32_t>(left < tiling_->tileLength ? left : tiling_->tileLength);
        for (uint32_t axis = LAST; axis > 0; axis--) {
            const int64_t at = row % tiling_->dims[axis - 1];
            row /= tiling_->dims[axis - 1];
            tile.x1 += at * tiling_->x1Stride[axis - 1];
            tile.x2 += at * tiling_->x2Stride[axis - 1];
        }
        return tile;
    }

    // A row of the operand, or its one element as often as the row is long. DataCopyPad takes any length: the last tile
    // need not be a multiple of 32 bytes.
    __aicore__ inline void CopyIn(AscendC::TQue<AscendC::QuePosition::VECIN, 1>& queue,
                                  const AscendC::GlobalTensor<T>& from, int64_t stride, uint32_t length)
    {
        AscendC::LocalTensor<T> x = queue.template AllocTensor<T>();
        if (stride == 0) {
            AscendC::Duplicate(x, from.GetValue(0), length);
        } else {
            const AscendC::DataCopyExtParams copyParams{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0};
            const AscendC::DataCopyPadExtParams<T> padParams{};
            AscendC::DataCopyPad(x, from, copyParams, padParams);
        }
        queue.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t length)
    {
        AscendC::LocalTensor<T> x1 = x1Queue_.template DeQue<T>();
        AscendC::LocalTensor<T> x2 = x2Queue_.template DeQue<T>();
        AscendC::LocalTensor<T> y = yQueue_.template AllocTensor<T>();
        AscendC::Add(y, x1, x2, length);
        yQueue_.EnQue(y);
        x1Queue_.FreeTensor(x1);
        x2Queue_.FreeTensor(x2);
    }

    __aicore__ inline void CopyOut(const Tile& tile)
    {
        const AscendC::DataCopyExtParams copyParams{1, static_cast<uint32_t>(tile.length * sizeof(T)), 0, 0, 0};
        AscendC::LocalTensor<T> y = yQueue_.template DeQue<T>();
        AscendC::DataCopyPad(yGm_[tile.y], y, copyParams);
        yQueue_.FreeTensor(y);
    }

    const MyOpTilingData* tiling_ = nullptr;
    AscendC::TQue<AscendC::QuePosition::VECIN, 1> x1Queue_;
    AscendC::TQue<AscendC::QuePosition::VECIN, 1> x2Queue_;
    AscendC::TQue<AscendC::QuePosition::VECOUT, 1> yQueue_;
    AscendC::GlobalTensor<T> x1Gm_;
    AscendC::GlobalTensor<T> x2Gm_;
    AscendC::GlobalTensor<T> yGm_;
};
} // namespace NsMyOp
#endif // MY_OP_H
