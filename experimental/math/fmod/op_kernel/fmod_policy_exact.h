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
 * \file fmod_policy_exact.h
 * \brief fmod of fp32 tensors bit for bit as C fmodf.
 */
#ifndef FMOD_POLICY_EXACT_H
#define FMOD_POLICY_EXACT_H

#include "fmod_long_division.h"
#include "fmod_probe.h"

namespace NsFmod {
constexpr float EXACT_QUOTIENT_LIMIT = 0x1p22f;  // below it one rounded quotient and one repair are exact
constexpr float EXACT_DIVIDEND_LIMIT = 0x1p127f; // from here on rint(q) * y may overflow
constexpr float EXACT_DIVISOR_LIMIT = 0x1p-100f; // below it Div may meet subnormal numbers
constexpr float LARGEST_FLOAT = 0x1.fffffep+127f;

// Words that all exact policies keep in UB.
template <uint32_t LOW, uint32_t HIGH>
class ExactWork : public Work<LOW, HIGH> {
public:
    __aicore__ inline void InitMasks(TPipe& pipe)
    {
        this->InitConst(pipe);
        top12_.Init(this->MaskRows(0), PATTERN_TOP12);
        fraction_.Init(this->MaskRows(1), PATTERN_FRACTION);
        sign_.Init(this->MaskRows(2), PATTERN_SIGN);
    }
    // Elements of one pass of the long division in the given memory.
    __aicore__ inline uint32_t InitLongDivision(LongDivision& division, bool low, bool high, uint32_t extraBuffers)
    {
        const LocalTensor<float> memory = this->Region(low, high);
        const uint32_t chunk = memory.GetSize() / (LongDivision::BUFFERS + extraBuffers) / REPEAT_FLOATS *
                               REPEAT_FLOATS;
        division.Init(memory[extraBuffers * chunk], chunk, top12_, fraction_);
        return chunk;
    }
    MaskRow top12_;
    MaskRow fraction_;
    MaskRow sign_;
};

// 19 instructions while |x / y| < 2^22: r = |x| - rint(|x / y|) * |y| in four exact steps over 12-bit halves, one
// repair, the sign of x. Three reductions find the tiles that need more, which repeat from the untouched operands.
class ExactFloat {
public:
    __aicore__ inline void Init(TPipe& pipe, [[maybe_unused]] const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
    }
    __aicore__ inline void InitConst(TPipe& pipe) { work_.InitMasks(pipe); }

    // x2 becomes |x2|.
    __aicore__ inline void Tensor(const LocalTensor<float>& yLow, const LocalTensor<float>& x1Low,
                                  const LocalTensor<float>& x2High, uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        const LocalTensor<float> bufferLow = work_.Low<float>();
        const LocalTensor<float> quotientHigh = work_.High<float>();
        const LocalTensor<float> divisorTopHigh = work_.High<float>(sizeof(float));
        const LocalTensor<float> divisorRestHigh = work_.High<float>(2 * sizeof(float));
        Abs(yLow, x1Low, count);
        Abs(x2High, x2High, count);
        Muls(quotientHigh, x2High, -1.0f, count);
        Div(quotientHigh, yLow, quotientHigh, count);
        TileExtreme<false>(work_.Scratch(QUOTIENT), work_.Scratch(SCRATCH), quotientHigh, bufferLow, length);
        TileExtreme<true>(work_.Scratch(DIVIDEND), work_.Scratch(SCRATCH), yLow, bufferLow, length);
        TileExtreme<false>(work_.Scratch(DIVISOR), work_.Scratch(SCRATCH), x2High, bufferLow, length);
        probe_.Send();

        Mins(bufferLow, x2High, LARGEST_FLOAT, count); // 0 * inf must not be NaN
        AndRow(divisorTopHigh, bufferLow, work_.top12_.ForLow(), length);
        Sub(divisorRestHigh, bufferLow, divisorTopHigh, count);
        Cast(quotientHigh, quotientHigh, RoundMode::CAST_RINT, length);
        AndRow(bufferLow, quotientHigh, work_.top12_.ForHigh(), length);
        MulAddDst(yLow, bufferLow, divisorTopHigh, count);
        MulAddDst(yLow, bufferLow, divisorRestHigh, count);
        Sub(bufferLow, quotientHigh, bufferLow, count);
        MulAddDst(yLow, bufferLow, divisorTopHigh, count);
        MulAddDst(yLow, bufferLow, divisorRestHigh, count);
        ShiftRight(bufferLow.ReinterpretCast<int32_t>(), yLow.ReinterpretCast<int32_t>(), SIGN_SHIFT, count);
        AndBits(quotientHigh, bufferLow, x2High, length);
        Add(yLow, yLow, quotientHigh, count);

        probe_.Receive();
        const float quotient = -work_.Scratch(QUOTIENT).GetValue(0);
        const bool isShort = quotient < EXACT_QUOTIENT_LIMIT &&
                             work_.Scratch(DIVIDEND).GetValue(0) < EXACT_DIVIDEND_LIMIT &&
                             work_.Scratch(DIVISOR).GetValue(0) >= EXACT_DIVISOR_LIMIT;
        if (!isShort) { // also when a NaN has hidden the extremes
            DivideLong(yLow, x1Low, x2High, length, RoundsFor(quotient));
        }
        AndRow(quotientHigh, x1Low, work_.sign_.ForLow(), length);
        OrBits(yLow, yLow, quotientHigh, length);
    }

private:
    static constexpr uint32_t QUOTIENT = 0;
    static constexpr uint32_t DIVIDEND = 1;
    static constexpr uint32_t DIVISOR = 2;
    static constexpr uint32_t SCRATCH = 4;

    __aicore__ inline void DivideLong(const LocalTensor<float>& y, const LocalTensor<float>& x1,
                                      const LocalTensor<float>& x2, uint32_t length, int32_t rounds)
    {
        LongDivision division;
        const uint32_t chunk = work_.InitLongDivision(division, false, true, 0);
        for (uint32_t begin = 0; begin < length; begin += chunk) {
            const uint32_t left = length - begin;
            const uint32_t part = left < chunk ? left : chunk;
            const LocalTensor<float> dividend = y[begin];
            Abs(dividend, x1[begin], static_cast<int32_t>(part));
            division.Run(y[begin], dividend, x2[begin], part, rounds);
        }
    }

    static constexpr FmodWork BYTES = FmodWorkBytes(FmodKind::FLOAT32, true, false, false);
    ExactWork<BYTES.low, BYTES.high> work_;
    Probe probe_;
};

// 14 instructions without a Div while |x| < probeLimit. The host has split |scalar| and inverted it; probeLimit is 0
// for divisors whose reciprocal is not a normal number of full precision.
class ExactFloatScalar {
public:
    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        divisor_ = tiling.scalar;
        reciprocal_ = tiling.reciprocal;
        top_ = tiling.scalarHigh;
        rest_ = tiling.scalarLow;
        limit_ = tiling.probeLimit;
    }
    __aicore__ inline void InitConst(TPipe& pipe)
    {
        work_.InitMasks(pipe);
        divisorRow_.Init(work_.MaskRows(3), FloatBits(divisor_));
    }

    __aicore__ inline void Scalar(const LocalTensor<float>& yHigh, const LocalTensor<float>& x1Low, uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        const LocalTensor<float> bufferLow = work_.Low<float>();
        const LocalTensor<float> quotientHigh = work_.High<float>();
        Abs(yHigh, x1Low, count);
        TileExtreme<true>(work_.Scratch(DIVIDEND), work_.Scratch(SCRATCH), yHigh, bufferLow, length);
        probe_.Send();
        Muls(quotientHigh, yHigh, reciprocal_, count); // -1 / |scalar|
        Cast(quotientHigh, quotientHigh, RoundMode::CAST_RINT, length);
        AndRow(bufferLow, quotientHigh, work_.top12_.ForHigh(), length);
        Sub(quotientHigh, quotientHigh, bufferLow, count);
        Axpy(yHigh, bufferLow, top_, count);
        Axpy(yHigh, bufferLow, rest_, count);
        Axpy(yHigh, quotientHigh, top_, count);
        Axpy(yHigh, quotientHigh, rest_, count);
        ShiftRight(bufferLow.ReinterpretCast<int32_t>(), yHigh.ReinterpretCast<int32_t>(), SIGN_SHIFT, count);
        AndRow(bufferLow, bufferLow, divisorRow_.ForLow(), length);
        Add(yHigh, yHigh, bufferLow, count);

        probe_.Receive();
        const float dividend = work_.Scratch(DIVIDEND).GetValue(0);
        if (!(dividend < limit_)) {
            DivideLong(yHigh, x1Low, length, dividend);
        }
        AndRow(bufferLow, x1Low, work_.sign_.ForLow(), length);
        OrBits(yHigh, yHigh, bufferLow, length);
    }

private:
    static constexpr uint32_t DIVIDEND = 0;
    static constexpr uint32_t SCRATCH = 4;

    __aicore__ inline void DivideLong(const LocalTensor<float>& y, const LocalTensor<float>& x1, uint32_t length,
                                      float largestDividend)
    {
        LongDivision division;
        const uint32_t chunk = work_.InitLongDivision(division, true, true, 1);
        const LocalTensor<float> divisor = work_.Region(true, true);
        Duplicate(divisor, divisor_, static_cast<int32_t>(chunk));
        const int32_t rounds = RoundsFor(largestDividend / divisor_);
        for (uint32_t begin = 0; begin < length; begin += chunk) {
            const uint32_t left = length - begin;
            const uint32_t part = left < chunk ? left : chunk;
            const LocalTensor<float> dividend = y[begin];
            Abs(dividend, x1[begin], static_cast<int32_t>(part));
            division.Run(y[begin], dividend, divisor, part, rounds);
        }
    }

    static constexpr FmodWork BYTES = FmodWorkBytes(FmodKind::FLOAT32, true, true, false);
    ExactWork<BYTES.low, BYTES.high> work_;
    MaskRow divisorRow_;
    Probe probe_;
    float divisor_ = 1.0f;
    float reciprocal_ = -1.0f;
    float top_ = 1.0f;
    float rest_ = 0.0f;
    float limit_ = 0.0f;
};
} // namespace NsFmod
#endif // FMOD_POLICY_EXACT_H
