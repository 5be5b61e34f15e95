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
#include "fmod_probe.h"

namespace NsFmod {
// Tiles of numbers below 2^20 are computed in fp32, as int16 is: a quotient stays 1 / |x2| away from the next integer,
// which is 2^-21 of it or more, and its bias and errors are less than that together. A reduction finds these tiles.
// Others take two rounds of quotient estimates in fp32 over int32 arithmetic. The first leaves |r| <= |x2| / 2 + 2^10,
// the second |r| <= |x2|. n = -max(|x2|, 1) holds every divisor without overflow, and fmod does not see the divisor's
// sign.
template <bool IS_SCALAR>
class ComputeInt32 {
public:
    using Wide = int32_t;
    static constexpr bool HAS_LATE_RESULT = false;
    static constexpr bool KEEPS_OPERANDS = true;

    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        scalar_ = tiling.scalar.negative;
        reciprocal_ = tiling.scalar.reciprocal;
    }

    __aicore__ inline void Prepare() {}

    __aicore__ inline static void PrepareDivisor(const LocalTensor<int32_t>&, Span) {}

    __aicore__ inline void Compute(const LocalTensor<int32_t>& y, const LocalTensor<int32_t>& x1,
                                   const LocalTensor<int32_t>& x2, uint32_t length)
    {
        Compute(y, Operand<int32_t, int32_t>{x1, {}}, Operand<int32_t, int32_t>{x2, {}}, length);
    }

    __aicore__ inline void Compute(const LocalTensor<int32_t>& y, const Operand<int32_t, int32_t>& x1,
                                   const Operand<int32_t, int32_t>& x2, uint32_t length)
    {
        const Span all{length};
        const LocalTensor<float> dividend = work_.template Low<float>();
        const LocalTensor<float> quotient = y.template ReinterpretCast<float>();
        Probe(quotient, dividend, x1, x2, all);
        if constexpr (IS_SCALAR) {
            Muls(quotient, dividend, reciprocal_ * -QUOTIENT_BIAS, all);
        } else {
            Div(quotient, dividend, FloatDivisor(), all);
            Muls(quotient, quotient, -QUOTIENT_BIAS, all);
        }
        Cast(quotient, quotient, RoundMode::CAST_TRUNC, all);
        WaitFlag<HardEvent::V_S>(ProbeEvent());
        const float largest = LargestOf(work_.template Result<float>(0));
        if (largest >= LIMIT || static_cast<float>(scalar_) <= -LIMIT) {
            dividendLength_ = 0;
            divisorLength_ = 0;
            ComputeLarge(y, x1.tile, x2.tile, length);
            return;
        }
        if constexpr (IS_SCALAR) {
            dividendLength_ = 0;
            Axpy(dividend, quotient, static_cast<float>(scalar_), all);
            Cast(y, dividend, RoundMode::CAST_RINT, all);
        } else {
            FusedMulAdd(quotient, FloatDivisor(), dividend, all);
            Cast(y, quotient, RoundMode::CAST_RINT, all); // NaN, by a zero divisor, becomes 0
        }
    }

private:
    static constexpr float LIMIT = 0x1p20f;
    static constexpr float QUOTIENT_BIAS = 1.0f + 0x1p-22f;

    __aicore__ inline LocalTensor<int32_t> Divisor() { return work_.template High<int32_t>(sizeof(int32_t)); }
    __aicore__ inline LocalTensor<float> FloatDivisor() { return work_.template High<float>(2 * sizeof(int32_t)); }

    // The dividend and |x2| in fp32, unless they are kept, and the largest magnitude of what is new: what is kept has
    // been found to be small.
    __aicore__ inline void Probe(const LocalTensor<float>& magnitude, const LocalTensor<float>& dividend,
                                 const Operand<int32_t, int32_t>& x1, const Operand<int32_t, int32_t>& x2, Span all)
    {
        const bool isNewDividend = x1.isFresh || dividendLength_ < all.length;
        const bool isNewDivisor = !IS_SCALAR && (x2.isFresh || divisorLength_ < all.length);
        LocalTensor<float> magnitudes = magnitude;
        if (isNewDividend) {
            dividendLength_ = all.length;
            Cast(dividend, x1.tile, RoundMode::CAST_RINT, all);
            Abs(magnitude, dividend, all);
        }
        if constexpr (!IS_SCALAR) {
            const LocalTensor<float> divisor = FloatDivisor();
            if (isNewDivisor) {
                divisorLength_ = all.length;
                Cast(divisor, x2.tile, RoundMode::CAST_RINT, all);
                Abs(divisor, divisor, all);
            }
            if (isNewDivisor && isNewDividend) {
                Max(magnitude, magnitude, divisor, all);
            } else if (isNewDivisor) {
                magnitudes = divisor;
            }
        }
        if (isNewDividend || isNewDivisor) { // else the result is the one before
            const LocalTensor<float> memory = work_.template High<float>();
            ReduceTile<Extreme::MAX>(work_.template Result<float>(0), memory, magnitudes, all.length);
        }
        SetFlag<HardEvent::V_S>(ProbeEvent());
    }

    // Constants, for the first tile that needs them.
    __aicore__ inline void MakeRows()
    {
        if (hasRows_) {
            return;
        }
        hasRows_ = true;
        ones_ = work_.MaskRow(0, 1);
        if constexpr (IS_SCALAR) {
            scalarRow_ = work_.MaskRow(1, scalar_);
        }
    }

    __aicore__ inline void ComputeLarge(const LocalTensor<int32_t>& y, const LocalTensor<int32_t>& x1,
                                        const LocalTensor<int32_t>& x2, uint32_t length)
    {
        const Span all{length};
        MakeRows();
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

    Work<FmodFormula::INT32, IS_SCALAR> work_;
    LocalTensor<int16_t> ones_;
    LocalTensor<int16_t> scalarRow_;
    int32_t scalar_ = -1;
    float reciprocal_ = -1.0f;
    bool hasRows_ = false;
    // Elements of either that tiles before have left in the work memory, in fp32 and found to be small.
    uint32_t dividendLength_ = 0;
    uint32_t divisorLength_ = 0;
};

// As INT16_QUOTIENT_BIAS, in half.
constexpr float INT8_QUOTIENT_BIAS = 1.0f + 0x1p-9f;

// int8 and uint8 in half, where every value, quotient and product is exact up to 2^11.
template <typename T, bool IS_SCALAR>
class ComputeInt8 {
public:
    using Wide = half;
    static constexpr bool HAS_LATE_RESULT = false;
    static constexpr bool KEEPS_OPERANDS = true;

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

    // x mod 1 = 0 is what a zero divisor gives.
    __aicore__ inline static void PrepareDivisor(const LocalTensor<half>& divisor, Span all)
    {
        if constexpr (IsSameType<T, int8_t>::value) {
            Abs(divisor, divisor, all);
        }
        Maxs(divisor, divisor, static_cast<half>(1.0f), all);
    }

    __aicore__ inline void Compute(const LocalTensor<T>& y, const LocalTensor<T>& x1, const LocalTensor<T>& x2,
                                   uint32_t length)
    {
        Compute(y, Operand<T, half>{x1, {}}, Operand<T, half>{x2, {}}, length);
    }

    __aicore__ inline void Compute(const LocalTensor<T>& y, const Operand<T, half>& x1, const Operand<T, half>& x2,
                                   uint32_t length)
    {
        const Span all{length};
        const LocalTensor<half> dividend = Widen(x1, work_.template Low<half>(), all);
        const LocalTensor<half> quotient = work_.template Low<half>(sizeof(half));
        const LocalTensor<int16_t> truncated = quotient.template ReinterpretCast<int16_t>();
        LocalTensor<half> divisor = work_.template High<half>();
        if constexpr (!IS_SCALAR) {
            divisor = Widen(x2, divisor, all);
            if (!x2.isWide) {
                PrepareDivisor(divisor, all);
            }
        }
        Div(quotient, dividend, divisor, all);
        Muls(quotient, quotient, static_cast<half>(-INT8_QUOTIENT_BIAS), all);
        Cast(truncated, quotient, RoundMode::CAST_TRUNC, all);
        Cast(quotient, truncated, RoundMode::CAST_NONE, all);
        if constexpr (IS_SCALAR) {
            if (x1.isWide) { // other tiles want it as it is
                Muls(quotient, quotient, scalar_, all);
                Add(quotient, quotient, dividend, all);
            } else {
                Axpy(dividend, quotient, scalar_, all);
                Cast(y, dividend, RoundMode::CAST_RINT, all);
                return;
            }
        } else {
            FusedMulAdd(quotient, divisor, dividend, all);
        }
        Cast(y, quotient, RoundMode::CAST_RINT, all);
    }

private:
    Work<FmodFormula::INT8, IS_SCALAR> work_;
    uint32_t tileLength_ = 0;
    half scalar_ = static_cast<half>(1.0f);
};
} // namespace NsFmod
#endif // FMOD_INT_H
