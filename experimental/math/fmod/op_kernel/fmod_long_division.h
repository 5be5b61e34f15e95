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
 * \file fmod_long_division.h
 * \brief a mod b for any a, b >= 0: long division, 22 quotient bits a round, on normalised significands.
 */
#ifndef FMOD_LONG_DIVISION_H
#define FMOD_LONG_DIVISION_H

#include "fmod_common.h"

namespace NsFmod {
constexpr int32_t PATTERN_TOP12 = static_cast<int32_t>(0xFFFFF000U); // sign, exponent, top 12 significant bits
constexpr int32_t PATTERN_FRACTION = 0x007FFFFF;                     // stored fraction bits
constexpr int32_t FRACTION_BITS = 23;
constexpr int32_t EXPONENT_BIAS = 127;
constexpr int32_t EXPONENT_MASK = 0xFF;
constexpr int32_t ROUND_BITS = 22; // the remainder is below the divisor: a quotient is below 2^22
constexpr int32_t MAX_ROUNDS = 13; // FLT_MAX / 2^-149 is below 2^277

__aicore__ inline int32_t FloatBits(float value)
{
    union {
        float number;
        int32_t bits;
    } word{value};
    return word.bits;
}

__aicore__ inline float FloatOf(int32_t bits)
{
    union {
        int32_t bits;
        float number;
    } word{bits};
    return word.number;
}

// Rounds for a largest quotient estimate that may be two ulps low; inf and NaN ask for all.
__aicore__ inline int32_t RoundsFor(float largestQuotient)
{
    const int32_t exponent = ((FloatBits(largestQuotient) >> FRACTION_BITS) & EXPONENT_MASK) - EXPONENT_BIAS;
    if (exponent > EXPONENT_BIAS) {
        return MAX_ROUNDS;
    }
    const int32_t bits = exponent + 2;
    if (bits <= 0) {
        return 0;
    }
    const int32_t rounds = (bits + ROUND_BITS - 1) / ROUND_BITS;
    return rounds < MAX_ROUNDS ? rounds : MAX_ROUNDS;
}

// With a = A * 2^m, b = B * 2^n and A, B in [1, 2): r = A mod B, then r = (r * 2^s) mod B until s has covered m - n,
// and the remainder is r * 2^n. Every quotient is below 2^22, so splitting q and B in halves of 12 bits makes each of
// the four products and differences exact, also when Div is an ulp off or MulAddDst is fused. Where m < n the result is
// a. inf and NaN operands and b = 0 give NaN; b = inf gives a.
class LongDivision {
public:
    static constexpr uint32_t BUFFERS = 10;

    // chunk: elements of one pass; memory: BUFFERS x chunk of them; rows of PATTERN_TOP12 and PATTERN_FRACTION.
    __aicore__ inline void Init(const LocalTensor<float>& memory, uint32_t chunk, const LocalTensor<int16_t>& top12,
                                const LocalTensor<int16_t>& fraction)
    {
        remainder_ = memory;
        divisor_ = memory[chunk];
        exponentA_ = memory[2 * chunk].ReinterpretCast<int32_t>();
        exponentB_ = memory[3 * chunk].ReinterpretCast<int32_t>();
        high_ = memory[4 * chunk];
        low_ = memory[5 * chunk];
        quotient_ = memory[6 * chunk];
        quotientHigh_ = memory[7 * chunk];
        scratch_ = memory[8 * chunk].ReinterpretCast<int32_t>();
        smaller_ = memory[9 * chunk].ReinterpretCast<int32_t>();
        top12_ = top12;
        fraction_ = fraction;
    }

    // result = a mod b; none of them may be in the memory given to Init.
    __aicore__ inline void Run(const LocalTensor<float>& result, const LocalTensor<float>& a,
                               const LocalTensor<float>& b, uint32_t length, int32_t rounds)
    {
        Normalize(remainder_, exponentA_, a, length);
        Normalize(divisor_, exponentB_, b, length);
        Sub(exponentA_, exponentA_, exponentB_, length);
        ShiftRight(smaller_, exponentA_, SIGN_SHIFT, length);
        Maxs(exponentA_, exponentA_, 0, length);
        Muls(quotient_, divisor_, -1.0f, length);
        AndRow(high_, quotient_, top12_, length);
        Sub(low_, quotient_, high_, length);

        Reduce(length);
        for (int32_t round = 0; round < rounds; round++) {
            Mins(scratch_, exponentA_, ROUND_BITS, length);
            Sub(exponentA_, exponentA_, scratch_, length);
            Scale(length);
            Reduce(length);
        }

        // 2^n may lie below the smallest normal number, two factors of half the exponent do not.
        Adds(exponentB_, exponentB_, -NORMALIZED_BIAS, length);
        ShiftRight(scratch_, exponentB_, 1, length);
        Sub(exponentB_, exponentB_, scratch_, length);
        Scale(length);
        Adds(scratch_, exponentB_, 0, length);
        Scale(length);
        ChooseSmaller(a, length);
        AddInvalid(result, a, b, length);
    }

private:
    // Both exponent fields of Normalize carry a bias, and the fraction is an integer there.
    static constexpr int32_t NORMALIZED_BIAS = 2 * EXPONENT_BIAS + FRACTION_BITS;
    static constexpr float LIFT = 0x1p100f; // takes every subnormal far from where Div may flush it

    // value = significand * 2^(exponent - NORMALIZED_BIAS), significand in [1, 2). Integer steps only: a subnormal
    // value must not meet float arithmetic before it is a normal number.
    __aicore__ inline void Normalize(const LocalTensor<float>& significand, const LocalTensor<int32_t>& exponent,
                                     const LocalTensor<float>& value, uint32_t length)
    {
        const LocalTensor<int32_t> bits = significand.ReinterpretCast<int32_t>();
        ShiftRight(exponent, value.ReinterpretCast<int32_t>(), FRACTION_BITS, length);
        AndRow(bits, value, fraction_, length);
        Mins(scratch_, exponent, 1, length);
        ShiftLeft(scratch_, scratch_, FRACTION_BITS, length);
        Add(bits, bits, scratch_, length);
        Cast(significand, bits, RoundMode::CAST_RINT, length);
        ShiftRight(scratch_, bits, FRACTION_BITS, length);
        Maxs(exponent, exponent, 1, length);
        Add(exponent, exponent, scratch_, length);
        Adds(scratch_, scratch_, -EXPONENT_BIAS, length);
        ShiftLeft(scratch_, scratch_, FRACTION_BITS, length);
        Sub(bits, bits, scratch_, length);
    }

    // remainder *= 2^scratch
    __aicore__ inline void Scale(uint32_t length)
    {
        Adds(scratch_, scratch_, EXPONENT_BIAS, length);
        ShiftLeft(scratch_, scratch_, FRACTION_BITS, length);
        Mul(remainder_, remainder_, scratch_.ReinterpretCast<float>(), length);
    }

    // remainder = remainder mod divisor for quotients below 2^22; rounding the quotient to nearest leaves one repair.
    __aicore__ inline void Reduce(uint32_t length)
    {
        Div(quotient_, remainder_, divisor_, length);
        Cast(quotient_, quotient_, RoundMode::CAST_RINT, length);
        AndRow(quotientHigh_, quotient_, top12_, length);
        Sub(quotient_, quotient_, quotientHigh_, length);
        MulAddDst(remainder_, quotientHigh_, high_, length);
        MulAddDst(remainder_, quotientHigh_, low_, length);
        MulAddDst(remainder_, quotient_, high_, length);
        MulAddDst(remainder_, quotient_, low_, length);
        ShiftRight(scratch_, remainder_.ReinterpretCast<int32_t>(), SIGN_SHIFT, length);
        AndBits(scratch_, scratch_, divisor_, length);
        Add(remainder_, remainder_, scratch_.ReinterpretCast<float>(), length);
    }

    __aicore__ inline void ChooseSmaller(const LocalTensor<float>& a, uint32_t length)
    {
        AndBits(scratch_, smaller_, a, length);
        const LocalTensor<int16_t> lanes = smaller_.ReinterpretCast<int16_t>();
        Not(lanes, lanes, static_cast<int32_t>(length * 2));
        AndBits(remainder_, remainder_, smaller_, length);
        OrBits(remainder_, remainder_, scratch_, length);
    }

    __aicore__ inline void AddInvalid(const LocalTensor<float>& result, const LocalTensor<float>& a,
                                      const LocalTensor<float>& b, uint32_t length)
    {
        Sub(quotient_, a, a, length); // NaN for inf and NaN, else 0
        Add(remainder_, remainder_, quotient_, length);
        Muls(quotientHigh_, b, LIFT, length);
        Duplicate(quotient_, 0.0f, static_cast<int32_t>(length));
        Div(quotient_, quotient_, quotientHigh_, length); // NaN for 0 and NaN, else 0
        Add(result, remainder_, quotient_, length);
    }

    LocalTensor<float> remainder_;
    LocalTensor<float> divisor_;
    LocalTensor<float> high_; // of -divisor
    LocalTensor<float> low_;
    LocalTensor<float> quotient_;
    LocalTensor<float> quotientHigh_;
    LocalTensor<int32_t> exponentA_;
    LocalTensor<int32_t> exponentB_;
    LocalTensor<int32_t> scratch_;
    LocalTensor<int32_t> smaller_; // -1 where a has the smaller exponent
    LocalTensor<int16_t> top12_;
    LocalTensor<int16_t> fraction_;
};
} // namespace NsFmod
#endif // FMOD_LONG_DIVISION_H
