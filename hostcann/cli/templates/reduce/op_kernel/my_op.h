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
 * \brief One core's rows of y = the sum of x over its last axis. Sums are float, whatever the data type of x.
 */
#ifndef MY_OP_H
#define MY_OP_H

#include "kernel_operator.h"
#include "my_op_tiling_data.h"
#include "my_op_tiling_key.h"

namespace NsMyOp {
template <typename T>
class Kernel {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const MyOpTilingData& tiling, AscendC::TPipe& pipe)
    {
        const int64_t begin = AscendC::GetBlockIdx() * tiling.coreRows;
        const int64_t left = tiling.rows - begin;
        coreRows_ = left < tiling.coreRows ? left : tiling.coreRows;
        columns_ = tiling.columns;
        tileRows_ = static_cast<uint32_t>(tiling.tileRows);
        tileColumns_ = static_cast<uint32_t>(tiling.tileColumns);
        xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x) + begin * columns_, coreRows_ * columns_);
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + begin, coreRows_);

        const uint32_t tileLength = tileRows_ * PitchOf(tileColumns_);
        const uint32_t sumBytes = CeilAlign(tileRows_ * sizeof(float), MY_OP_BLOCK_BYTES);
        pipe.InitBuffer(xQueue_, MY_OP_BUFFER_NUM, tileLength * sizeof(T));
        pipe.InitBuffer(yQueue_, MY_OP_BUFFER_NUM, CeilAlign(tileRows_ * sizeof(T), MY_OP_BLOCK_BYTES));
        pipe.InitBuffer(sumBuffer_, sumBytes);
        pipe.InitBuffer(partBuffer_, sumBytes);
        pipe.InitBuffer(workBuffer_,
                        CeilAlign(tileColumns_ / REPEAT_LENGTH * sizeof(float), MY_OP_BLOCK_BYTES) + MY_OP_BLOCK_BYTES);
        if constexpr (!AscendC::IsSameType<T, float>::value) {
            pipe.InitBuffer(floatBuffer_, tileLength * sizeof(float));
        }
    }

    __aicore__ inline void Process()
    {
        for (int64_t row = 0; row < coreRows_; row += tileRows_) {
            const int64_t left = coreRows_ - row;
            const uint32_t rows = left < tileRows_ ? static_cast<uint32_t>(left) : tileRows_;
            AscendC::Duplicate(sumBuffer_.Get<float>(), 0.0f, rows);
            for (int64_t column = 0; column < columns_; column += tileColumns_) {
                const int64_t rest = columns_ - column;
                const uint32_t columns = rest < tileColumns_ ? static_cast<uint32_t>(rest) : tileColumns_;
                CopyIn(row * columns_ + column, rows, columns);
                Compute(rows, columns);
            }
            CopyOut(row, rows);
        }
    }

private:
    static constexpr uint32_t REPEAT_LENGTH = 64; // floats that one repeat of ReduceSum adds up

    __aicore__ inline static uint32_t CeilAlign(uint32_t a, uint32_t b) { return (a + b - 1) / b * b; }

    // Elements from one row of a tile to the next.
    __aicore__ inline static uint32_t PitchOf(uint32_t columns)
    {
        return CeilAlign(columns, MY_OP_BLOCK_BYTES / sizeof(T));
    }

    // Rows are padded with zeros to whole blocks, so that the cast to float reads nothing that nobody wrote. Several
    // rows are whole ones: they lie behind each other in GM.
    __aicore__ inline void CopyIn(int64_t offset, uint32_t rows, uint32_t columns)
    {
        const auto padding = static_cast<uint8_t>(PitchOf(columns) - columns);
        const AscendC::DataCopyExtParams copyParams{static_cast<uint16_t>(rows),
                                                    static_cast<uint32_t>(columns * sizeof(T)), 0, 0, 0};
        const AscendC::DataCopyPadExtParams<T> padParams{true, 0, padding, static_cast<T>(0)};
        AscendC::LocalTensor<T> x = xQueue_.template AllocTensor<T>();
        AscendC::DataCopyPad(x, xGm_[offset], copyParams, padParams);
        xQueue_.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t rows, uint32_t columns)
    {
        AscendC::LocalTensor<T> x = xQueue_.template DeQue<T>();
        if constexpr (AscendC::IsSameType<T, float>::value) {
            AddRows(x, rows, columns);
        } else {
            AscendC::LocalTensor<float> wide = floatBuffer_.Get<float>();
            AscendC::Cast(wide, x, AscendC::RoundMode::CAST_NONE, rows * PitchOf(columns));
            AddRows(wide, rows, columns);
        }
        xQueue_.FreeTensor(x);
    }

    __aicore__ inline void AddRows(const AscendC::LocalTensor<float>& x, uint32_t rows, uint32_t columns)
    {
        AscendC::LocalTensor<float> sum = sumBuffer_.Get<float>();
        AscendC::LocalTensor<float> part = partBuffer_.Get<float>();
        AscendC::LocalTensor<float> work = workBuffer_.Get<float>();
        const uint32_t pitch = PitchOf(columns);
        for (uint32_t row = 0; row < rows; row++) {
            AscendC::ReduceSum(part[row], x[row * pitch], work, columns);
        }
        AscendC::Add(sum, sum, part, rows);
    }

    __aicore__ inline void CopyOut(int64_t row, uint32_t rows)
    {
        AscendC::LocalTensor<T> y = yQueue_.template AllocTensor<T>();
        if constexpr (AscendC::IsSameType<T, float>::value) {
            AscendC::Adds(y, sumBuffer_.Get<float>(), 0.0f, rows);
        } else {
            AscendC::Cast(y, sumBuffer_.Get<float>(), AscendC::RoundMode::CAST_RINT, rows);
        }
        yQueue_.EnQue(y);
        y = yQueue_.template DeQue<T>();
        const AscendC::DataCopyExtParams copyParams{1, static_cast<uint32_t>(rows * sizeof(T)), 0, 0, 0};
        AscendC::DataCopyPad(yGm_[row], y, copyParams);
        yQueue_.FreeTensor(y);
    }

    AscendC::TQue<AscendC::QuePosition::VECIN, 1> xQueue_;
    AscendC::TQue<AscendC::QuePosition::VECOUT, 1> yQueue_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> floatBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> sumBuffer_;  // of the rows so far
    AscendC::TBuf<AscendC::TPosition::VECCALC> partBuffer_; // of the rows of one tile
    AscendC::TBuf<AscendC::TPosition::VECCALC> workBuffer_; // ReduceSum's own
    AscendC::GlobalTensor<T> xGm_;
    AscendC::GlobalTensor<T> yGm_;
    int64_t coreRows_ = 0;
    int64_t columns_ = 0;
    uint32_t tileRows_ = 0;
    uint32_t tileColumns_ = 0;
};
} // namespace NsMyOp
#endif // MY_OP_H
