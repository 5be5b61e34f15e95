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
 * \file fmod_int.h
 * \brief Exact remainder of int32, int8 and uint8 with the sign of the dividend; a zero divisor gives 0.
 */
#ifndef FMOD_INT_H
#define FMOD_INT_H

#include "fmod_operand.h"

namespace NsFmod {
// Two rounds of quotient estimates in fp32 over int32 arithmetic. The first leaves |r| <= |x2| / 2 + 2^10, the second
// |r| <= |x2|. n = -max(|x2|, 1) holds every divisor without overflow, and fmod does not see the divisor's sign.
template <bool IS_SCALAR>
class ComputeInt32 {
public:
    static constexpr bool HAS_LATE_RESULT = false;
    static constexpr bool TAKES_SHORT = false;

    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        scalar_ = tiling.scalar.negative;
        reciprocal_ = tiling.scalar.reciprocal;
    }

    // After the first copies have started.
    __aicore__ inline void Prepare()
    {
        ones_ = work_.MaskRow(0, 1);
        if constexpr (IS_SCALAR) {
            scalarRow_ = work_.MaskRow(1, scalar_);
        }
    }

    __aicore__ inline void Compute(const LocalTensor<int32_t>& y, const LocalTensor<int32_t>& x1,
                                   const LocalTensor<int32_t>& x2, uint32_t length)
    {
        const Span all{length};
        const LocalTensor<int32_t> low = work_.template Low<int32_t>();
        const LocalTensor<int32_t> sign = work_.template High<int32_t>();
        if constexpr (IS_SCALAR) {
            Refine(y, x1, sign, length); // sign is not needed yet
            Refine(low, y, low, length);
        } else {
            const LocalTensor<int32_t> divisor = Divisor();
            Muls(low, x2, -1, all);
            Min(divisor, low, x2, all);
            Mins(divisor, divisor, -1, all);
            Cast(FloatDivisor(), divisor, RoundMode::CAST_RINT, all);
            Refine(y, x1, sign, length);
            Refine(y, y, sign, length);
        }
        // sign = x1 < 0 ? -1 : 1; r * sign in (-|x2|, |x2|) is lifted into [0, |x2|) and gets the sign back.
        ShiftRight(sign, x1, SIGN_SHIFT, all);
        OrRow(sign, sign, ones_, length);
        if constexpr (IS_SCALAR) {
            Mul(y, low, sign, all);
            ShiftRight(low, y, SIGN_SHIFT, all);
            AndRow(low, low, scalarRow_, length);
            Sub(low, y, low, all);
            Mul(y, low, sign, all);
        } else {
            const LocalTensor<int32_t> lift = FloatDivisor().template ReinterpretCast<int32_t>();
            Mul(y, y, sign, all);
            ShiftRight(low, y, SIGN_SHIFT, all);
            AndBits(lift, low, Divisor(), length);
            Sub(y, y, lift, all);
            Mul(y, y, sign, all);
        }
    }

private:
    __aicore__ inline LocalTensor<int32_t> Divisor() { return work_.template High<int32_t>(sizeof(int32_t)); }
    __aicore__ inline LocalTensor<float> FloatDivisor() { return work_.template High<float>(2 * sizeof(int32_t)); }

    // r = x - round(x / n) * n. product lies on the other side of the bank gap than x.
    __aicore__ inline void Refine(const LocalTensor<int32_t>& r, const LocalTensor<int32_t>& x,
                                  const LocalTensor<int32_t>& product, uint32_t length)
    {
        const Span all{length};
        if constexpr (IS_SCALAR) {
            const LocalTensor<float> ratio = product.template ReinterpretCast<float>();
            Cast(ratio, x, RoundMode::CAST_RINT, all);
            Muls(ratio, ratio, reciprocal_, all);
            Cast(product, ratio, RoundMode::CAST_RINT, all);
            Muls(product, product, scalar_, all);
        } else {
            const LocalTensor<int32_t> quotient = work_.template Low<int32_t>();
            const LocalTensor<float> ratio = quotient.template ReinterpretCast<float>();
            Cast(ratio, x, RoundMode::CAST_RINT, all);
            Div(ratio, ratio, FloatDivisor(), all);
            Cast(quotient, ratio, RoundMode::CAST_RINT, all);
            Mul(product, quotient, Divisor(), all);
        }
        Sub(r, x, product, all);
    }

    Work<FmodCompute::INT32, IS_SCALAR> work_;
    LocalTensor<int16_t> ones_;
    LocalTensor<int16_t> scalarRow_;
    int32_t scalar_ = -1;
    float reciprocal_ = -1.0f;
};

// As INT16_QUOTIENT_BIAS, in half.
constexpr float INT8_QUOTIENT_BIAS = 1.0f + 0x1p-9f;

// int8 and uint8 in half, where every value, quotient and product is exact up to 2^11.
template <typename T, bool IS_SCALAR>
class ComputeInt8 {
public:
    static constexpr bool HAS_LATE_RESULT = false;
    static constexpr bool TAKES_SHORT = true;

    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        tileLength_ = tileLength;
        scalar_ = static_cast<half>(tiling.scalar.divisor);
    }

    __aicore__ inline void Prepare()
    {
        if constexpr (IS_SCALAR) {
            Duplicate(work_.template High<half>(), scalar_, static_cast<int32_t>(tileLength_));
        }
    }

    __aicore__ inline void Compute(const LocalTensor<T>& y, const LocalTensor<T>& x1, const LocalTensor<T>& x2,
                                   uint32_t length)
    {
        Compute(y, Operand<T>{x1, InputForm::TILE, {}}, Operand<T>{x2, InputForm::TILE, {}}, length);
    }

    __aicore__ inline void Compute(const LocalTensor<T>& y, const Operand<T>& x1, const Operand<T>& x2, uint32_t length)
    {
        const Span all{length};
        const LocalTensor<half> dividend = work_.template Low<half>();
        const LocalTensor<half> quotient = work_.template Low<half>(sizeof(half));
        const LocalTensor<int16_t> truncated = quotient.template ReinterpretCast<int16_t>();
        const LocalTensor<half> divisor = work_.template High<half>();
        Widen(dividend, x1, all);
        if constexpr (!IS_SCALAR) {
            Widen(divisor, x2, all);
            if constexpr (IsSameType<T, int8_t>::value) {
                Abs(divisor, divisor, all);
            }
            Maxs(divisor, divisor, static_cast<half>(1.0f), all); // x mod 1 = 0 is what a zero divisor gives
        }
        Div(quotient, dividend, divisor, all);
        Muls(quotient, quotient, static_cast<half>(-INT8_QUOTIENT_BIAS), all);
        Cast(truncated, quotient, RoundMode::CAST_TRUNC, all);
        Cast(quotient, truncated, RoundMode::CAST_NONE, all);
        if constexpr (IS_SCALAR) {
            Axpy(dividend, quotient, scalar_, all);
        } else {
            MulAddDst(dividend, quotient, divisor, all);
        }
        Cast(y, dividend, RoundMode::CAST_RINT, all);
    }

private:
    Work<FmodCompute::INT8, IS_SCALAR> work_;
    uint32_t tileLength_ = 0;
    half scalar_ = static_cast<half>(1.0f);
};
} // namespace NsFmod
#endif // FMOD_INT_H
