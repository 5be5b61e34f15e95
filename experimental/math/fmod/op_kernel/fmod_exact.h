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
// -1 with the most that Muls and a Div which is one ulp off can take from a quotient: 2^-24 and 3 * 2^-24 of it.
constexpr float BIASED_MINUS_ONE = -1.0f + 0x1p-22f;

// Magnitudes that decide how a tile is computed: the largest quotient and dividend, the smallest divisor.
struct Extremes {
    float quotient;
    float dividend;
    float divisor;
};

// r = |x1| - rint(|x1 / x2|) * |x2| by exact steps, one repair, the sign of x1: the short way, exact within the limits
// of fmod_tiling_data.h. Reductions that run before these steps find the tiles beyond a limit, which take the long
// division, and for float the tiles whose quotients need no lower half. Instructions an element: 23 for float, 12
// without the lower halves, 13 for 16 bits; by a scalar 14, 10 and 9.5.
//
// By a tensor of float, quotients below 2^12 truncate. With u = 2^-24, f = floor(|x1| / |x2|), v = |x2| >= 2^-100:
//   The divisor of the quotient is v * (1 - 4u), rounded; Div rounds once and may be an ulp off: the quotient is not
//   below f, since f * (1 + 3u) rounds to an ulp above f or more, and less than f + 2. Its whole part n is f or f + 1.
//   n has 12 bits, as each half of v has: products are exact. |x1| >= f * v makes |x1| a multiple of what its
//   difference from n times the top half needs to fit 24 bits, and the second difference is |x1| - n * v. n = f: this
//   is the remainder. n = f + 1: it is negative, above -v / 2^8, and v more is the remainder. A reduction finds tiles
//   with such an element; their dividends may also be so large that a product is infinite, and then the smallest
//   remainder is no finite number.
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
    using Wide = T;

    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        scalar_ = tiling.scalar;
    }

    // After the first copies have started.
    __aicore__ inline void Prepare()
    {
        top12_ = work_.MaskRow(0, PATTERN_TOP12);
        fraction_ = work_.MaskRow(1, PATTERN_FRACTION);
        magnitude_ = work_.MaskRow(2, ~PATTERN_SIGN);
        sign_ = work_.MaskRow(3, PATTERN_SIGN);
        if constexpr (IS_SCALAR) {
            divisorRow_ = work_.MaskRow(4, FloatBits(scalar_.divisor));
        }
    }

    // float by a tensor: x2 becomes |x2|.
    __aicore__ inline void Compute(const LocalTensor<T>& y, const Operand<T, T>& dividend, const Operand<T, T>& divisor,
                                   uint32_t length)
    {
        const LocalTensor<T> x1 = dividend.tile;
        const LocalTensor<T> x2 = divisor.tile;
        if constexpr (IS_SCALAR) {
            BeginByScalar(y, x1, length);
        } else {
            BeginByTensor(y, x1, x2, length);
        }
        Extremes extremes = FirstExtremes();
        if constexpr (IS_FLOAT && !IS_SCALAR) {
            if (IsNarrow(extremes) && extremes.divisor >= FMOD_DIVISOR_LIMIT) {
                EndNarrow(y, x1, x2, length, extremes);
                return;
            }
            extremes = WidenQuotient(x2, length);
        }
        const bool isFinite = extremes.quotient <= FMOD_LARGEST_FLOAT && extremes.dividend <= FMOD_LARGEST_FLOAT &&
                              extremes.divisor > 0.0f; // false for NaN
        if (!isFinite || IsShort(extremes)) {
            if constexpr (IS_SCALAR) {
                EndByScalar(y, x1, length, IsNarrow(extremes));
            } else {
                EndByTensor(y, x1, x2, length);
            }
        }
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
    static constexpr uint32_t REMAINDER = 3;
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

    // Magnitudes, quotient, probe. What follows the probe here is the same for every tile and keeps the vector unit
    // busy until the scalar unit has read it. buffer is for 16 bits.
    __aicore__ inline void BeginByTensor(const LocalTensor<T>& buffer, const LocalTensor<T>& x1,
                                         const LocalTensor<T>& x2, uint32_t length)
    {
        const LocalTensor<float> dividend = Dividend();
        const LocalTensor<float> divisor = Divisor(x2);
        const LocalTensor<float> quotient = Quotient();
        LocalTensor<float> memory;
        if constexpr (IS_FLOAT) {
            memory = Rest();
        } else {
            memory = buffer.template ReinterpretCast<float>();
        }
        Magnitude(dividend, x1, buffer, length);
        Magnitude(divisor, x2, buffer, length);
        if constexpr (!IS_HALF && !IS_FLOAT) { // half cannot reach this limit, float asks for it later
            Reduce<Extreme::MAX>(DIVIDEND, dividend, memory, length);
        }
        if constexpr (!IS_HALF) {
            Reduce<Extreme::MIN>(DIVISOR, divisor, memory, length);
        }
        Muls(quotient, divisor, IS_FLOAT ? BIASED_MINUS_ONE : -1.0f, length);
        Div(quotient, dividend, quotient, length);
        Reduce<Extreme::MIN>(QUOTIENT, quotient, memory, length);
        SetFlag<HardEvent::V_S>(ProbeEvent());
        Cast(quotient, quotient, IS_FLOAT ? RoundMode::CAST_TRUNC : RoundMode::CAST_RINT, length);
        if constexpr (IS_FLOAT) {
            Mins(Rest(), divisor, FMOD_LARGEST_FLOAT, length); // 0 * inf must not be NaN
            AndRow(Top(), Rest(), top12_, length);
            Sub(Rest(), Rest(), Top(), length);
        } else {
            Mins(divisor, divisor, FMOD_LARGEST_FLOAT, length);
        }
    }

    // Quotients below 2^12 of float: see above.
    __aicore__ inline void EndNarrow(const LocalTensor<float>& y, const LocalTensor<float>& x1,
                                     const LocalTensor<float>& x2, uint32_t length, const Extremes& extremes)
    {
        const LocalTensor<float> remainder = Quotient();
        const LocalTensor<float> signs = Dividend();
        FusedMulAdd(Top(), Quotient(), Dividend(), length);
        FusedMulAdd(remainder, Rest(), Top(), length);
        Reduce<Extreme::MIN>(REMAINDER, remainder, Rest(), length);
        SetFlag<HardEvent::V_S>(ProbeEvent());
        Finish(y, remainder, x1, signs, length);
        WaitFlag<HardEvent::V_S>(ProbeEvent());
        const float least = Smallest(REMAINDER);
        if (!(least >= -FMOD_LARGEST_FLOAT)) {
            DivideLong(y, x1, x2, length, RoundsFor(extremes.quotient));
        } else if (least < 0.0f) {
            Lift(remainder, Top(), Rest(), x2, length);
            OrBits(y, remainder, signs, length);
        }
    }

    // What the narrow form does not ask for, and quotients that have not been truncated.
    __aicore__ inline Extremes WidenQuotient(const LocalTensor<float>& divisor, uint32_t length)
    {
        const LocalTensor<float> quotient = Quotient();
        Reduce<Extreme::MAX>(DIVIDEND, Dividend(), quotient, length);
        Muls(quotient, divisor, -1.0f, length);
        Div(quotient, Dividend(), quotient, length);
        SetFlag<HardEvent::V_S>(ProbeEvent());
        Cast(quotient, quotient, RoundMode::CAST_RINT, length);
        WaitFlag<HardEvent::V_S>(ProbeEvent());
        return Extremes{-Smallest(QUOTIENT), Largest<float>(DIVIDEND), Smallest(DIVISOR)};
    }

    // A negative remainder becomes the divisor more.
    __aicore__ inline void Lift(const LocalTensor<float>& remainder, const LocalTensor<float>& memory,
                                const LocalTensor<float>& lift, const LocalTensor<float>& divisor, uint32_t length)
    {
        ShiftRight(memory.template ReinterpretCast<int32_t>(), remainder.template ReinterpretCast<int32_t>(),
                   SIGN_SHIFT, length);
        AndBits(lift, memory, divisor, length);
        Add(remainder, remainder, lift, length);
    }

    // Two sources of one instruction lie on different sides of the bank gap.
    __aicore__ inline void EndByTensor(const LocalTensor<T>& y, const LocalTensor<T>& x1, const LocalTensor<T>& x2,
                                       uint32_t length)
    {
        const LocalTensor<float> dividend = Dividend();
        const LocalTensor<float> divisor = Divisor(x2);
        const LocalTensor<float> quotient = Quotient();
        LocalTensor<float> low = dividend;
        LocalTensor<float> lift = dividend;
        LocalTensor<float> signs = divisor;
        if constexpr (IS_FLOAT) {
            Abs(y, x1, length); // the upper half of the quotient comes first
            AndRow(dividend, quotient, top12_, length);
            Sub(quotient, quotient, dividend, length);
            MulAddDst(y, dividend, Top(), length);
            FusedMulAdd(dividend, Rest(), y, length);
            FusedMulAdd(Top(), quotient, dividend, length);
            FusedMulAdd(quotient, Rest(), Top(), length); // the remainder
            low = Top();
            signs = dividend;
        } else {
            FusedMulAdd(quotient, divisor, dividend, length); // the remainder
        }
        Lift(quotient, low, lift, divisor, length);
        Finish(y, quotient, x1, signs.template ReinterpretCast<T>(), length);
    }

    // No Div: the host has inverted and split the divisor.
    __aicore__ inline void BeginByScalar(const LocalTensor<T>& y, const LocalTensor<T>& x1, uint32_t length)
    {
        const LocalTensor<float> quotient = work_.template High<float>();
        LocalTensor<float> remainder = work_.template Low<float>();
        LocalTensor<float> memory = quotient;
        if constexpr (IS_FLOAT) {
            memory = remainder;
            remainder = y;
        }
        Magnitude(remainder, x1, y, length);
        Reduce<Extreme::MAX>(DIVIDEND, remainder, memory, length);
        SetFlag<HardEvent::V_S>(ProbeEvent());
        Muls(quotient, remainder, scalar_.reciprocal, length);
        Cast(quotient, quotient, RoundMode::CAST_RINT, length);
    }

    __aicore__ inline void EndByScalar(const LocalTensor<T>& y, const LocalTensor<T>& x1, uint32_t length,
                                       [[maybe_unused]] bool isNarrow)
    {
        const LocalTensor<float> quotient = work_.template High<float>();
        LocalTensor<float> remainder = work_.template Low<float>();
        LocalTensor<float> buffer = quotient; // across the bank gap from the remainder
        if constexpr (IS_FLOAT) {
            buffer = remainder;
            remainder = y;
            if (!isNarrow) { // the upper half of the quotient comes first
                AndRow(buffer, quotient, top12_, length);
                Sub(quotient, quotient, buffer, length);
                Axpy(remainder, buffer, scalar_.top, length);
                Axpy(remainder, buffer, scalar_.rest, length);
            }
            Axpy(remainder, quotient, scalar_.top, length);
            Axpy(remainder, quotient, scalar_.rest, length);
        } else {
            Axpy(remainder, quotient, scalar_.divisor, length);
        }
        ShiftRight(buffer.template ReinterpretCast<int32_t>(), remainder.template ReinterpretCast<int32_t>(),
                   SIGN_SHIFT, length);
        AndRow(buffer, buffer, divisorRow_, length);
        Add(remainder, remainder, buffer, length);
        // 16 bits: the remainder is read before the signs overwrite it.
        Finish(y, remainder, x1, work_.template Low<T>(), length);
    }

    // Work memory by a tensor. float: the divisor is x2; x2 and these lie high, the others low: dividend, rest.
    // 16 bits: the dividend lies low, the others high.
    __aicore__ inline LocalTensor<float> Dividend()
    {
        if constexpr (IS_FLOAT) {
            return work_.template High<float>();
        } else {
            return work_.template Low<float>();
        }
    }

    __aicore__ inline LocalTensor<float> Divisor([[maybe_unused]] const LocalTensor<T>& x2)
    {
        if constexpr (IS_FLOAT) {
            return x2;
        } else {
            return work_.template High<float>();
        }
    }

    __aicore__ inline LocalTensor<float> Quotient()
    {
        if constexpr (IS_FLOAT) {
            return work_.template Low<float>();
        } else {
            return work_.template High<float>(sizeof(float));
        }
    }

    // Halves of the divisor of float.
    __aicore__ inline LocalTensor<float> Top() { return work_.template Low<float>(sizeof(float)); }
    __aicore__ inline LocalTensor<float> Rest() { return work_.template High<float>(sizeof(float)); }

    // wide = |narrow|; buffer may be narrow.
    __aicore__ inline void Magnitude(const LocalTensor<float>& wide, const LocalTensor<T>& narrow,
                                     [[maybe_unused]] const LocalTensor<T>& buffer, uint32_t length)
    {
        if constexpr (IS_FLOAT) {
            Abs(wide, narrow, length);
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
    __aicore__ inline void Reduce(uint32_t result, const LocalTensor<V>& values, const LocalTensor<V>& memory,
                                  uint32_t length)
    {
        ReduceTile<EXTREME>(work_.template Result<V>(result), memory, values, length);
    }

    // Of a half tile no more than the quotient, of a tile by a scalar no more than the dividend has been reduced.
    __aicore__ inline Extremes FirstExtremes()
    {
        WaitFlag<HardEvent::V_S>(ProbeEvent());
        if constexpr (IS_SCALAR) {
            return OfDividend(Largest<float>(DIVIDEND));
        } else {
            Extremes extremes{-Smallest(QUOTIENT), 0.0f, FMOD_LARGEST_FLOAT};
            if constexpr (!IS_HALF && !IS_FLOAT) {
                extremes.dividend = Largest<float>(DIVIDEND);
            }
            if constexpr (!IS_HALF) {
                extremes.divisor = Smallest(DIVISOR);
            }
            return extremes;
        }
    }

    template <typename V>
    __aicore__ inline V Largest(uint32_t result)
    {
        return LargestOf(work_.template Result<V>(result));
    }

    __aicore__ inline float Smallest(uint32_t result) { return SmallestOf(work_.template Result<float>(result)); }

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

    // Whether 12 bits hold every quotient. false for NaN.
    __aicore__ inline bool IsNarrow([[maybe_unused]] const Extremes& extremes) const
    {
        if constexpr (IS_SCALAR) {
            constexpr float narrow = FMOD_FLOAT_NARROW_LIMIT / FMOD_FLOAT_SCALAR_QUOTIENT_LIMIT;
            return extremes.dividend < scalar_.dividendLimit * narrow;
        } else {
            return extremes.quotient < FMOD_FLOAT_NARROW_LIMIT;
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
        const LocalTensor<Lane> a = work_.template Low<Lane>();
        AndRow(a, x1, magnitude_, length);
        Adds(a, a, static_cast<Lane>(-INFINITY_BITS), length);
        ShiftRight(a.template ReinterpretCast<Bits>(), a.template ReinterpretCast<Bits>(), Bits(PATTERN_SHIFT), length);
        if constexpr (IS_SCALAR) {
            ReducePatterns(DIVIDEND, a, work_.template High<Lane>(), length);
            SetFlag<HardEvent::V_S>(ProbeEvent());
            WaitFlag<HardEvent::V_S>(ProbeEvent());
            return OfDividend(LargestDividend());
        } else {
            const LocalTensor<Lane> b = work_.template High<Lane>();
            const LocalTensor<Lane> sum = work_.template High<Lane>(sizeof(float));
            AndRow(b, x2, magnitude_, length);
            Muls(b, b, static_cast<Lane>(-1), length);
            ShiftRight(b.template ReinterpretCast<Bits>(), b.template ReinterpretCast<Bits>(), Bits(PATTERN_SHIFT),
                       length);
            Add(sum, a, b, length);
            const LocalTensor<Lane> memory = work_.template Low<Lane>(sizeof(Lane));
            ReducePatterns(QUOTIENT, sum, memory, length);
            ReducePatterns(DIVIDEND, a, memory, length);
            ReducePatterns(DIVISOR, b, memory, length);
            SetFlag<HardEvent::V_S>(ProbeEvent());
            WaitFlag<HardEvent::V_S>(ProbeEvent());
            const int64_t divisor = SmallestDivisor();
            return Extremes{LargestQuotient(divisor), LargestDividend(), Widened(divisor)};
        }
    }

    __aicore__ inline void ReducePatterns(uint32_t result, const LocalTensor<Lane>& patterns,
                                          const LocalTensor<Lane>& memory, uint32_t length)
    {
        Reduce<Extreme::MAX>(result, patterns.template ReinterpretCast<Pattern>(),
                             memory.template ReinterpretCast<Pattern>(), length);
    }

    __aicore__ inline int64_t PatternOf(uint32_t result)
    {
        return static_cast<int64_t>(Largest<Bits>(result)) << PATTERN_SHIFT;
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

    Work<IS_FLOAT ? FmodFormula::FLOAT_EXACT : FmodFormula::FLOAT16_EXACT, IS_SCALAR> work_;
    FmodScalar scalar_{};
    LocalTensor<int16_t> top12_;
    LocalTensor<int16_t> fraction_;
    LocalTensor<int16_t> magnitude_;
    LocalTensor<int16_t> sign_;
    LocalTensor<int16_t> divisorRow_;
};
} // namespace NsFmod
#endif // FMOD_EXACT_H
