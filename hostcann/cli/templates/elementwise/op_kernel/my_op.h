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
 * \brief One core's share of y = max(x, 0): copy a tile in, compute, copy it out, double buffered.
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
        const int64_t begin = AscendC::GetBlockIdx() * tiling.coreLength;
        const int64_t left = tiling.totalLength - begin;
        coreLength_ = left < tiling.coreLength ? left : tiling.coreLength;
        tileLength_ = static_cast<uint32_t>(tiling.tileLength);
        xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x) + begin, coreLength_);
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + begin, coreLength_);
        pipe.InitBuffer(xQueue_, MY_OP_BUFFER_NUM, tileLength_ * sizeof(T));
        pipe.InitBuffer(yQueue_, MY_OP_BUFFER_NUM, tileLength_ * sizeof(T));
    }

    __aicore__ inline void Process()
    {
        for (int64_t offset = 0; offset < coreLength_; offset += tileLength_) {
            const int64_t left = coreLength_ - offset;
            const uint32_t length = left < tileLength_ ? static_cast<uint32_t>(left) : tileLength_;
            CopyIn(offset, length);
            Compute(length);
            CopyOut(offset, length);
        }
    }

private:
    // DataCopyPad takes any length: the last tile need not be a multiple of 32 bytes.
    __aicore__ inline void CopyIn(int64_t offset, uint32_t length)
    {
        const AscendC::DataCopyExtParams copyParams{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0};
        const AscendC::DataCopyPadExtParams<T> padParams{};
        AscendC::LocalTensor<T> x = xQueue_.template AllocTensor<T>();
        AscendC::DataCopyPad(x, xGm_[offset], copyParams, padParams);
        xQueue_.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t length)
    {
        AscendC::LocalTensor<T> x = xQueue_.template DeQue<T>();
        AscendC::LocalTensor<T> y = yQueue_.template AllocTensor<T>();
        AscendC::Relu(y, x, length);
        yQueue_.EnQue(y);
        xQueue_.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(int64_t offset, uint32_t length)
    {
        const AscendC::DataCopyExtParams copyParams{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0};
        AscendC::LocalTensor<T> y = yQueue_.template DeQue<T>();
        AscendC::DataCopyPad(yGm_[offset], y, copyParams);
        yQueue_.FreeTensor(y);
    }

    AscendC::TQue<AscendC::QuePosition::VECIN, 1> xQueue_;
    AscendC::TQue<AscendC::QuePosition::VECOUT, 1> yQueue_;
    AscendC::GlobalTensor<T> xGm_;
    AscendC::GlobalTensor<T> yGm_;
    int64_t coreLength_ = 0;
    uint32_t tileLength_ = 0;
};
} // namespace NsMyOp
#endif // MY_OP_H
