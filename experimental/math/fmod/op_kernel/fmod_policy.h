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
 * \file fmod_policy.h
 * \brief Which arithmetic a data type and a precision get.
 */
#ifndef FMOD_POLICY_H
#define FMOD_POLICY_H

#include "fmod_policy_exact.h"
#include "fmod_policy_exact_half.h"
#include "fmod_policy_int.h"
#include "fmod_policy_tbe.h"
#include "fmod_tiling_key.h"

namespace NsFmod {
template <typename T, uint32_t PRECISION, bool IS_SCALAR, bool IS_ROWS>
struct PolicyOf; // a data type without a policy does not compile

template <bool IS_SCALAR, bool IS_ROWS>
struct PolicyOf<float, FMOD_PRECISION_TBE, IS_SCALAR, IS_ROWS> {
    using Type = TbeFloat<IS_SCALAR, IS_ROWS>;
};
template <bool IS_SCALAR, bool IS_ROWS>
struct PolicyOf<half, FMOD_PRECISION_TBE, IS_SCALAR, IS_ROWS> {
    using Type = TbeHalf<half, IS_SCALAR>;
};
template <bool IS_SCALAR, bool IS_ROWS>
struct PolicyOf<bfloat16_t, FMOD_PRECISION_TBE, IS_SCALAR, IS_ROWS> {
    using Type = TbeHalf<bfloat16_t, IS_SCALAR>;
};
template <bool IS_ROWS>
struct PolicyOf<float, FMOD_PRECISION_EXACT, false, IS_ROWS> {
    using Type = ExactFloat;
};
template <bool IS_ROWS>
struct PolicyOf<float, FMOD_PRECISION_EXACT, true, IS_ROWS> {
    using Type = ExactFloatScalar;
};
template <bool IS_ROWS>
struct PolicyOf<half, FMOD_PRECISION_EXACT, false, IS_ROWS> {
    using Type = ExactHalf<half>;
};
template <bool IS_ROWS>
struct PolicyOf<half, FMOD_PRECISION_EXACT, true, IS_ROWS> {
    using Type = ExactHalfScalar<half>;
};
template <bool IS_ROWS>
struct PolicyOf<bfloat16_t, FMOD_PRECISION_EXACT, false, IS_ROWS> {
    using Type = ExactHalf<bfloat16_t>;
};
template <bool IS_ROWS>
struct PolicyOf<bfloat16_t, FMOD_PRECISION_EXACT, true, IS_ROWS> {
    using Type = ExactHalfScalar<bfloat16_t>;
};
// Integers are exact in either precision.
template <uint32_t PRECISION, bool IS_SCALAR, bool IS_ROWS>
struct PolicyOf<int16_t, PRECISION, IS_SCALAR, IS_ROWS> {
    using Type = IntegerShort<IS_SCALAR>;
};
template <uint32_t PRECISION, bool IS_SCALAR, bool IS_ROWS>
struct PolicyOf<int32_t, PRECISION, IS_SCALAR, IS_ROWS> {
    using Type = IntegerLong<IS_SCALAR>;
};
template <uint32_t PRECISION, bool IS_SCALAR, bool IS_ROWS>
struct PolicyOf<int8_t, PRECISION, IS_SCALAR, IS_ROWS> {
    using Type = IntegerByte<int8_t, IS_SCALAR>;
};
template <uint32_t PRECISION, bool IS_SCALAR, bool IS_ROWS>
struct PolicyOf<uint8_t, PRECISION, IS_SCALAR, IS_ROWS> {
    using Type = IntegerByte<uint8_t, IS_SCALAR>;
};
} // namespace NsFmod
#endif // FMOD_POLICY_H
