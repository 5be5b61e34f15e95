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
 * \brief The scalar divisor in the forms the kernel's policies take. Pure arithmetic.
 */
#ifndef FMOD_SCALAR_H
#define FMOD_SCALAR_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include "../op_kernel/fmod_tiling_data.h"

namespace optiling {
struct FmodScalarForms {
    float scalar = 0.0f;
    float reciprocal = 0.0f;
    float high = 0.0f;
    float low = 0.0f;
    float probeLimit = 0.0f;
    int32_t integer = -1;
};

inline float FmodTop12(float value)
{
    union {
        float value;
        uint32_t bits;
    } number = {value};
    number.bits &= 0xFFFFF000U;
    return number.value;
}

// quotientLimit: the largest quotient that the short way of the policy takes.
inline FmodScalarForms ExactForms(float divisor, float quotientLimit)
{
    FmodScalarForms forms;
    forms.scalar = std::fabs(divisor);
    forms.reciprocal = -1.0f / forms.scalar;
    forms.high = FmodTop12(forms.scalar);
    forms.low = forms.scalar - forms.high;
    // Outside of this range the reciprocal or a product leaves the normal numbers.
    if (forms.scalar >= 0x1p-100f && forms.scalar <= 0x1p100f) {
        forms.probeLimit = std::min(0x1p127f, quotientLimit * forms.scalar);
    }
    return forms;
}

inline FmodScalarForms ShortForms(int64_t divisor)
{
    FmodScalarForms forms;
    const int64_t magnitude = divisor < 0 ? -divisor : divisor;
    forms.scalar = static_cast<float>(std::max<int64_t>(magnitude, 1)); // x mod 1 = 0 is what a zero divisor gives
    forms.reciprocal = (1.0f / forms.scalar) * (1.0f + 0x1p-22f);
    return forms;
}

inline FmodScalarForms LongForms(int64_t divisor)
{
    FmodScalarForms forms;
    const int64_t negative = divisor < 0 ? divisor : -divisor;
    forms.integer = static_cast<int32_t>(std::min<int64_t>(negative, -1));
    forms.reciprocal = 1.0f / static_cast<float>(forms.integer);
    return forms;
}

inline FmodScalarForms MakeScalarForms(FmodKind kind, bool isHalf, bool exact, float real, int64_t integer)
{
    constexpr float FLOAT_LIMIT = 0x1p21f; // one bit below the tensor form: the reciprocal adds an ulp
    constexpr float HALF_LIMIT = 0x1p12f;
    constexpr float BFLOAT_LIMIT = 0x1p15f;
    if (kind == FmodKind::INT32) {
        return LongForms(integer);
    }
    if (kind == FmodKind::INT16 || kind == FmodKind::INT8) {
        return ShortForms(integer);
    }
    if (exact) {
        const float halfLimit = isHalf ? HALF_LIMIT : BFLOAT_LIMIT;
        return ExactForms(real, kind == FmodKind::FLOAT32 ? FLOAT_LIMIT : halfLimit);
    }
    FmodScalarForms forms;
    forms.scalar = real;
    return forms;
}
} // namespace optiling
#endif // FMOD_SCALAR_H
