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
 * \file fmod_policy_int.h
 * \brief Exact integer remainder with the sign of the dividend; a zero divisor gives 0.
 */
#ifndef FMOD_POLICY_INT_H
#define FMOD_POLICY_INT_H

#include "fmod_work.h"

namespace NsFmod {
// A quotient that is biased by this factor truncates right even when Div is one ulp off: x / y stays at least 1 / |y|
// away from the next integer, and the bias is smaller than that for every 16-bit pair.
constexpr float INT16_QUOTIENT_BIAS = 1.0f + 0x1p-22f;
constexpr float INT8_QUOTIENT_BIAS = 1.0f + 0x1p-9f; // the same in half

template <bool IS_SCALAR>
class IntegerShort {
public:
    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        scalar_ = tiling.scalar;
        reciprocal_ = tiling.reciprocal;
    }
    __aicore__ inline void InitConst([[maybe_unused]] TPipe& pipe) {}

    // y = 0 makes the quotient inf or NaN, the difference NaN, and the cast of NaN to int16 is 0.
    __aicore__ inline void Tensor(const LocalTensor<int16_t>& y, const LocalTensor<int16_t>& x1,
                                  const LocalTensor<int16_t>& x2, uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        const LocalTensor<float> dividendLow = work_.template Low<float>();
        const LocalTensor<float> quotientLow = work_.template Low<float>(sizeof(float));
        const LocalTensor<float> divisorHigh = work_.template High<float>();
        Cast(dividendLow, x1, RoundMode::CAST_NONE, length);
        Cast(divisorHigh, x2, RoundMode::CAST_NONE, length);
        Div(quotientLow, dividendLow, divisorHigh, count);
        Muls(quotientLow, quotientLow, INT16_QUOTIENT_BIAS, count);
        Cast(quotientLow, quotientLow, RoundMode::CAST_TRUNC, length);
        Mul(divisorHigh, quotientLow, divisorHigh, count);
        Sub(dividendLow, dividendLow, divisorHigh, count);
        Cast(y, dividendLow, RoundMode::CAST_RINT, length);
    }

    __aicore__ inline void Scalar(const LocalTensor<int16_t>& y, const LocalTensor<int16_t>& x1, uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        const LocalTensor<float> dividendLow = work_.template Low<float>();
        const LocalTensor<float> quotientHigh = work_.template High<float>();
        Cast(dividendLow, x1, RoundMode::CAST_NONE, length);
        Muls(quotientHigh, dividendLow, reciprocal_, count);
        Cast(quotientHigh, quotientHigh, RoundMode::CAST_TRUNC, length);
        Muls(quotientHigh, quotientHigh, scalar_, count);
        Sub(dividendLow, dividendLow, quotientHigh, count);
        Cast(y, dividendLow, RoundMode::CAST_RINT, length);
    }

private:
    static constexpr FmodWork BYTES = FmodWorkBytes(FmodKind::INT16, false, IS_SCALAR, false);
    Work<BYTES.low, BYTES.high> work_;
    float scalar_ = 1.0f;
    float reciprocal_ = 1.0f;
};

// Two rounds of quotient estimates in fp32 over wrapping int32 arithmetic. The first leaves |r| <= |y| / 2 + 2^10, the
// second |r| <= |y|; n = -max(|y|, 1) holds every divisor without overflow, and fmod does not see the divisor's sign.
template <bool IS_SCALAR>
class IntegerLong {
public:
    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        negative_ = tiling.scalarInt;
        reciprocal_ = tiling.reciprocal;
    }
    __aicore__ inline void InitConst(TPipe& pipe)
    {
        work_.InitConst(pipe);
        ones_.Init(work_.MaskRows(0), 1);
        if constexpr (IS_SCALAR) {
            negatives_.Init(work_.MaskRows(1), negative_);
        }
    }

    __aicore__ inline void Tensor(const LocalTensor<int32_t>& yLow, const LocalTensor<int32_t>& x1Low,
                                  const LocalTensor<int32_t>& x2High, uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        const LocalTensor<int32_t> quotientLow = work_.template Low<int32_t>();
        const LocalTensor<float> ratioLow = quotientLow.template ReinterpretCast<float>();
        const LocalTensor<int32_t> divisorHigh = work_.template High<int32_t>();
        const LocalTensor<float> floatHigh = work_.template High<float>(sizeof(int32_t));
        const LocalTensor<int32_t> productHigh = work_.template High<int32_t>(2 * sizeof(int32_t));

        Muls(quotientLow, x2High, -1, count);
        Min(divisorHigh, quotientLow, x2High, count);
        Mins(divisorHigh, divisorHigh, -1, count);
        Cast(floatHigh, divisorHigh, RoundMode::CAST_RINT, length);

        Cast(ratioLow, x1Low, RoundMode::CAST_RINT, length);
        Div(ratioLow, ratioLow, floatHigh, count);
        Cast(quotientLow, ratioLow, RoundMode::CAST_RINT, length);
        Mul(productHigh, quotientLow, divisorHigh, count);
        Sub(yLow, x1Low, productHigh, count);

        Cast(ratioLow, yLow, RoundMode::CAST_RINT, length);
        Div(ratioLow, ratioLow, floatHigh, count);
        Cast(quotientLow, ratioLow, RoundMode::CAST_RINT, length);
        Mul(productHigh, quotientLow, divisorHigh, count);
        Sub(yLow, yLow, productHigh, count);

        // sign = x < 0 ? -1 : 1; r * sign in (-|y|, |y|) is lifted into [0, |y|) and gets the sign back.
        const LocalTensor<int32_t> signHigh = productHigh;
        const LocalTensor<int32_t> liftHigh = floatHigh.template ReinterpretCast<int32_t>();
        ShiftRight(signHigh, x1Low, SIGN_SHIFT, count);
        BitRow<false>(signHigh.template ReinterpretCast<int16_t>(), signHigh.template ReinterpretCast<int16_t>(),
                      ones_.ForHigh(), length * 2);
        Mul(yLow, yLow, signHigh, count);
        ShiftRight(quotientLow, yLow, SIGN_SHIFT, count);
        AndBits(liftHigh, quotientLow, divisorHigh, length);
        Sub(yLow, yLow, liftHigh, count);
        Mul(yLow, yLow, signHigh, count);
    }

    // x1 is used up.
    __aicore__ inline void Scalar(const LocalTensor<int32_t>& yHigh, const LocalTensor<int32_t>& x1Low, uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        const LocalTensor<int32_t> firstHigh = work_.template High<int32_t>();
        const LocalTensor<float> firstRatioHigh = firstHigh.template ReinterpretCast<float>();
        const LocalTensor<int32_t> secondLow = work_.template Low<int32_t>();
        const LocalTensor<float> secondRatioLow = secondLow.template ReinterpretCast<float>();

        Cast(firstRatioHigh, x1Low, RoundMode::CAST_RINT, length);
        Muls(firstRatioHigh, firstRatioHigh, reciprocal_, count);
        Cast(firstHigh, firstRatioHigh, RoundMode::CAST_RINT, length);
        Muls(firstHigh, firstHigh, negative_, count);
        Sub(yHigh, x1Low, firstHigh, count);

        Cast(secondRatioLow, yHigh, RoundMode::CAST_RINT, length);
        Muls(secondRatioLow, secondRatioLow, reciprocal_, count);
        Cast(secondLow, secondRatioLow, RoundMode::CAST_RINT, length);
        Muls(secondLow, secondLow, negative_, count);
        Sub(yHigh, yHigh, secondLow, count);

        const LocalTensor<int32_t> signLow = secondLow;
        ShiftRight(signLow, x1Low, SIGN_SHIFT, count);
        BitRow<false>(signLow.template ReinterpretCast<int16_t>(), signLow.template ReinterpretCast<int16_t>(),
                      ones_.ForLow(), length * 2);
        Mul(yHigh, yHigh, signLow, count);
        ShiftRight(x1Low, yHigh, SIGN_SHIFT, count);
        AndRow(x1Low, x1Low, negatives_.ForLow(), length);
        Sub(yHigh, yHigh, x1Low, count);
        Mul(yHigh, yHigh, signLow, count);
    }

private:
    static constexpr FmodWork BYTES = FmodWorkBytes(FmodKind::INT32, false, IS_SCALAR, false);
    Work<BYTES.low, BYTES.high> work_;
    MaskRow ones_;
    MaskRow negatives_;
    int32_t negative_ = -1;
    float reciprocal_ = -1.0f;
};

// int8 and uint8 in half, where every value, quotient and product is exact up to 2^11.
template <typename T, bool IS_SCALAR>
class IntegerByte {
public:
    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        scalar_ = static_cast<half>(tiling.scalar);
        if constexpr (IS_SCALAR) {
            divisorHigh_ = work_.template High<half>(sizeof(half));
            Duplicate(divisorHigh_, scalar_, static_cast<int32_t>(tileLength));
        }
    }
    __aicore__ inline void InitConst([[maybe_unused]] TPipe& pipe) {}

    __aicore__ inline void Tensor(const LocalTensor<T>& y, const LocalTensor<T>& x1, const LocalTensor<T>& x2,
                                  uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        const LocalTensor<half> dividendLow = work_.template Low<half>();
        const LocalTensor<half> quotientLow = work_.template Low<half>(sizeof(half));
        const LocalTensor<half> divisorHigh = work_.template High<half>();
        Cast(dividendLow, x1, RoundMode::CAST_NONE, length);
        Cast(divisorHigh, x2, RoundMode::CAST_NONE, length);
        if constexpr (IsSameType<T, int8_t>::value) {
            Abs(divisorHigh, divisorHigh, count);
        }
        Maxs(divisorHigh, divisorHigh, static_cast<half>(1.0f), count);
        Div(quotientLow, dividendLow, divisorHigh, count);
        NegativeTruncated(quotientLow, length);
        MulAddDst(dividendLow, quotientLow, divisorHigh, count);
        Cast(y, dividendLow, RoundMode::CAST_RINT, length);
    }

    __aicore__ inline void Scalar(const LocalTensor<T>& y, const LocalTensor<T>& x1, uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        const LocalTensor<half> dividendLow = work_.template Low<half>();
        const LocalTensor<half> quotientHigh = work_.template High<half>();
        Cast(dividendLow, x1, RoundMode::CAST_NONE, length);
        Div(quotientHigh, dividendLow, divisorHigh_, count);
        NegativeTruncated(quotientHigh, length);
        Axpy(dividendLow, quotientHigh, scalar_, count);
        Cast(y, dividendLow, RoundMode::CAST_RINT, length);
    }

private:
    __aicore__ inline void NegativeTruncated(const LocalTensor<half>& quotient, uint32_t length)
    {
        const LocalTensor<int16_t> integer = quotient.template ReinterpretCast<int16_t>();
        Muls(quotient, quotient, static_cast<half>(-INT8_QUOTIENT_BIAS), static_cast<int32_t>(length));
        Cast(integer, quotient, RoundMode::CAST_TRUNC, length);
        Cast(quotient, integer, RoundMode::CAST_NONE, length);
    }

    static constexpr FmodWork BYTES = FmodWorkBytes(FmodKind::INT8, false, IS_SCALAR, false);
    Work<BYTES.low, BYTES.high> work_;
    LocalTensor<half> divisorHigh_;
    half scalar_ = static_cast<half>(1.0f);
};
} // namespace NsFmod
#endif // FMOD_POLICY_INT_H
