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
 * \file fmod_exact.h
 * \brief fmod of floating tensors bit for bit as C fmodf.
 */
#ifndef FMOD_EXACT_H
#define FMOD_EXACT_H

#include <type_traits>
#include "fmod_common.h"
#include "fmod_long_division.h"

namespace NsFmod {
enum class Extreme { MAX, MIN };

// Halves the tile until one reduction is cheap: n/2 + n/4 + ... lanes, against seven cycles a repeat for ReduceMax.
// Both parts of a step are an odd number of repeats apart and so in different halves of the bank groups. halves may be
// values.
template <Extreme EXTREME, typename T>
__aicore__ inline void ReduceTile(const LocalTensor<T>& result, const LocalTensor<T>& scratch,
                                  const LocalTensor<T>& values, const LocalTensor<T>& halves, uint32_t length)
{
    constexpr uint32_t repeatLength = REPEAT_BYTES / sizeof(T);
    LocalTensor<T> from = values;
    uint32_t left = length;
    while (left >= 2 * repeatLength) {
        const uint32_t skip = ((left / 2 / repeatLength - 1) | 1) * repeatLength;
        left -= skip;
        if constexpr (EXTREME == Extreme::MAX) {
            Max(halves, from, from[skip], static_cast<int32_t>(left));
        } else {
            Min(halves, from, from[skip], static_cast<int32_t>(left));
        }
        from = halves;
    }
    if constexpr (EXTREME == Extreme::MAX) {
        ReduceMax(result, from, scratch, static_cast<int32_t>(left));
    } else {
        ReduceMin(result, from, scratch, static_cast<int32_t>(left));
    }
}

// Magnitudes that decide how a tile is computed: the largest quotient and dividend, the smallest divisor.
struct Extremes {
    float quotient;
    float dividend;
    float divisor;
};

// r = |x1| - rint(|x1 / x2|) * |x2| by exact steps, one repair, the sign of x1: the short way, exact within the limits
// of fmod_tiling_data.h. Instructions an element: 19 for float, 13 for 16 bits, 14 and 9.5 by a scalar. Reductions
// that run before these steps find the tiles beyond a limit, which take the long division.
//
// A lane with an infinite dividend, a zero divisor or a NaN hides the extremes of its tile, but needs no long way: its
// quotient q is infinite or NaN, and the short way makes NaN of it, as fmodf does.
//   x1 or x2 NaN, 0 / 0, inf / inf: q is NaN, and so is every sum it enters.
//   x1 / 0: q * 0 = -inf * 0 = NaN, also by halves.
//   inf / x2: inf + (-inf) * x2 = NaN; the top half of x2 is 0 only if x2 is, or subnormal: -inf * 0 again.
//   by a scalar, inf or NaN: q - (top half of q) = NaN.
// Such a tile is probed again without these lanes.
template <typename T, bool IS_SCALAR>
class ComputeExact {
public:
    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        scalar_ = tiling.scalar;
        top12_ = work_.MaskRow(0, PATTERN_TOP12);
        fraction_ = work_.MaskRow(1, PATTERN_FRACTION);
        magnitude_ = work_.MaskRow(2, ~PATTERN_SIGN);
        sign_ = work_.MaskRow(3, PATTERN_SIGN);
        if constexpr (IS_SCALAR) {
            divisorRow_ = work_.MaskRow(4, FloatBits(scalar_.divisor));
        }
    }

    // float: x2 becomes |x2|.
    __aicore__ inline void Compute(const LocalTensor<T>& y, const LocalTensor<T>& x1, const LocalTensor<T>& x2,
                                   uint32_t length)
    {
        if constexpr (IS_SCALAR) {
            ComputeByScalar(y, x1, length);
        } else {
            ComputeByTensor(y, x1, x2, length);
        }
        Extremes extremes = FirstExtremes();
        if (IsShort(extremes)) {
            return;
        }
        const bool isFinite = extremes.quotient <= FMOD_LARGEST_FLOAT && extremes.dividend <= FMOD_LARGEST_FLOAT &&
                              extremes.divisor > 0.0f; // false for NaN
        if (!isFinite) {
            extremes = FiniteExtremes(x1, x2, length);
        }
        if (!IsShort(extremes)) {
            DivideLong(y, x1, x2, length, RoundsFor(extremes.quotient));
        }
    }

private:
    static constexpr bool IS_FLOAT = IsSameType<T, float>::value;
    static constexpr bool IS_HALF = IsSameType<T, half>::value;
    static constexpr uint32_t QUOTIENT = 0; // results of reductions
    static constexpr uint32_t DIVIDEND = 1;
    static constexpr uint32_t DIVISOR = 2;
    static constexpr uint32_t SCRATCH = 3;
    static constexpr int32_t PATTERN_SIGN = static_cast<int32_t>(IS_FLOAT ? 0x80000000U : 0x80008000U);
    static constexpr float HALF_LIMIT = IS_HALF ? FMOD_HALF_QUOTIENT_LIMIT : FMOD_BFLOAT16_QUOTIENT_LIMIT;
    static constexpr float QUOTIENT_LIMIT = IS_FLOAT ? FMOD_FLOAT_QUOTIENT_LIMIT : HALF_LIMIT;

    // The format of T, and integers of its width.
    using Lane = std::conditional_t<IS_FLOAT, int32_t, int16_t>;
    using Bits = std::conditional_t<IS_FLOAT, uint32_t, uint16_t>;
    using Pattern = std::conditional_t<IS_FLOAT, float, half>; // compares non-negative numbers as their bits
    static constexpr int32_t FRACTION = IS_FLOAT ? FRACTION_BITS : (IS_HALF ? 10 : 7);
    static constexpr int32_t INFINITY_BITS = IS_FLOAT ? 0x7F800000 : (IS_HALF ? 0x7C00 : 0x7F80);
    static constexpr int32_t WIDEN_SHIFT = FRACTION_BITS - FRACTION;
    static constexpr float WIDEN_FACTOR = IS_HALF ? 0x1p112f : 1.0f; // the exponent biases are 15 and 127

    __aicore__ inline void ComputeByTensor(const LocalTensor<T>& y, const LocalTensor<T>& x1, const LocalTensor<T>& x2,
                                           uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        const LocalTensor<float> quotient = work_.template High<float>();
        LocalTensor<float> remainder;
        LocalTensor<float> divisor;
        LocalTensor<float> buffer; // across the bank gap from the divisor
        LocalTensor<float> halves;
        if constexpr (IS_FLOAT) {
            remainder = y;
            divisor = x2;
            buffer = work_.template Low<float>();
            halves = buffer;
        } else {
            remainder = work_.template Low<float>();
            divisor = work_.template Low<float>(sizeof(float));
            buffer = quotient;
            halves = y.template ReinterpretCast<float>(); // every work buffer is taken
        }
        Magnitude(remainder, x1, y, length);
        Magnitude(divisor, x2, y, length);
        Muls(quotient, divisor, -1.0f, count);
        Div(quotient, remainder, quotient, count);
        Reduce<Extreme::MIN>(QUOTIENT, quotient, halves, length);
        if constexpr (!IS_HALF) { // half cannot reach the other two limits
            Reduce<Extreme::MAX>(DIVIDEND, remainder, halves, length);
            Reduce<Extreme::MIN>(DIVISOR, divisor, halves, length);
        }
        if constexpr (IS_FLOAT) {
            const LocalTensor<float> top = work_.template High<float>(sizeof(float));
            const LocalTensor<float> rest = work_.template High<float>(2 * sizeof(float));
            Mins(buffer, divisor, FMOD_LARGEST_FLOAT, count); // 0 * inf must not be NaN
            AndRow(top, buffer, top12_, length);
            Sub(rest, buffer, top, count);
            Cast(quotient, quotient, RoundMode::CAST_RINT, length);
            AndRow(buffer, quotient, top12_, length);
            MulAddDst(remainder, buffer, top, count);
            MulAddDst(remainder, buffer, rest, count);
            Sub(buffer, quotient, buffer, count);
            MulAddDst(remainder, buffer, top, count);
            MulAddDst(remainder, buffer, rest, count);
        } else {
            Mins(divisor, divisor, FMOD_LARGEST_FLOAT, count);
            Cast(quotient, quotient, RoundMode::CAST_RINT, length);
            MulAddDst(remainder, quotient, divisor, count);
        }
        ShiftRight(buffer.template ReinterpretCast<int32_t>(), remainder.template ReinterpretCast<int32_t>(),
                   SIGN_SHIFT, count);
        AndBits(quotient, buffer, divisor, length);
        Add(remainder, remainder, quotient, count);
        Finish(y, remainder, x1, quotient.template ReinterpretCast<T>(), length);
    }

    // No Div: the host has inverted and split the divisor.
    __aicore__ inline void ComputeByScalar(const LocalTensor<T>& y, const LocalTensor<T>& x1, uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        const LocalTensor<float> quotient = work_.template High<float>();
        LocalTensor<float> remainder = work_.template Low<float>();
        LocalTensor<float> buffer = quotient; // across the bank gap from the remainder
        if constexpr (IS_FLOAT) {
            buffer = remainder;
            remainder = y;
        }
        Magnitude(remainder, x1, y, length);
        Reduce<Extreme::MAX>(DIVIDEND, remainder, buffer, length);
        Muls(quotient, remainder, scalar_.reciprocal, count);
        Cast(quotient, quotient, RoundMode::CAST_RINT, length);
        if constexpr (IS_FLOAT) {
            AndRow(buffer, quotient, top12_, length);
            Sub(quotient, quotient, buffer, count);
            Axpy(remainder, buffer, scalar_.top, count);
            Axpy(remainder, buffer, scalar_.rest, count);
            Axpy(remainder, quotient, scalar_.top, count);
            Axpy(remainder, quotient, scalar_.rest, count);
        } else {
            Axpy(remainder, quotient, scalar_.divisor, count);
        }
        ShiftRight(buffer.template ReinterpretCast<int32_t>(), remainder.template ReinterpretCast<int32_t>(),
                   SIGN_SHIFT, count);
        AndRow(buffer, buffer, divisorRow_, length);
        Add(remainder, remainder, buffer, count);
        // 16 bits: the remainder is read before the signs overwrite it.
        Finish(y, remainder, x1, work_.template Low<T>(), length);
    }

    // wide = |narrow|; buffer may be narrow.
    __aicore__ inline void Magnitude(const LocalTensor<float>& wide, const LocalTensor<T>& narrow,
                                     [[maybe_unused]] const LocalTensor<T>& buffer, uint32_t length)
    {
        if constexpr (IS_FLOAT) {
            Abs(wide, narrow, static_cast<int32_t>(length));
        } else {
            AndRow(buffer, narrow, magnitude_, length);
            Cast(wide, buffer, RoundMode::CAST_NONE, length);
        }
    }

    // y = remainder with the sign of x1. Remainders of 16-bit operands are 16-bit numbers, the cast does not round.
    __aicore__ inline void Finish(const LocalTensor<T>& y, const LocalTensor<float>& remainder,
                                  const LocalTensor<T>& x1, const LocalTensor<T>& signs, uint32_t length)
    {
        if constexpr (IS_FLOAT) {
            AndRow(signs, x1, sign_, length);
            OrBits(y, remainder, signs, length);
        } else {
            Cast(y, remainder, RoundMode::CAST_RINT, length);
            AndRow(signs, x1, sign_, length);
            OrBits(y, y, signs, length);
        }
    }

    template <Extreme EXTREME, typename V>
    __aicore__ inline void Reduce(uint32_t result, const LocalTensor<V>& values, const LocalTensor<V>& halves,
                                  uint32_t length)
    {
        ReduceTile<EXTREME>(work_.template Result<V>(result), work_.template Result<V>(SCRATCH), values, halves,
                            length);
    }

    // Of a half tile no more than the quotient, of a tile by a scalar no more than the dividend has been reduced.
    __aicore__ inline Extremes FirstExtremes()
    {
        if constexpr (IS_SCALAR) {
            return OfDividend(work_.template Result<float>(DIVIDEND).GetValue(0));
        } else {
            Extremes extremes{-work_.template Result<float>(QUOTIENT).GetValue(0), 0.0f, FMOD_LARGEST_FLOAT};
            if constexpr (!IS_HALF) {
                extremes.dividend = work_.template Result<float>(DIVIDEND).GetValue(0);
                extremes.divisor = work_.template Result<float>(DIVISOR).GetValue(0);
            }
            return extremes;
        }
    }

    __aicore__ inline Extremes OfDividend(float dividend) const
    {
        return Extremes{dividend / scalar_.divisor, dividend, scalar_.divisor};
    }

    __aicore__ inline bool IsShort(const Extremes& extremes) const
    {
        if constexpr (IS_SCALAR) {
            return extremes.dividend < scalar_.dividendLimit;
        } else {
            const bool isInRange = extremes.dividend < FMOD_DIVIDEND_LIMIT && extremes.divisor >= FMOD_DIVISOR_LIMIT;
            return extremes.quotient < QUOTIENT_LIMIT && (IS_HALF || isInRange);
        }
    }

    // Bounds of the extremes of the lanes with a finite dividend and a divisor that is neither 0 nor NaN. Integer steps
    // turn the bits of the magnitudes into patterns that are small in the other lanes:
    //   a = bits(|x1|) - bits(inf), unsigned / 8: grows with |x1|, almost 0 for infinity and NaN
    //   b = -bits(|x2|), unsigned / 8: falls with |x2|, 0 for 0
    //   a + b: grows with the difference of the exponents
    // All are below the bits of infinity, and so ordered as the floating numbers with the same bits. y is ready.
    __aicore__ inline Extremes FiniteExtremes(const LocalTensor<T>& x1, const LocalTensor<T>& x2, uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        const LocalTensor<Lane> a = work_.template Low<Lane>();
        AndRow(a, x1, magnitude_, length);
        Adds(a, a, static_cast<Lane>(-INFINITY_BITS), count);
        ShiftRight(a.template ReinterpretCast<Bits>(), a.template ReinterpretCast<Bits>(), Bits(PATTERN_SHIFT), count);
        if constexpr (IS_SCALAR) {
            ReducePatterns(DIVIDEND, a, length);
            return OfDividend(LargestDividend());
        } else {
            const LocalTensor<Lane> b = work_.template High<Lane>();
            const LocalTensor<Lane> sum = work_.template High<Lane>(sizeof(Lane));
            AndRow(b, x2, magnitude_, length);
            Muls(b, b, static_cast<Lane>(-1), count);
            ShiftRight(b.template ReinterpretCast<Bits>(), b.template ReinterpretCast<Bits>(), Bits(PATTERN_SHIFT),
                       count);
            Add(sum, a, b, count);
            ReducePatterns(QUOTIENT, sum, length);
            ReducePatterns(DIVIDEND, a, length);
            ReducePatterns(DIVISOR, b, length);
            const int64_t divisor = SmallestDivisor();
            return Extremes{LargestQuotient(divisor), LargestDividend(), Widened(divisor)};
        }
    }

    // Destroys the patterns.
    __aicore__ inline void ReducePatterns(uint32_t result, const LocalTensor<Lane>& patterns, uint32_t length)
    {
        const LocalTensor<Pattern> values = patterns.template ReinterpretCast<Pattern>();
        Reduce<Extreme::MAX>(result, values, values, length);
    }

    __aicore__ inline int64_t PatternOf(uint32_t result)
    {
        return static_cast<int64_t>(work_.template Result<Bits>(result).GetValue(0)) << PATTERN_SHIFT;
    }

    // The number with these bits of T.
    __aicore__ inline float Widened(int64_t bits) const
    {
        return FloatOf(static_cast<int32_t>(bits << WIDEN_SHIFT)) * WIDEN_FACTOR;
    }

    // The shift has dropped PATTERN_REST at most.
    __aicore__ inline float LargestDividend()
    {
        const int64_t bits = PatternOf(DIVIDEND) + PATTERN_REST + INFINITY_BITS - BITS_RANGE;
        return bits < 0 ? 0.0f : Widened(bits); // negative: no dividend is finite
    }

    // Infinity where every divisor is 0 or NaN.
    __aicore__ inline int64_t SmallestDivisor()
    {
        const int64_t bits = BITS_RANGE - PatternOf(DIVISOR) - PATTERN_REST;
        return bits < INFINITY_BITS ? bits : INFINITY_BITS;
    }

    // The bits of x1 and x2 differ by as much as k exponents exactly where x1 / x2 reaches 2^k: the difference, as the
    // bits of a float, has the exponent of the quotient. Subnormal divisors have up to FRACTION exponents less.
    __aicore__ inline float LargestQuotient(int64_t divisor)
    {
        constexpr int64_t one = static_cast<int64_t>(EXPONENT_BIAS) << FRACTION_BITS;
        constexpr int64_t infinity = static_cast<int64_t>(EXPONENT_MASK) << FRACTION_BITS;
        int64_t difference = PatternOf(QUOTIENT) + 2 * PATTERN_REST + INFINITY_BITS - 2 * BITS_RANGE;
        if (divisor < (1 << FRACTION)) {
            difference += FRACTION << FRACTION;
        }
        const int64_t bits = one + difference * (1 << WIDEN_SHIFT);
        if (bits < 0) {
            return 0.0f;
        }
        return FloatOf(static_cast<int32_t>(bits < infinity ? bits : infinity));
    }

    __aicore__ inline void DivideLong(const LocalTensor<T>& y, const LocalTensor<T>& x1, const LocalTensor<T>& x2,
                                      uint32_t length, int32_t rounds)
    {
        constexpr uint32_t operands = 3;
        constexpr uint32_t repeatLength = REPEAT_BYTES / sizeof(float);
        const LocalTensor<float> memory = work_.All();
        const uint32_t chunk = memory.GetSize() / (operands + LongDivision::BUFFERS) / repeatLength * repeatLength;
        const LocalTensor<float> dividend = memory;
        const LocalTensor<float> divisor = memory[chunk];
        const LocalTensor<T> signs = memory[2 * chunk].template ReinterpretCast<T>();
        LongDivision division;
        division.Init(memory[operands * chunk], chunk, top12_, fraction_);
        if constexpr (IS_SCALAR) {
            Duplicate(divisor, scalar_.divisor, static_cast<int32_t>(chunk));
        }
        for (uint32_t begin = 0; begin < length; begin += chunk) {
            const uint32_t left = length - begin;
            const uint32_t part = left < chunk ? left : chunk;
            Magnitude(dividend, x1[begin], y[begin], part);
            if constexpr (!IS_SCALAR) {
                Magnitude(divisor, x2[begin], y[begin], part);
            }
            division.Run(dividend, dividend, divisor, part, rounds);
            Finish(y[begin], dividend, x1[begin], signs, part);
        }
    }

    static constexpr int32_t PATTERN_SHIFT = 3;
    static constexpr int64_t PATTERN_REST = (1 << PATTERN_SHIFT) - 1;
    static constexpr int64_t BITS_RANGE = 1LL << (8 * sizeof(T));

    Work<IS_FLOAT ? FmodCompute::FLOAT_EXACT : FmodCompute::FLOAT16_EXACT, IS_SCALAR> work_;
    FmodScalar scalar_{};
    LocalTensor<int16_t> top12_;
    LocalTensor<int16_t> fraction_;
    LocalTensor<int16_t> magnitude_;
    LocalTensor<int16_t> sign_;
    LocalTensor<int16_t> divisorRow_;
};
} // namespace NsFmod
#endif // FMOD_EXACT_H
