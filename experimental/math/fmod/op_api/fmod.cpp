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
#include "opdev/aicpu/aicpu_task.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_def.h"
#include "opdev/op_dfx.h"
#include "opdev/op_log.h"

namespace l0op {
OP_TYPE_REGISTER(Fmod);

// The task is the AI CPU's own Mod under the op type of this file: registering Mod again would define its symbols twice
// in a library that also holds an operator of that name.
static const aclTensor* FmodAiCpu(const aclTensor* self, const aclTensor* other, const aclTensor* out,
                                  aclOpExecutor* executor)
{
    L0_DFX(FmodAiCpu, self, other, out);
    static op::internal::AicpuTaskSpace space("Mod", ge::DEPEND_IN_SHAPE, true);
    const aclnnStatus status = ADD_TO_LAUNCHER_LIST_AICPU(Fmod, OP_ATTR_NAMES(), OP_INPUT(self, other), OP_OUTPUT(out));
    OP_CHECK(status == ACLNN_SUCCESS,
             OP_LOGE(ACLNN_ERR_INNER, "Fmod of %s needs the AI CPU operator Mod, which cannot be queued, status %d.",
                     op::ToString(self->GetDataType()).GetString(), status),
             return nullptr);
    return out;
}

const aclTensor* Fmod(const aclTensor* self, const aclTensor* other, FmodDivisor divisor, int64_t precisionMode,
                      const FmodLayout* layout, const aclTensor* out, aclOpExecutor* executor)
{
    if (self->GetDataType() == op::DataType::DT_DOUBLE || self->GetDataType() == op::DataType::DT_INT64) {
        return FmodAiCpu(self, other, out, executor);
    }
    L0_DFX(Fmod, self, other, divisor.real, divisor.integer, precisionMode, out);
    aclnnStatus status = ACLNN_SUCCESS;
    if (layout == nullptr) {
        status = ADD_TO_LAUNCHER_LIST_AICORE(Fmod, OP_INPUT(self, other), OP_OUTPUT(out),
                                             OP_ATTR(divisor.real, divisor.integer, precisionMode));
    } else {
        status = ADD_TO_LAUNCHER_LIST_AICORE(Fmod, OP_INPUT(self, other), OP_OUTPUT(out),
                                             OP_ATTR(divisor.real, divisor.integer, precisionMode, layout->shape,
                                                     layout->selfStride, layout->otherStride, layout->outStride));
    }
    OP_CHECK(status == ACLNN_SUCCESS, OP_LOGE(ACLNN_ERR_INNER, "Fmod cannot be queued on AI Core, status %d.", status),
             return nullptr);
    return out;
}
} // namespace l0op
