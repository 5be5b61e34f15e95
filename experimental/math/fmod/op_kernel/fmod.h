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
// A compute class sets y to x1 mod x2 for one tile in UB; by a scalar, which Init takes from the tiling data, x2 is an
// empty tensor. x1 is only read. x2 may be overwritten, but in the row modes, where it may serve several tiles, it
// loses no more than its sign. y and the work memory are free before. Operands do not overlap. A class with a late
// result does half of the work in Begin, which needs no y. One that keeps operands has a Compute for those which
// several tiles have in common.
template <typename T, uint32_t PRECISION, bool IS_SCALAR, bool IS_ROWS>
struct ComputeOf {
    template <typename U>
    static constexpr bool IS = IsSameType<T, U>::value;
    using Tbe = std::conditional_t<IS<float>, ComputeFloat<IS_SCALAR, IS_ROWS>, Compute16Bit<T, IS_SCALAR>>;
    using Floating = std::conditional_t<PRECISION == FMOD_PRECISION_TBE, Tbe, ComputeExact<T, IS_SCALAR>>;
    using Integral = std::conditional_t<
        IS<int32_t>, ComputeInt32<IS_SCALAR>,
        std::conditional_t<IS<int16_t>, Compute16Bit<T, IS_SCALAR>, ComputeInt8<T, IS_SCALAR>>>;
    // Integers are exact in either precision.
    using Type = std::conditional_t<IS<float> || IS<half> || IS<bfloat16_t>, Floating, Integral>;
};

// Copies a tile in, computes, copies it out, double buffered.
template <typename T, typename COMPUTE, bool IS_SCALAR>
class FmodContiguous {
public:
    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const FmodTilingData& tiling, TPipe& pipe)
    {
        const CoreShare share = ShareOfCore(tiling);
        coreLength_ = share.length;
        tileLength_ = static_cast<uint32_t>(tiling.tileLength);
        firstLength_ = FirstLength();
        beforeLength_ = tiling.beforeLength;
        lastLength_ = tiling.lastLength;
        x1Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x1) + share.begin, coreLength_);
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + share.begin, coreLength_);
        keptLength_ = tiling.isStreamed != 0 ? tiling.keptLength : coreLength_;
        keptInputLength_ = tiling.isStreamed != 0 ? tiling.keptInputLength : coreLength_;
        const uint32_t tileBytes = tileLength_ * sizeof(T);
        // The order puts every buffer on its side of the bank gap, which lies in the work memory.
        pipe.InitBuffer(x1Queue_, FMOD_BUFFER_NUM, tileBytes);
        if constexpr (IS_SCALAR) {
            compute_.Init(pipe, tiling, tileLength_);
            pipe.InitBuffer(yQueue_, ResultBuffers<COMPUTE>(), tileBytes);
        } else {
            x2Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x2) + share.begin, coreLength_);
            pipe.InitBuffer(yQueue_, ResultBuffers<COMPUTE>(), tileBytes);
            compute_.Init(pipe, tiling, tileLength_);
            pipe.InitBuffer(x2Queue_, FMOD_BUFFER_NUM, tileBytes);
        }
    }

    __aicore__ inline void Process()
    {
        if (coreLength_ > 0) {
            CopyIn(0);
            compute_.Prepare();
        }
        int64_t offset = 0;
        while (offset < coreLength_) {
            const int64_t next = offset + LengthAt(offset);
            Compute(offset, next);
            CopyOut(offset);
            offset = next;
        }
    }

private:
    // Cores that ask for their tiles at one time wait for the memory at one time: of four cores each begins with
    // another part of a tile, where a core has tiles enough that one more is no loss.
    __aicore__ inline int64_t FirstLength() const
    {
        constexpr int64_t parts = 4;
        constexpr int64_t enoughTiles = 24;
        constexpr int64_t lineLength = static_cast<int64_t>(FMOD_LINE_BYTES / sizeof(T));
        if (coreLength_ < enoughTiles * tileLength_) {
            return tileLength_;
        }
        return tileLength_ / lineLength * (GetBlockIdx() % parts + 1) / parts * lineLength;
    }

    __aicore__ inline uint32_t LengthAt(int64_t offset) const
    {
        const int64_t left = coreLength_ - offset;
        const int64_t most = offset == 0 ? firstLength_ : tileLength_;
        // When the last operands arrive, no more is to do than they need: the last tiles become shorter, and of those
        // before the last two have one size.
        int64_t length = most;
        if (COMPUTE::HAS_LATE_RESULT || lastLength_ != 0) {
            const int64_t rest = left - lastLength_ - beforeLength_;
            if (rest > 0) {
                length = EvenLength(rest, most);
            } else {
                length = left > lastLength_ ? WholeLines(left - lastLength_) : left;
            }
        }
        return static_cast<uint32_t>(left < length ? left : length);
    }

    __aicore__ inline static int64_t WholeLines(int64_t length)
    {
        constexpr int64_t lineLength = static_cast<int64_t>(FMOD_LINE_BYTES / sizeof(T));
        return (length + lineLength - 1) / lineLength * lineLength;
    }

    // Of a tile, if the last two of them are to have one size.
    __aicore__ inline static int64_t EvenLength(int64_t left, int64_t most)
    {
        if (left <= most) {
            return WholeLines(left);
        }
        return left < 2 * most ? WholeLines(left / 2) : most;
    }

    // Both copies before either flag: behind a flag a copy starts when the one before has arrived, and its latency is
    // no longer hidden.
    __aicore__ inline void CopyIn(int64_t offset)
    {
        const DataCopyExtParams copyParams{1, static_cast<uint32_t>(LengthAt(offset) * sizeof(T)), 0, 0, 0};
        const DataCopyPadExtParams<T> padParams{};
        if (offset >= keptInputLength_) {
            x1Gm_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
            x2Gm_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        }
        const LocalTensor<T> x1 = x1Queue_.template AllocTensor<T>();
        DataCopyPad(x1, x1Gm_[offset], copyParams, padParams);
        if constexpr (!IS_SCALAR) {
            const LocalTensor<T> x2 = x2Queue_.template AllocTensor<T>();
            DataCopyPad(x2, x2Gm_[offset], copyParams, padParams);
            x2Queue_.EnQue(x2);
        }
        x1Queue_.EnQue(x1);
    }

    // The next tile starts to move before the exact mode waits for its probe.
    __aicore__ inline void Compute(int64_t offset, int64_t next)
    {
        LocalTensor<T> x1 = x1Queue_.template DeQue<T>();
        LocalTensor<T> x2;
        if constexpr (!IS_SCALAR) {
            x2 = x2Queue_.template DeQue<T>();
        }
        if (next < coreLength_) {
            CopyIn(next);
        }
        if constexpr (COMPUTE::HAS_LATE_RESULT) {
            compute_.Begin(x1, x2, LengthAt(offset));
        }
        const LocalTensor<T> y = yQueue_.template AllocTensor<T>();
        compute_.Compute(y, x1, x2, LengthAt(offset));
        yQueue_.EnQue(y);
        x1Queue_.FreeTensor(x1);
        if constexpr (!IS_SCALAR) {
            x2Queue_.FreeTensor(x2);
        }
    }

    __aicore__ inline void CopyOut(int64_t offset)
    {
        const DataCopyExtParams copyParams{1, static_cast<uint32_t>(LengthAt(offset) * sizeof(T)), 0, 0, 0};
        LocalTensor<T> y = yQueue_.template DeQue<T>();
        if (offset >= keptLength_) {
            yGm_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        }
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
    int64_t keptLength_ = 0;
    int64_t keptInputLength_ = 0;
    int64_t firstLength_ = 0;
    uint32_t tileLength_ = 0;
    int64_t beforeLength_ = 0;
    int64_t lastLength_ = 0;
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
