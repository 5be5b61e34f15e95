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
 * \file fmod.h
 * \brief L0 interface of Fmod: self - trunc(self / other) * other.
 */
#ifndef OP_API_INC_LEVEL0_FMOD_H_
#define OP_API_INC_LEVEL0_FMOD_H_

#include "opdev/op_executor.h"

namespace l0op {
// The divisor of a call without a divisor tensor: real for floating tensors, integer for integral ones.
struct FmodDivisor {
    float real;
    int64_t integer;
};

// Axes of out, and the element strides of every tensor along them; 0 where a tensor is broadcast.
struct FmodLayout {
    const aclIntArray* shape;
    const aclIntArray* selfStride;
    const aclIntArray* otherStride;
    const aclIntArray* outStride;
};

// self, other (nullptr: divisor) and out have one data type. Without a layout they are contiguous and out has the
// broadcast shape; with one they are flat, and elements are read and written where they lie. The AI CPU computes DOUBLE
// and INT64, which need an other and no layout. nullptr on failure.
const aclTensor* Fmod(const aclTensor* self, const aclTensor* other, FmodDivisor divisor, int64_t precisionMode,
                      const FmodLayout* layout, const aclTensor* out, aclOpExecutor* executor);
} // namespace l0op
#endif // OP_API_INC_LEVEL0_FMOD_H_
