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
 * \brief Exact remainder of int32 with the sign of the dividend; a zero divisor gives 0.
 */
#ifndef FMOD_INT_H
#define FMOD_INT_H

#include "fmod_common.h"

namespace NsFmod {
// One fp32 quotient q = trunc(|x1 / x2| * (1 + 8u)), u = 2^-24. Casts, Div, which may be an ulp off, and the product
// take at most 6u of it or give as much: it is not below the exact quotient, and less than 14u of it above. A tile
// takes one of three ways:
// - short, |x1| < 2^20. A quotient that is no integer lies 16u of it or more below the next one, so q is exact, also
//   where x2 is beyond 2^24 and rounds. x1 - q * x2 takes one fused step in fp32. A zero divisor gives NaN, which casts
//   to 0.
// - wide, q < 2^20, the ordinary case of large numbers. q is exact or 1 too large: x1 - q * x2, in int32, which wraps,
//   is the remainder, or has the sign that x1 has not, and |x2| lifts it.
// - long, all others: a second estimate of the quotient of what is left. q is 14u of it too large or less, and |x2|
//   below 2^11, where q reaches 2^20: after the first estimate |r| is below |x2| + 2^11, after the second below |x2|.
// -|x2| holds every divisor without overflow. fmod does not see the divisor's sign.
template <bool IS_SCALAR>
class ComputeInt32 {
public:
    using Wide = int32_t;

    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        scalar_ = tiling.scalar.negative;
        reciprocal_ = tiling.scalar.reciprocal;
    }

    __aicore__ inline void Prepare() {}

    __aicore__ inline void Compute(const LocalTensor<int32_t>& y, const Operand<int32_t, int32_t>& x1,
                                   const Operand<int32_t, int32_t>& x2, uint32_t length)
    {
        const LocalTensor<float> dividend = work_.template Low<float>();
        const LocalTensor<float> quotient = y.template ReinterpretCast<float>(); // of the other sign than x1 / x2
        if (x1.isFresh || !hasDividend_) { // else both are there from the tile before
            Cast(dividend, x1.tile, RoundMode::CAST_RINT, length);
            Abs(quotient, dividend, length);
            ReduceTile<Extreme::MAX>(Largest(), work_.template High<float>(), quotient, length);
            hasDividend_ = true;
        }
        SetFlag<HardEvent::V_S>(ProbeEvent());
        if constexpr (IS_SCALAR) {
            Muls(quotient, dividend, reciprocal_ * -QUOTIENT_BIAS, length);
        } else {
            Cast(FloatDivisor(), x2.tile, RoundMode::CAST_RINT, length);
            Div(quotient, dividend, FloatDivisor(), length);
            Muls(quotient, quotient, -QUOTIENT_BIAS, length);
        }
        Cast(quotient, quotient, RoundMode::CAST_TRUNC, length);
        WaitFlag<HardEvent::V_S>(ProbeEvent());
        const float largest = LargestOf(Largest());
        if (largest >= LIMIT) {
            ComputeWide(y, x1.tile, x2.tile, length, largest);
        } else if constexpr (IS_SCALAR) {
            Axpy(dividend, quotient, static_cast<float>(scalar_), length);
            Cast(y, dividend, RoundMode::CAST_RINT, length);
        } else {
            FusedMulAdd(quotient, FloatDivisor(), dividend, length);
            Cast(y, quotient, RoundMode::CAST_RINT, length);
        }
    }

private:
    static constexpr float LIMIT = 0x1p20f;
    static constexpr float QUOTIENT_BIAS = 1.0f + 0x1p-21f;

    __aicore__ inline LocalTensor<float> Largest() { return work_.template Result<float>(0); }
    // -|x2|
    __aicore__ inline LocalTensor<int32_t> Divisor() { return work_.template High<int32_t>(sizeof(int32_t)); }
    __aicore__ inline LocalTensor<float> FloatDivisor() { return work_.template High<float>(2 * sizeof(int32_t)); }

    // y holds the quotients. By a tensor a reduction finds the largest one while they are multiplied; a zero divisor
    // makes it infinite or NaN.
    __aicore__ inline void ComputeWide(const LocalTensor<int32_t>& y, const LocalTensor<int32_t>& x1,
                                       const LocalTensor<int32_t>& x2, uint32_t length, float largestDividend)
    {
        const LocalTensor<float> quotient = y.template ReinterpretCast<float>();
        const LocalTensor<int32_t> low = work_.template Low<int32_t>();
        const LocalTensor<int32_t> high = work_.template High<int32_t>();
        hasDividend_ = false; // its memory is needed
        if constexpr (IS_SCALAR) {
            if (-largestDividend * reciprocal_ < LIMIT) {
                Cast(high, quotient, RoundMode::CAST_RINT, length);
                Muls(high, high, scalar_, length);
                Add(low, x1, high, length);
            } else {
                Refine(y, x1, high, length);
                Refine(low, y, low, length);
            }
            Lift(y, low, x1, length);
        } else {
            const LocalTensor<int32_t> product = FloatDivisor().template ReinterpretCast<int32_t>();
            const LocalTensor<float> magnitude = low.template ReinterpretCast<float>();
            Abs(magnitude, quotient, length);
            ReduceTile<Extreme::MAX>(Largest(), work_.template High<float>(), magnitude, length);
            SetFlag<HardEvent::V_S>(ProbeEvent());
            Cast(y, quotient, RoundMode::CAST_RINT, length);
            Mul(product, y, x2, length);
            Add(y, x1, product, length);
            Muls(low, x2, -1, length);
            Min(Divisor(), low, x2, length);
            WaitFlag<HardEvent::V_S>(ProbeEvent());
            const float largest = LargestOf(Largest());
            if (!(largest < LIMIT)) {
                Mins(Divisor(), Divisor(), -1, length); // x mod 1 = 0 is what a zero divisor gives
                Cast(FloatDivisor(), Divisor(), RoundMode::CAST_RINT, length);
                Refine(y, y, high, length);
            }
            if (!(largest <= FMOD_LARGEST_FLOAT)) { // by a zero divisor the first estimate has done nothing
                Refine(y, y, high, length);
            }
            Lift(y, y, x1, length);
        }
    }

    // r in (-|x2|, |x2|): r times the sign of x1 is lifted into [0, |x2|) and gets the sign back. r lies low; by a
    // tensor it is y.
    __aicore__ inline void Lift(const LocalTensor<int32_t>& y, const LocalTensor<int32_t>& r,
                                const LocalTensor<int32_t>& x1, uint32_t length)
    {
        const LocalTensor<int32_t> low = work_.template Low<int32_t>();
        const LocalTensor<int32_t> sign = work_.template High<int32_t>(); // of x1: -1, 0 or 1
        Maxs(sign, x1, -1, length);
        Mins(sign, sign, 1, length);
        Mul(y, r, sign, length);
        ShiftRight(low.ReinterpretCast<uint32_t>(), y.ReinterpretCast<uint32_t>(), static_cast<uint32_t>(SIGN_SHIFT),
                   length); // 1 where y is negative
        if constexpr (IS_SCALAR) {
            Muls(low, low, scalar_, length);
            Sub(low, y, low, length);
            Mul(y, low, sign, length);
        } else {
            const LocalTensor<int32_t> lift = FloatDivisor().template ReinterpretCast<int32_t>();
            Mul(lift, low, Divisor(), length);
            Sub(y, y, lift, length);
            Mul(y, y, sign, length);
        }
    }

    // r = x - round(x / n) * n. product lies on the other side of the bank gap than x.
    __aicore__ inline void Refine(const LocalTensor<int32_t>& r, const LocalTensor<int32_t>& x,
                                  const LocalTensor<int32_t>& product, uint32_t length)
    {
        if constexpr (IS_SCALAR) {
            const LocalTensor<float> ratio = product.template ReinterpretCast<float>();
            Cast(ratio, x, RoundMode::CAST_RINT, length);
            Muls(ratio, ratio, reciprocal_, length);
            Cast(product, ratio, RoundMode::CAST_RINT, length);
            Muls(product, product, scalar_, length);
        } else {
            const LocalTensor<int32_t> quotient = work_.template Low<int32_t>();
            const LocalTensor<float> ratio = quotient.template ReinterpretCast<float>();
            Cast(ratio, x, RoundMode::CAST_RINT, length);
            Div(ratio, ratio, FloatDivisor(), length);
            Cast(quotient, ratio, RoundMode::CAST_RINT, length);
            Mul(product, quotient, Divisor(), length);
        }
        Sub(r, x, product, length);
    }

    Work<FmodFormula::INT32, IS_SCALAR> work_;
    int32_t scalar_ = -1;
    float reciprocal_ = -1.0f;
    bool hasDividend_ = false; // in fp32, and its largest element
};
} // namespace NsFmod
#endif // FMOD_INT_H
