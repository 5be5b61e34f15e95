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
 * \file fmod_tbe.h
 * \brief x1 - trunc(x1 / x2) * x2 in fp32: the four rounded steps of the built-in TBE Mod, and int16, exact in them.
 */
#ifndef FMOD_TBE_H
#define FMOD_TBE_H

#include "fmod_common.h"

namespace NsFmod {
template <bool IS_SCALAR, bool IS_ROWS>
class ComputeFloat {
public:
    using Wide = float;

    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        tileLength_ = tileLength;
        scalar_ = tiling.scalar.divisor;
    }

    // After the first copies have started.
    __aicore__ inline void Prepare()
    {
        if constexpr (IS_SCALAR) {
            Duplicate(work_.template High<float>(), scalar_, static_cast<int32_t>(tileLength_));
        }
    }

    __aicore__ inline void Compute(const LocalTensor<float>& y, const Operand<float, float>& dividend,
                                   const Operand<float, float>& divisor, uint32_t length)
    {
        const LocalTensor<float> x1 = dividend.tile;
        const LocalTensor<float> x2 = divisor.tile;
        if constexpr (IS_SCALAR) {
            Div(y, x1, work_.template High<float>(), length);
            Cast(y, y, RoundMode::CAST_TRUNC, length);
            Muls(y, y, scalar_, length);
            Sub(y, x1, y, length);
        } else {
            LocalTensor<float> product = x2;
            if constexpr (IS_ROWS) {
                product = work_.template High<float>(); // x2 may serve several tiles
            }
            Div(y, x1, x2, length);
            Cast(y, y, RoundMode::CAST_TRUNC, length);
            Mul(product, y, x2, length);
            Sub(y, x1, product, length);
        }
    }

private:
    Work<FmodFormula::FLOAT, IS_SCALAR, IS_ROWS> work_;
    uint32_t tileLength_ = 0;
    float scalar_ = 0.0f;
};

// An int16 quotient that is biased by this factor truncates right even when Div is one ulp off: x1 / x2 stays at least
// 1 / |x2| away from the next integer, and the bias is smaller than that for every pair. A zero divisor makes the
// quotient infinite or NaN, the difference NaN, and the cast of NaN to int16 is 0.
constexpr float INT16_QUOTIENT_BIAS = 1.0f + 0x1p-22f;

// half, bfloat16 and int16.
template <typename T, bool IS_SCALAR>
class Compute16Bit {
public:
    using Wide = float;

    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        tileLength_ = tileLength;
        scalar_ = tiling.scalar.divisor;
        reciprocal_ = tiling.scalar.reciprocal;
    }

    __aicore__ inline void Prepare()
    {
        if constexpr (IS_SCALAR && !IS_INT) {
            Duplicate(work_.template High<float>(sizeof(float)), scalar_, static_cast<int32_t>(tileLength_));
        }
    }

    __aicore__ inline static void PrepareDivisor(const LocalTensor<float>&, uint32_t) {}

    __aicore__ inline void Compute(const LocalTensor<T>& y, const Operand<T, float>& x1, const Operand<T, float>& x2,
                                   uint32_t length)
    {
        const LocalTensor<float> dividend = Widen(x1, work_.template Low<float>(), length);
        const LocalTensor<float> product = work_.template High<float>();
        if constexpr (IS_SCALAR) {
            const LocalTensor<float> quotient = product;
            if constexpr (IS_INT) {
                Muls(quotient, dividend, reciprocal_, length);
            } else {
                Div(quotient, dividend, work_.template High<float>(sizeof(float)), length);
            }
            Cast(quotient, quotient, RoundMode::CAST_TRUNC, length);
            Muls(product, quotient, scalar_, length);
            Sub(product, dividend, product, length);
            Cast(y, product, RoundMode::CAST_RINT, length);
        } else {
            const LocalTensor<float> quotient = work_.template Low<float>(sizeof(float));
            const LocalTensor<float> divisor = Widen(x2, product, length);
            Div(quotient, dividend, divisor, length);
            if constexpr (IS_INT) { // every product is exact, so one rounding is as good as two
                Muls(quotient, quotient, -INT16_QUOTIENT_BIAS, length);
                Cast(quotient, quotient, RoundMode::CAST_TRUNC, length);
                FusedMulAdd(quotient, divisor, dividend, length);
                Cast(y, quotient, RoundMode::CAST_RINT, length);
            } else {
                Cast(quotient, quotient, RoundMode::CAST_TRUNC, length);
                Mul(product, quotient, divisor, length);
                Sub(product, dividend, product, length);
                Cast(y, product, RoundMode::CAST_RINT, length);
            }
        }
    }

private:
    static constexpr bool IS_INT = IsSameType<T, int16_t>::value;
    Work<IS_INT ? FmodFormula::INT16 : FmodFormula::FLOAT16, IS_SCALAR> work_;
    uint32_t tileLength_ = 0;
    float scalar_ = 1.0f;
    float reciprocal_ = 1.0f;
};
} // namespace NsFmod
#endif // FMOD_TBE_H
