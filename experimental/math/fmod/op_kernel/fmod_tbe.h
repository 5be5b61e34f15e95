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
    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        scalar_ = tiling.scalar.divisor;
        if constexpr (IS_SCALAR) {
            Duplicate(work_.template High<float>(), scalar_, static_cast<int32_t>(tileLength));
        }
    }

    __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x1,
                                   const LocalTensor<float>& x2, uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        if constexpr (IS_SCALAR) {
            Div(y, x1, work_.template High<float>(), count);
            Cast(y, y, RoundMode::CAST_TRUNC, length);
            Muls(y, y, scalar_, count);
            Sub(y, x1, y, count);
        } else {
            LocalTensor<float> product = x2;
            if constexpr (IS_ROWS) {
                product = work_.template High<float>(); // x2 may serve several tiles
            }
            Div(y, x1, x2, count);
            Cast(y, y, RoundMode::CAST_TRUNC, length);
            Mul(product, y, x2, count);
            Sub(y, x1, product, count);
        }
    }

private:
    Work<FmodCompute::FLOAT, IS_SCALAR, IS_ROWS> work_;
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
    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        scalar_ = tiling.scalar.divisor;
        reciprocal_ = tiling.scalar.reciprocal;
        if constexpr (IS_SCALAR && !IS_INT) {
            Duplicate(work_.template High<float>(sizeof(float)), scalar_, static_cast<int32_t>(tileLength));
        }
    }

    __aicore__ inline void Compute(const LocalTensor<T>& y, const LocalTensor<T>& x1, const LocalTensor<T>& x2,
                                   uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        const LocalTensor<float> dividend = work_.template Low<float>();
        LocalTensor<float> product = work_.template High<float>();
        Cast(dividend, x1, RoundMode::CAST_NONE, length);
        if constexpr (IS_SCALAR) {
            const LocalTensor<float> quotient = product;
            if constexpr (IS_INT) {
                Muls(quotient, dividend, reciprocal_, count);
            } else {
                Div(quotient, dividend, work_.template High<float>(sizeof(float)), count);
            }
            Cast(quotient, quotient, RoundMode::CAST_TRUNC, length);
            Muls(product, quotient, scalar_, count);
        } else {
            const LocalTensor<float> quotient = work_.template Low<float>(sizeof(float));
            const LocalTensor<float> divisor = product;
            Cast(divisor, x2, RoundMode::CAST_NONE, length);
            Div(quotient, dividend, divisor, count);
            if constexpr (IS_INT) {
                Muls(quotient, quotient, INT16_QUOTIENT_BIAS, count);
            }
            Cast(quotient, quotient, RoundMode::CAST_TRUNC, length);
            Mul(product, quotient, divisor, count);
        }
        Sub(dividend, dividend, product, count);
        Cast(y, dividend, RoundMode::CAST_RINT, length);
    }

private:
    static constexpr bool IS_INT = IsSameType<T, int16_t>::value;
    Work<IS_INT ? FmodCompute::INT16 : FmodCompute::FLOAT16, IS_SCALAR> work_;
    float scalar_ = 1.0f;
    float reciprocal_ = 1.0f;
};
} // namespace NsFmod
#endif // FMOD_TBE_H
