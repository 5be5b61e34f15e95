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
 * \file fmod.cpp
 * \brief L0 interface of Fmod.
 */
#include "fmod.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_def.h"
#include "opdev/op_dfx.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"
#include "aclnn_kernels/common/op_error_check.h"

namespace l0op {
OP_TYPE_REGISTER(Fmod);

static const aclTensor* LaunchFmod(const aclTensor* self, const aclTensor* other, FmodDivisor divisor,
                                   const FmodLayout& layout, const aclTensor* out, int64_t precisionMode,
                                   aclOpExecutor* executor)
{
    const aclnnStatus status = ADD_TO_LAUNCHER_LIST_AICORE(
        Fmod, OP_INPUT(self, other), OP_OUTPUT(out),
        OP_ATTR(divisor.real, divisor.integer, precisionMode, layout.shape, layout.selfStride, layout.otherStride,
                layout.outStride));
    if (status != ACLNN_SUCCESS) {
        OP_LOGE(ACLNN_ERR_INNER, "Fmod cannot be queued on AI Core, status %d.", status);
        return nullptr;
    }
    return out;
}

static const aclTensor* LaunchContiguous(const aclTensor* self, const aclTensor* other, FmodDivisor divisor,
                                         const op::Shape& shape, int64_t precisionMode, aclOpExecutor* executor)
{
    const aclTensor* out = executor->AllocTensor(shape, self->GetDataType());
    const aclIntArray* empty = executor->AllocIntArray(nullptr, 0);
    if (out == nullptr || empty == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "Fmod cannot allocate its output or an attribute.");
        return nullptr;
    }
    const FmodLayout layout{empty, empty, empty, empty};
    return LaunchFmod(self, other, divisor, layout, out, precisionMode, executor);
}

const aclTensor* Fmod(const aclTensor* self, const aclTensor* other, int64_t precisionMode, aclOpExecutor* executor)
{
    L0_DFX(Fmod, self, other, precisionMode);
    op::Shape shape;
    if (!op::BroadcastInferShape(self->GetViewShape(), other->GetViewShape(), shape)) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "Fmod: self %s and other %s do not broadcast.",
                op::ToString(self->GetViewShape()).GetString(), op::ToString(other->GetViewShape()).GetString());
        return nullptr;
    }
    return LaunchContiguous(self, other, FmodDivisor{0.0f, 0}, shape, precisionMode, executor);
}

const aclTensor* FmodScalar(const aclTensor* self, FmodDivisor divisor, int64_t precisionMode, aclOpExecutor* executor)
{
    L0_DFX(FmodScalar, self, divisor.real, divisor.integer, precisionMode);
    return LaunchContiguous(self, nullptr, divisor, self->GetViewShape(), precisionMode, executor);
}

const aclTensor* FmodStrided(const aclTensor* self, const aclTensor* other, FmodDivisor divisor,
                             const FmodLayout& layout, const aclTensor* out, int64_t precisionMode,
                             aclOpExecutor* executor)
{
    L0_DFX(FmodStrided, self, other, divisor.real, divisor.integer, layout.shape, layout.selfStride, layout.otherStride,
           layout.outStride, out, precisionMode);
    return LaunchFmod(self, other, divisor, layout, out, precisionMode, executor);
}
} // namespace l0op
