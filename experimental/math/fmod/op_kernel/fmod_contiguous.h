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
 * \file fmod_contiguous.h
 * \brief Pipeline over contiguous memory: copy a tile in, compute, copy it out, double buffered.
 */
#ifndef FMOD_CONTIGUOUS_H
#define FMOD_CONTIGUOUS_H

#include "fmod_policy.h"

namespace NsFmod {
// First unit and number of units of this core.
struct CoreShare {
    int64_t begin;
    int64_t length;
};

__aicore__ inline CoreShare ShareOfCore(const FmodTilingData& tiling)
{
    const int64_t core = GetBlockIdx();
    const bool isFormer = core < tiling.formerNum;
    const int64_t former = isFormer ? core : tiling.formerNum;
    const int64_t begin = former * tiling.formerLength + (core - former) * tiling.tailLength;
    const int64_t share = isFormer ? tiling.formerLength : tiling.tailLength;
    const int64_t left = tiling.totalLength - begin;
    return CoreShare{begin, share < left ? share : left};
}

// The order of the buffers puts x1 and a tensor mode's y into the lower bank groups, x2 and a scalar mode's y into the
// upper ones (fmod_tiling_data.h).
template <typename T, uint32_t PRECISION, bool IS_SCALAR>
class FmodContiguous {
public:
    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const FmodTilingData& tiling, TPipe& pipe)
    {
        const CoreShare share = ShareOfCore(tiling);
        coreLength_ = share.length;
        tileLength_ = static_cast<uint32_t>(tiling.tileLength);
        x1Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x1) + share.begin, coreLength_);
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + share.begin, coreLength_);
        const uint32_t tileBytes = tileLength_ * sizeof(T);
        pipe.InitBuffer(x1Queue_, FMOD_BUFFER_NUM, tileBytes);
        if constexpr (IS_SCALAR) {
            policy_.Init(pipe, tiling, tileLength_);
            pipe.InitBuffer(yQueue_, FMOD_BUFFER_NUM, tileBytes + FMOD_BANK_ROW_BYTES);
        } else {
            x2Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x2) + share.begin, coreLength_);
            pipe.InitBuffer(yQueue_, FMOD_BUFFER_NUM, tileBytes + FMOD_BANK_ROW_BYTES);
            policy_.Init(pipe, tiling, tileLength_);
            pipe.InitBuffer(x2Queue_, FMOD_BUFFER_NUM, tileBytes);
        }
        policy_.InitConst(pipe);
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
    __aicore__ inline void CopyIn(int64_t offset, uint32_t length)
    {
        const DataCopyExtParams copyParams{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0};
        const DataCopyPadExtParams<T> padParams{};
        const LocalTensor<T> x1 = x1Queue_.template AllocTensor<T>();
        DataCopyPad(x1, x1Gm_[offset], copyParams, padParams);
        x1Queue_.EnQue(x1);
        if constexpr (!IS_SCALAR) {
            const LocalTensor<T> x2 = x2Queue_.template AllocTensor<T>();
            DataCopyPad(x2, x2Gm_[offset], copyParams, padParams);
            x2Queue_.EnQue(x2);
        }
    }

    __aicore__ inline void Compute(uint32_t length)
    {
        LocalTensor<T> x1 = x1Queue_.template DeQue<T>();
        if constexpr (IS_SCALAR) {
            const LocalTensor<T> y = yQueue_.template AllocTensor<T>();
            policy_.Scalar(y, x1, length);
            yQueue_.EnQue(y);
        } else {
            LocalTensor<T> x2 = x2Queue_.template DeQue<T>();
            const LocalTensor<T> y = yQueue_.template AllocTensor<T>();
            policy_.Tensor(y, x1, x2, length);
            yQueue_.EnQue(y);
            x2Queue_.FreeTensor(x2);
        }
        x1Queue_.FreeTensor(x1);
    }

    __aicore__ inline void CopyOut(int64_t offset, uint32_t length)
    {
        const DataCopyExtParams copyParams{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0};
        LocalTensor<T> y = yQueue_.template DeQue<T>();
        DataCopyPad(yGm_[offset], y, copyParams);
        yQueue_.FreeTensor(y);
    }

    typename PolicyOf<T, PRECISION, IS_SCALAR, false>::Type policy_;
    TQue<QuePosition::VECIN, 1> x1Queue_;
    TQue<QuePosition::VECIN, 1> x2Queue_;
    TQue<QuePosition::VECOUT, 1> yQueue_;
    GlobalTensor<T> x1Gm_;
    GlobalTensor<T> x2Gm_;
    GlobalTensor<T> yGm_;
    int64_t coreLength_ = 0;
    uint32_t tileLength_ = 0;
};
} // namespace NsFmod
#endif // FMOD_CONTIGUOUS_H
