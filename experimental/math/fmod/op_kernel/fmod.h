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
 * \file fmod.h
 * \brief Pipeline of Fmod over contiguous memory: copy a tile in, compute, copy it out, double buffered.
 */
#ifndef FMOD_H
#define FMOD_H

#include "kernel_operator.h"
#include "fmod_tiling_data.h"
#include "fmod_tiling_key.h"

namespace NsFmod {
using namespace AscendC;

constexpr uint32_t VECTOR_REPEAT_BYTES = 256;

template <typename T, bool IS_SCALAR>
class FmodContiguous {
public:
    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const FmodTilingData& tiling, TPipe& pipe);
    __aicore__ inline void Process();

private:
    __aicore__ inline void CopyIn(int64_t offset, uint32_t length);
    __aicore__ inline void Compute(uint32_t length);
    __aicore__ inline void CopyOut(int64_t offset, uint32_t length);
    __aicore__ inline void ComputeTensor(uint32_t length);
    __aicore__ inline void ComputeScalar(uint32_t length);

    TQue<QuePosition::VECIN, 1> x1Queue_;
    TQue<QuePosition::VECIN, 1> x2Queue_;
    TQue<QuePosition::VECOUT, 1> yQueue_;
    TBuf<QuePosition::VECCALC> gapBuf_;
    TBuf<QuePosition::VECCALC> gapBuf2_;
    TBuf<QuePosition::VECCALC> divisorBuf_;
    LocalTensor<T> divisor_;
    GlobalTensor<T> x1Gm_;
    GlobalTensor<T> x2Gm_;
    GlobalTensor<T> yGm_;
    int64_t coreLength_ = 0;
    int64_t tileLength_ = 0;
    T scalar_ = 0;
};

template <typename T, bool IS_SCALAR>
__aicore__ inline void FmodContiguous<T, IS_SCALAR>::Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y,
                                                          const FmodTilingData& tiling, TPipe& pipe)
{
    const int64_t core = GetBlockIdx();
    const bool isFormer = core < tiling.formerNum;
    const int64_t formerCores = isFormer ? core : tiling.formerNum;
    const int64_t offset = formerCores * tiling.formerLength + (core - formerCores) * tiling.tailLength;
    const int64_t share = isFormer ? tiling.formerLength : tiling.tailLength;
    const int64_t left = tiling.totalLength - offset;
    coreLength_ = share < left ? share : left;
    tileLength_ = tiling.tileLength;
    scalar_ = static_cast<T>(tiling.scalar);

    x1Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x1) + offset, coreLength_);
    yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + offset, coreLength_);

    // UB order and gaps keep the two sources of every instruction in different bank groups (fmod_tiling_data.h).
    const uint32_t lanes = VECTOR_REPEAT_BYTES / sizeof(T);
    const uint32_t rows = (static_cast<uint32_t>(tileLength_) + 2 * lanes - 1) / (2 * lanes);
    const uint32_t tileBytes = rows * 2 * VECTOR_REPEAT_BYTES;
    pipe.InitBuffer(x1Queue_, FMOD_DOUBLE_BUFFER, tileBytes);
    pipe.InitBuffer(gapBuf_, FMOD_BANK_GAP_BYTES);
    if constexpr (IS_SCALAR) {
        pipe.InitBuffer(divisorBuf_, tileBytes);
        divisor_ = divisorBuf_.template Get<T>();
        Duplicate(divisor_, scalar_, static_cast<int32_t>(tileLength_));
        pipe.InitBuffer(yQueue_, FMOD_DOUBLE_BUFFER, tileBytes);
    } else {
        x2Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x2) + offset, coreLength_);
        pipe.InitBuffer(x2Queue_, FMOD_DOUBLE_BUFFER, tileBytes);
        pipe.InitBuffer(gapBuf2_, FMOD_BANK_GAP_BYTES);
        pipe.InitBuffer(yQueue_, FMOD_DOUBLE_BUFFER, tileBytes);
    }
}

template <typename T, bool IS_SCALAR>
__aicore__ inline void FmodContiguous<T, IS_SCALAR>::Process()
{
    for (int64_t offset = 0; offset < coreLength_; offset += tileLength_) {
        const int64_t left = coreLength_ - offset;
        const uint32_t length = static_cast<uint32_t>(left < tileLength_ ? left : tileLength_);
        CopyIn(offset, length);
        Compute(length);
        CopyOut(offset, length);
    }
}

template <typename T, bool IS_SCALAR>
__aicore__ inline void FmodContiguous<T, IS_SCALAR>::CopyIn(int64_t offset, uint32_t length)
{
    const DataCopyExtParams copyParams{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0};
    const DataCopyPadExtParams<T> padParams{false, 0, 0, 0};
    LocalTensor<T> x1 = x1Queue_.template AllocTensor<T>();
    DataCopyPad(x1, x1Gm_[offset], copyParams, padParams);
    x1Queue_.EnQue(x1);
    if constexpr (!IS_SCALAR) {
        LocalTensor<T> x2 = x2Queue_.template AllocTensor<T>();
        DataCopyPad(x2, x2Gm_[offset], copyParams, padParams);
        x2Queue_.EnQue(x2);
    }
}

template <typename T, bool IS_SCALAR>
__aicore__ inline void FmodContiguous<T, IS_SCALAR>::Compute(uint32_t length)
{
    if constexpr (IS_SCALAR) {
        ComputeScalar(length);
    } else {
        ComputeTensor(length);
    }
}

// y = x1 - trunc(x1 / x2) * x2 in four roundings, the steps of the built-in Mod. The product goes into the divisor's
// buffer because a third operand could not be kept clear of both bank groups.
template <typename T, bool IS_SCALAR>
__aicore__ inline void FmodContiguous<T, IS_SCALAR>::ComputeTensor(uint32_t length)
{
    const int32_t count = static_cast<int32_t>(length);
    LocalTensor<T> x1 = x1Queue_.template DeQue<T>();
    LocalTensor<T> x2 = x2Queue_.template DeQue<T>();
    LocalTensor<T> y = yQueue_.template AllocTensor<T>();
    Div(y, x1, x2, count);
    Cast(y, y, RoundMode::CAST_TRUNC, length);
    Mul(x2, y, x2, count);
    Sub(y, x1, x2, count);
    x1Queue_.FreeTensor(x1);
    x2Queue_.FreeTensor(x2);
    yQueue_.EnQue(y);
}

template <typename T, bool IS_SCALAR>
__aicore__ inline void FmodContiguous<T, IS_SCALAR>::ComputeScalar(uint32_t length)
{
    const int32_t count = static_cast<int32_t>(length);
    LocalTensor<T> x1 = x1Queue_.template DeQue<T>();
    LocalTensor<T> y = yQueue_.template AllocTensor<T>();
    Div(y, x1, divisor_, count);
    Cast(y, y, RoundMode::CAST_TRUNC, length);
    Muls(y, y, scalar_, count);
    Sub(y, x1, y, count);
    x1Queue_.FreeTensor(x1);
    yQueue_.EnQue(y);
}

template <typename T, bool IS_SCALAR>
__aicore__ inline void FmodContiguous<T, IS_SCALAR>::CopyOut(int64_t offset, uint32_t length)
{
    const DataCopyExtParams copyParams{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0};
    LocalTensor<T> y = yQueue_.template DeQue<T>();
    DataCopyPad(yGm_[offset], y, copyParams);
    yQueue_.FreeTensor(y);
}
} // namespace NsFmod
#endif // FMOD_H
