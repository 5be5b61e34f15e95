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
 * \brief x1 - trunc(x1 / x2) * x2 in float or half: the rounded steps of the built-in TBE Mod; exact for integers.
 */
#ifndef FMOD_TBE_H
#define FMOD_TBE_H

#include <type_traits>
#include "fmod_common.h"

namespace NsFmod {
// Floating types compute in float and round each step once, as the built-in operator does.
//
// int16 computes in float, int8 and uint8 in half: every value, quotient and product is exact there. Their quotients
// are biased before they are truncated, so that they are right also when Div, or the reciprocal of a scalar, is off by
// one ulp: a quotient that is no integer stays 1 / |x2| away from the next one, and the bias is smaller for every pair.
// A zero divisor gives 0: in float by NaN, which casts to 0, else by taking 1 in its place.
template <typename T, bool IS_SCALAR, bool IS_ROWS>
class ComputeTbe {
    static constexpr bool IS_FLOAT = IsSameType<T, float>::value;
    static constexpr bool IS_8_BIT = sizeof(T) == sizeof(int8_t);
    static constexpr bool IS_INT = IS_8_BIT || IsSameType<T, int16_t>::value;

public:
    using Wide = std::conditional_t<IS_8_BIT, half, float>;

    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        tileLength_ = tileLength;
        scalar_ = static_cast<Wide>(tiling.scalar.divisor);
        reciprocal_ = static_cast<Wide>(tiling.scalar.reciprocal);
    }

    // After the first copies have started.
    __aicore__ inline void Prepare()
    {
        if constexpr (IS_SCALAR && !IS_INT) {
            Duplicate(ScalarRow(), scalar_, static_cast<int32_t>(tileLength_));
        }
    }

    __aicore__ inline static void PrepareDivisor([[maybe_unused]] const LocalTensor<Wide>& divisor,
                                                 [[maybe_unused]] uint32_t length)
    {
        if constexpr (IsSameType<T, int8_t>::value) {
            Abs(divisor, divisor, length);
        }
        if constexpr (IS_8_BIT) {
            Maxs(divisor, divisor, static_cast<half>(1.0f), length);
        }
    }

    __aicore__ inline void Compute(const LocalTensor<T>& y, const Operand<T, Wide>& x1, const Operand<T, Wide>& x2,
                                   uint32_t length)
    {
        if constexpr (IS_FLOAT) {
            ComputeFloat(y, x1.tile, x2.tile, length);
        } else if constexpr (IS_SCALAR) {
            ComputeByScalar(y, Widen(x1, work_.template Low<Wide>(), length), length);
        } else {
            const LocalTensor<Wide> divisor = Widen(x2, work_.template High<Wide>(), length);
            if (!x2.isWide) {
                PrepareDivisor(divisor, length);
            }
            ComputeByTensor(y, Widen(x1, work_.template Low<Wide>(), length), divisor, length);
        }
    }

private:
    static constexpr FmodFormula FORMULA = IS_FLOAT ? FmodFormula::FLOAT :
                                           IS_8_BIT ? FmodFormula::INT8 :
                                           IS_INT   ? FmodFormula::INT16 :
                                                      FmodFormula::FLOAT16;
    static constexpr float QUOTIENT_BIAS = IS_8_BIT ? FMOD_INT8_QUOTIENT_BIAS : FMOD_INT16_QUOTIENT_BIAS;

    __aicore__ inline LocalTensor<float> ScalarRow()
    {
        return work_.template High<float>(IS_FLOAT ? 0 : sizeof(float));
    }

    __aicore__ inline static LocalTensor<Wide> Widen(const Operand<T, Wide>& operand, const LocalTensor<Wide>& memory,
                                                     uint32_t length)
    {
        if (operand.isWide) {
            return operand.wide;
        }
        Cast(memory, operand.tile, RoundMode::CAST_NONE, length);
        return memory;
    }

    __aicore__ inline void ComputeFloat(const LocalTensor<float>& y, const LocalTensor<float>& x1,
                                        const LocalTensor<float>& x2, uint32_t length)
    {
        if constexpr (IS_SCALAR) {
            RoundedSteps(y, x1, ScalarRow(), y, y, length);
        } else if constexpr (IS_ROWS) { // x2 may serve several tiles
            RoundedSteps(y, x1, x2, y, work_.template High<float>(), length);
        } else {
            RoundedSteps(y, x1, x2, y, x2, length);
        }
    }

    __aicore__ inline void ComputeByScalar(const LocalTensor<T>& y, const LocalTensor<Wide>& dividend, uint32_t length)
    {
        const LocalTensor<Wide> quotient = work_.template High<Wide>();
        if constexpr (IS_INT) { // a dividend that is kept becomes its own remainder, which gives the same again
            Muls(quotient, dividend, reciprocal_, length);
            Truncate(quotient, length);
            Axpy(dividend, quotient, scalar_, length);
            Cast(y, dividend, RoundMode::CAST_RINT, length);
        } else {
            RoundedSteps(quotient, dividend, ScalarRow(), quotient, quotient, length);
            Cast(y, quotient, RoundMode::CAST_RINT, length);
        }
    }

    __aicore__ inline void ComputeByTensor(const LocalTensor<T>& y, const LocalTensor<Wide>& dividend,
                                           const LocalTensor<Wide>& divisor, uint32_t length)
    {
        const LocalTensor<Wide> quotient = work_.template Low<Wide>(sizeof(Wide));
        if constexpr (IS_INT) {
            Div(quotient, dividend, divisor, length);
            Muls(quotient, quotient, static_cast<Wide>(-QUOTIENT_BIAS), length);
            Truncate(quotient, length);
            FusedMulAdd(quotient, divisor, dividend, length);
            Cast(y, quotient, RoundMode::CAST_RINT, length);
        } else {
            const LocalTensor<Wide> product = work_.template High<Wide>();
            RoundedSteps(product, dividend, divisor, quotient, product, length);
            Cast(y, product, RoundMode::CAST_RINT, length);
        }
    }

    // Two sources of one instruction lie on different sides of the bank gap: dividend and quotient by a tensor low,
    // divisor and product high; by a scalar the quotient is high, and its product takes no row.
    __aicore__ inline void RoundedSteps(const LocalTensor<float>& result, const LocalTensor<float>& dividend,
                                        const LocalTensor<float>& divisor, const LocalTensor<float>& quotient,
                                        const LocalTensor<float>& product, uint32_t length)
    {
        Div(quotient, dividend, divisor, length);
        Truncate(quotient, length);
        if constexpr (IS_SCALAR) {
            Muls(product, quotient, scalar_, length);
        } else {
            Mul(product, quotient, divisor, length);
        }
        Sub(result, dividend, product, length);
    }

    // half has no rounding to half.
    __aicore__ inline void Truncate(const LocalTensor<Wide>& quotient, uint32_t length)
    {
        if constexpr (IS_8_BIT) {
            const LocalTensor<int16_t> whole = quotient.template ReinterpretCast<int16_t>();
            Cast(whole, quotient, RoundMode::CAST_TRUNC, length);
            Cast(quotient, whole, RoundMode::CAST_NONE, length);
        } else {
            Cast(quotient, quotient, RoundMode::CAST_TRUNC, length);
        }
    }

    Work<FORMULA, IS_SCALAR, IS_ROWS> work_;
    uint32_t tileLength_ = 0;
    Wide scalar_ = static_cast<Wide>(1.0f);
    Wide reciprocal_ = static_cast<Wide>(1.0f);
};
} // namespace NsFmod
#endif // FMOD_TBE_H
