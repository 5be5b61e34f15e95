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
 * \brief Contiguous tensors, and which classes a data type, a precision and a mode get.
 */
#ifndef FMOD_H
#define FMOD_H

#include <type_traits>
#include "fmod_common.h"
#include "fmod_exact.h"
#include "fmod_int.h"
#include "fmod_rows.h"
#include "fmod_tbe.h"
#include "fmod_tiling_key.h"

namespace NsFmod {
// A compute class sets y to x1 mod x2 for one tile in UB; by a scalar, which Init takes from the tiling data, x2 is
// empty. It may overwrite x2, but in the row modes, where x2 may serve several tiles, no more than its sign.
template <typename T, uint32_t PRECISION, bool IS_SCALAR, bool IS_ROWS>
struct ComputeOf {
    template <typename U>
    static constexpr bool IS = IsSameType<T, U>::value;
    static constexpr bool IS_FLOATING = IS<float> || IS<half> || IS<bfloat16_t>;
    using Tbe = std::conditional_t<IS<int32_t>, ComputeInt32<IS_SCALAR>, ComputeTbe<T, IS_SCALAR, IS_ROWS>>;
    // Integers are exact in either precision.
    using Type = std::conditional_t<IS_FLOATING && PRECISION == FMOD_PRECISION_EXACT, ComputeExact<T, IS_SCALAR>, Tbe>;
};

// Contiguous tensors: copies a tile in, computes, copies it out, double buffered.
template <typename T, typename COMPUTE, bool IS_SCALAR>
class FmodContiguous {
    using Input = Operand<T, typename COMPUTE::Wide>;

public:
    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const FmodTilingData& tiling, TPipe& pipe)
    {
        const CoreShare share = ShareOfCore(tiling);
        coreLength_ = share.length;
        tileLength_ = tiling.tileLength;
        x1Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x1) + share.begin, coreLength_);
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + share.begin, coreLength_);
        const uint32_t tileBytes = static_cast<uint32_t>(tileLength_ * sizeof(T));
        // The order puts every buffer on its side of the bank gap, which lies in the work memory.
        pipe.InitBuffer(x1Queue_, FMOD_BUFFER_NUM, tileBytes);
        if constexpr (IS_SCALAR) {
            compute_.Init(pipe, tiling, static_cast<uint32_t>(tileLength_));
            pipe.InitBuffer(yQueue_, FMOD_BUFFER_NUM, tileBytes);
        } else {
            x2Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x2) + share.begin, coreLength_);
            pipe.InitBuffer(yQueue_, FMOD_BUFFER_NUM, tileBytes);
            compute_.Init(pipe, tiling, static_cast<uint32_t>(tileLength_));
            pipe.InitBuffer(x2Queue_, FMOD_BUFFER_NUM, tileBytes);
        }
    }

    __aicore__ inline void Process()
    {
        if (coreLength_ > 0) {
            CopyIn(0);
            compute_.Prepare();
        }
        for (int64_t offset = 0; offset < coreLength_; offset += tileLength_) {
            Compute(offset);
            CopyOut(offset);
        }
    }

private:
    __aicore__ inline uint32_t LengthAt(int64_t offset) const
    {
        const int64_t left = coreLength_ - offset;
        return static_cast<uint32_t>(left < tileLength_ ? left : tileLength_);
    }

    // Both copies start before the first flag is set.
    __aicore__ inline void CopyIn(int64_t offset)
    {
        const DataCopyExtParams copyParams{1, static_cast<uint32_t>(LengthAt(offset) * sizeof(T)), 0, 0, 0};
        const DataCopyPadExtParams<T> padParams{};
        const LocalTensor<T> x1 = x1Queue_.template AllocTensor<T>();
        DataCopyPad(x1, x1Gm_[offset], copyParams, padParams);
        if constexpr (!IS_SCALAR) {
            const LocalTensor<T> x2 = x2Queue_.template AllocTensor<T>();
            DataCopyPad(x2, x2Gm_[offset], copyParams, padParams);
            x2Queue_.EnQue(x2);
        }
        x1Queue_.EnQue(x1);
    }

    // The next tile starts to move before this one is computed: the exact precision waits for its probe there.
    __aicore__ inline void Compute(int64_t offset)
    {
        Input x1{x1Queue_.template DeQue<T>(), {}};
        Input x2;
        if constexpr (!IS_SCALAR) {
            x2.tile = x2Queue_.template DeQue<T>();
        }
        if (offset + tileLength_ < coreLength_) {
            CopyIn(offset + tileLength_);
        }
        const LocalTensor<T> y = yQueue_.template AllocTensor<T>();
        compute_.Compute(y, x1, x2, LengthAt(offset));
        yQueue_.EnQue(y);
        x1Queue_.FreeTensor(x1.tile);
        if constexpr (!IS_SCALAR) {
            x2Queue_.FreeTensor(x2.tile);
        }
    }

    __aicore__ inline void CopyOut(int64_t offset)
    {
        const DataCopyExtParams copyParams{1, static_cast<uint32_t>(LengthAt(offset) * sizeof(T)), 0, 0, 0};
        LocalTensor<T> y = yQueue_.template DeQue<T>();
        DataCopyPad(yGm_[offset], y, copyParams);
        yQueue_.FreeTensor(y);
    }

    COMPUTE compute_;
    TQue<QuePosition::VECIN, 1> x1Queue_;
    TQue<QuePosition::VECIN, 1> x2Queue_;
    TQue<QuePosition::VECOUT, 1> yQueue_;
    GlobalTensor<T> x1Gm_;
    GlobalTensor<T> x2Gm_;
    GlobalTensor<T> yGm_;
    int64_t coreLength_ = 0;
    int64_t tileLength_ = 0;
};

// The operator of a tiling key.
template <typename T, uint32_t MODE, uint32_t PRECISION>
struct FmodOp {
    static constexpr bool IS_SCALAR = MODE == FMOD_MODE_SCALAR || MODE == FMOD_MODE_SCALAR_STRIDED;
    static constexpr bool IS_ROWS = MODE != FMOD_MODE_SCALAR && MODE != FMOD_MODE_TENSOR;
    using Compute = typename ComputeOf<T, PRECISION, IS_SCALAR, IS_ROWS>::Type;
    using Type = std::conditional_t<IS_ROWS, FmodRows<T, Compute, IS_SCALAR>, FmodContiguous<T, Compute, IS_SCALAR>>;
};
} // namespace NsFmod
#endif // FMOD_H
