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
 * \file fmod_policy_exact_half.h
 * \brief fmod of half and bfloat16 tensors, bit for bit as C fmodf on the widened operands.
 */
#ifndef FMOD_POLICY_EXACT_HALF_H
#define FMOD_POLICY_EXACT_HALF_H

#include "fmod_policy_exact.h"

namespace NsFmod {
constexpr int32_t PATTERN_MAGNITUDE16 = 0x7FFF7FFF;
constexpr int32_t PATTERN_SIGN16 = static_cast<int32_t>(0x80008000U);

// A divisor of 11 (half) or 8 (bfloat16) significant bits times a quotient below this is exact in fp32 without
// splitting.
template <typename T>
__aicore__ inline constexpr float HalfQuotientLimit()
{
    return IsSameType<T, half>::value ? 0x1p12f : 0x1p15f;
}

// What the tensor and the scalar form share: magnitudes in, sign and narrowing out.
template <typename T, uint32_t LOW, uint32_t HIGH>
class ExactHalfWork : public ExactWork<LOW, HIGH> {
public:
    __aicore__ inline void InitHalfMasks(TPipe& pipe)
    {
        this->InitMasks(pipe);
        magnitude_.Init(this->MaskRows(3), PATTERN_MAGNITUDE16);
        sign16_.Init(this->MaskRows(4), PATTERN_SIGN16);
    }
    // wide = |narrow| through a 16-bit buffer, which may be narrow itself
    __aicore__ inline void WidenMagnitude(const LocalTensor<float>& wide, const LocalTensor<T>& buffer,
                                          const LocalTensor<T>& narrow, const LocalTensor<int16_t>& row,
                                          uint32_t length)
    {
        AndRow(buffer, narrow, row, length);
        Cast(wide, buffer, RoundMode::CAST_NONE, length);
    }
    // y = remainder with the sign of x1; remainders of 16-bit operands are 16-bit numbers, the cast does not round.
    __aicore__ inline void NarrowSigned(const LocalTensor<T>& y, const LocalTensor<float>& remainder,
                                        const LocalTensor<T>& x1Low, const LocalTensor<T>& signs, uint32_t length)
    {
        Cast(y, remainder, RoundMode::CAST_RINT, length);
        AndRow(signs, x1Low, sign16_.ForLow(), length);
        OrBits(y, y, signs, length);
    }
    MaskRow magnitude_;
    MaskRow sign16_;
};

// 13 fp32 instructions, those on 16-bit lanes counted half.
template <typename T>
class ExactHalf {
public:
    __aicore__ inline void Init(TPipe& pipe, [[maybe_unused]] const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
    }
    __aicore__ inline void InitConst(TPipe& pipe) { work_.InitHalfMasks(pipe); }

    __aicore__ inline void Tensor(const LocalTensor<T>& yLow, const LocalTensor<T>& x1Low, const LocalTensor<T>& x2High,
                                  uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        const LocalTensor<float> remainderLow = work_.template Low<float>();
        const LocalTensor<float> divisorLow = work_.template Low<float>(sizeof(float));
        const LocalTensor<float> quotientHigh = work_.template High<float>();
        work_.WidenMagnitude(remainderLow, yLow, x1Low, work_.magnitude_.ForLow(), length);
        work_.WidenMagnitude(divisorLow, yLow, x2High, work_.magnitude_.ForHigh(), length);
        Muls(quotientHigh, divisorLow, -1.0f, count);
        Div(quotientHigh, remainderLow, quotientHigh, count);
        // The reductions halve into a copy: every work buffer is taken.
        const LocalTensor<float> halves = yLow.template ReinterpretCast<float>();
        TileExtreme<false>(work_.Scratch(QUOTIENT), work_.Scratch(SCRATCH), quotientHigh, halves, length);
        if constexpr (!IsSameType<T, half>::value) { // half cannot reach the other two limits
            TileExtreme<true>(work_.Scratch(DIVIDEND), work_.Scratch(SCRATCH), remainderLow, halves, length);
            TileExtreme<false>(work_.Scratch(DIVISOR), work_.Scratch(SCRATCH), divisorLow, halves, length);
        }
        probe_.Send();

        Mins(divisorLow, divisorLow, LARGEST_FLOAT, count); // 0 * inf must not be NaN
        Cast(quotientHigh, quotientHigh, RoundMode::CAST_RINT, length);
        MulAddDst(remainderLow, quotientHigh, divisorLow, count);
        ShiftRight(quotientHigh.template ReinterpretCast<int32_t>(), remainderLow.template ReinterpretCast<int32_t>(),
                   SIGN_SHIFT, count);
        AndBits(quotientHigh, quotientHigh, divisorLow, length);
        Add(remainderLow, remainderLow, quotientHigh, count);
        const LocalTensor<T> signsHigh = quotientHigh.template ReinterpretCast<T>();
        work_.NarrowSigned(yLow, remainderLow, x1Low, signsHigh, length);

        probe_.Receive();
        const float quotient = -work_.Scratch(QUOTIENT).GetValue(0);
        bool isShort = quotient < HalfQuotientLimit<T>();
        if constexpr (!IsSameType<T, half>::value) {
            isShort = isShort && work_.Scratch(DIVIDEND).GetValue(0) < EXACT_DIVIDEND_LIMIT &&
                      work_.Scratch(DIVISOR).GetValue(0) >= EXACT_DIVISOR_LIMIT;
        }
        if (!isShort) { // also when a NaN has hidden the extremes
            DivideLong(yLow, x1Low, x2High, length, RoundsFor(quotient));
        }
    }

private:
    static constexpr uint32_t QUOTIENT = 0;
    static constexpr uint32_t DIVIDEND = 1;
    static constexpr uint32_t DIVISOR = 2;
    static constexpr uint32_t SCRATCH = 4;

    __aicore__ inline void DivideLong(const LocalTensor<T>& y, const LocalTensor<T>& x1, const LocalTensor<T>& x2,
                                      uint32_t length, int32_t rounds)
    {
        constexpr uint32_t OPERANDS = 2;
        LongDivision division;
        const uint32_t chunk = work_.InitLongDivision(division, true, false, OPERANDS);
        const LocalTensor<float> memory = work_.Region(true, false);
        const LocalTensor<float> dividend = memory;
        const LocalTensor<float> divisor = memory[chunk];
        const LocalTensor<T> signs = work_.template High<T>();
        for (uint32_t begin = 0; begin < length; begin += chunk) {
            const uint32_t left = length - begin;
            const uint32_t part = left < chunk ? left : chunk;
            work_.WidenMagnitude(dividend, y[begin], x1[begin], work_.magnitude_.ForLow(), part);
            work_.WidenMagnitude(divisor, y[begin], x2[begin], work_.magnitude_.ForHigh(), part);
            division.Run(dividend, dividend, divisor, part, rounds);
            work_.NarrowSigned(y[begin], dividend, x1[begin], signs, part);
        }
    }

    static constexpr FmodWork BYTES = FmodWorkBytes(FmodKind::FLOAT16, true, false, false);
    ExactHalfWork<T, BYTES.low, BYTES.high> work_;
    Probe probe_;
};

// 9.5 fp32 instructions.
template <typename T>
class ExactHalfScalar {
public:
    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        divisor_ = tiling.scalar;
        reciprocal_ = tiling.reciprocal;
        limit_ = tiling.probeLimit;
    }
    __aicore__ inline void InitConst(TPipe& pipe)
    {
        work_.InitHalfMasks(pipe);
        divisorRow_.Init(work_.MaskRows(5), FloatBits(divisor_));
    }

    __aicore__ inline void Scalar(const LocalTensor<T>& yHigh, const LocalTensor<T>& x1Low, uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        const LocalTensor<float> remainderLow = work_.template Low<float>();
        const LocalTensor<float> quotientHigh = work_.template High<float>();
        work_.WidenMagnitude(remainderLow, yHigh, x1Low, work_.magnitude_.ForLow(), length);
        TileExtreme<true>(work_.Scratch(DIVIDEND), work_.Scratch(SCRATCH), remainderLow, quotientHigh, length);
        probe_.Send();
        Muls(quotientHigh, remainderLow, reciprocal_, count); // -1 / |scalar|
        Cast(quotientHigh, quotientHigh, RoundMode::CAST_RINT, length);
        Axpy(remainderLow, quotientHigh, divisor_, count);
        ShiftRight(quotientHigh.template ReinterpretCast<int32_t>(), remainderLow.template ReinterpretCast<int32_t>(),
                   SIGN_SHIFT, count);
        AndRow(quotientHigh, quotientHigh, divisorRow_.ForHigh(), length);
        Add(remainderLow, remainderLow, quotientHigh, count);
        const LocalTensor<T> signsLow = remainderLow.template ReinterpretCast<T>(); // read before it is overwritten
        work_.NarrowSigned(yHigh, remainderLow, x1Low, signsLow, length);

        probe_.Receive();
        const float dividend = work_.Scratch(DIVIDEND).GetValue(0);
        if (!(dividend < limit_)) {
            DivideLong(yHigh, x1Low, length, dividend);
        }
    }

private:
    static constexpr uint32_t DIVIDEND = 0;
    static constexpr uint32_t SCRATCH = 4;

    __aicore__ inline void DivideLong(const LocalTensor<T>& y, const LocalTensor<T>& x1, uint32_t length,
                                      float largestDividend)
    {
        constexpr uint32_t OPERANDS = 3; // dividend, divisor and a 16-bit buffer
        LongDivision division;
        const uint32_t chunk = work_.InitLongDivision(division, true, true, OPERANDS);
        const LocalTensor<float> dividend = work_.Region(true, true);
        const LocalTensor<float> divisor = dividend[chunk];
        const LocalTensor<T> signs = dividend[2 * chunk].template ReinterpretCast<T>();
        Duplicate(divisor, divisor_, static_cast<int32_t>(chunk));
        const int32_t rounds = RoundsFor(largestDividend / divisor_);
        for (uint32_t begin = 0; begin < length; begin += chunk) {
            const uint32_t left = length - begin;
            const uint32_t part = left < chunk ? left : chunk;
            work_.WidenMagnitude(dividend, y[begin], x1[begin], work_.magnitude_.ForLow(), part);
            division.Run(dividend, dividend, divisor, part, rounds);
            work_.NarrowSigned(y[begin], dividend, x1[begin], signs, part);
        }
    }

    static constexpr FmodWork BYTES = FmodWorkBytes(FmodKind::FLOAT16, true, true, false);
    ExactHalfWork<T, BYTES.low, BYTES.high> work_;
    MaskRow divisorRow_;
    Probe probe_;
    float divisor_ = 1.0f;
    float reciprocal_ = -1.0f;
    float limit_ = 0.0f;
};
} // namespace NsFmod
#endif // FMOD_POLICY_EXACT_HALF_H
