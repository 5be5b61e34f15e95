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
 * \file fmod_scalar.h
 * \brief The scalar divisor in the forms the kernel's compute classes take. Pure arithmetic.
 */
#ifndef FMOD_SCALAR_H
#define FMOD_SCALAR_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include "../op_kernel/fmod_tiling_data.h"

namespace optiling {
inline float FmodTop12(float value)
{
    union {
        float number;
        uint32_t bits;
    } word{value};
    word.bits &= 0xFFFFF000U;
    return word.number;
}

// quotientLimit: the largest quotient that the short way takes.
inline FmodScalar ExactScalar(float divisor, float quotientLimit)
{
    const bool isInvalid = divisor == 0.0f || std::isnan(divisor);
    const float magnitude = isInvalid ? NAN : std::fabs(divisor);
    FmodScalar scalar{};
    scalar.reciprocal = -1.0f / magnitude;
    scalar.divisor = std::isinf(magnitude) ? FMOD_LARGEST_FLOAT : magnitude; // its quotients are 0 by the reciprocal
    scalar.top = FmodTop12(scalar.divisor);
    scalar.rest = scalar.divisor - scalar.top;
    if (isInvalid || std::isinf(magnitude)) {
        scalar.dividendLimit = INFINITY; // every result is NaN, or the dividend
    } else if (magnitude >= 0x1p-100f && magnitude <= 0x1p100f) {
        scalar.dividendLimit = quotientLimit * magnitude; // below FMOD_DIVIDEND_LIMIT
    } // else the reciprocal or a product leaves the normal numbers: the long way for all
    return scalar;
}

// int8 and int16
inline FmodScalar ShortScalar(int64_t divisor)
{
    constexpr int64_t BEYOND = 49152; // leaves every dividend as it is, and half can hold it
    const int64_t magnitude = std::abs(std::clamp(divisor, -BEYOND, BEYOND));
    FmodScalar scalar{};
    scalar.divisor = static_cast<float>(std::max<int64_t>(magnitude, 1)); // x mod 1 = 0 is what a zero divisor gives
    scalar.reciprocal = (1.0f / scalar.divisor) * (1.0f + 0x1p-22f);
    return scalar;
}

inline FmodScalar Int32Scalar(int64_t divisor)
{
    const int64_t negative = divisor < 0 ? divisor : -divisor;
    FmodScalar scalar{};
    scalar.negative = static_cast<int32_t>(std::min<int64_t>(negative, -1));
    scalar.reciprocal = 1.0f / static_cast<float>(scalar.negative);
    return scalar;
}

// isHalf tells half from bfloat16.
inline FmodScalar MakeScalar(FmodFormula compute, bool isHalf, float real, int64_t integer)
{
    switch (compute) {
        case FmodFormula::FLOAT_EXACT:
            return ExactScalar(real, FMOD_FLOAT_SCALAR_QUOTIENT_LIMIT);
        case FmodFormula::FLOAT16_EXACT:
            return ExactScalar(real, isHalf ? FMOD_HALF_QUOTIENT_LIMIT : FMOD_BFLOAT16_QUOTIENT_LIMIT);
        case FmodFormula::INT32:
            return Int32Scalar(integer);
        case FmodFormula::INT16:
        case FmodFormula::INT8:
            return ShortScalar(integer);
        default: {
            FmodScalar scalar{};
            scalar.divisor = real;
            return scalar;
        }
    }
}
} // namespace optiling
#endif // FMOD_SCALAR_H
