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
#include "aclnn_kernels/common/op_error_check.h"

namespace l0op {
OP_TYPE_REGISTER(Fmod);

static const aclTensor* LaunchFmod(const aclTensor* self, const aclTensor* other, float scalar, aclOpExecutor* executor)
{
    const aclTensor* out = executor->AllocTensor(self->GetViewShape(), self->GetDataType());
    if (out == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "Fmod cannot allocate its output tensor.");
        return nullptr;
    }
    const aclnnStatus status = ADD_TO_LAUNCHER_LIST_AICORE(Fmod, OP_INPUT(self, other), OP_OUTPUT(out),
                                                           OP_ATTR(scalar));
    if (status != ACLNN_SUCCESS) {
        OP_LOGE(ACLNN_ERR_INNER, "Fmod cannot be queued on AI Core, status %d.", status);
        return nullptr;
    }
    return out;
}

const aclTensor* Fmod(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor)
{
    L0_DFX(Fmod, self, other);
    return LaunchFmod(self, other, 0.0f, executor);
}

const aclTensor* FmodScalar(const aclTensor* self, float scalar, aclOpExecutor* executor)
{
    L0_DFX(FmodScalar, self, scalar);
    const aclTensor* absent = nullptr;
    return LaunchFmod(self, absent, scalar, executor);
}
} // namespace l0op
