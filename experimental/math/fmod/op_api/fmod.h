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
 * \brief L0 interface of Fmod.
 */
#ifndef OP_API_INC_LEVEL0_FMOD_H_
#define OP_API_INC_LEVEL0_FMOD_H_

#include "opdev/op_executor.h"

namespace l0op {
// self and other: contiguous, same data type and shape. Returns nullptr when the op cannot be queued.
const aclTensor* Fmod(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor);

// The divisor is scalar for every element of the contiguous self.
const aclTensor* FmodScalar(const aclTensor* self, float scalar, aclOpExecutor* executor);
} // namespace l0op
#endif // OP_API_INC_LEVEL0_FMOD_H_
