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
 * \file fmod_tensor_plan.h
 * \brief Checks and plan of the aclnnFmodTensor interfaces.
 */
#ifndef OP_API_INC_FMOD_TENSOR_PLAN_H_
#define OP_API_INC_FMOD_TENSOR_PLAN_H_

#include "fmod_build.h"

namespace fmod_build {
inline bool CheckTensorNotNull(const aclTensor* self, const aclTensor* other, const aclTensor* out)
{
    OP_CHECK_NULL(self, return false);
    OP_CHECK_NULL(other, return false);
    OP_CHECK_NULL(out, return false);
    return true;
}

inline bool CheckPromoted(op::DataType promoted, const aclTensor* self, const aclTensor* other)
{
    if (!op::CheckType(promoted, fmod_checks::TENSOR_DTYPES)) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "self and other: expected a common data type in %s, got %s and %s.",
                op::ToString(fmod_checks::TENSOR_DTYPES).GetString(), op::ToString(self->GetDataType()).GetString(),
                op::ToString(other->GetDataType()).GetString());
        return false;
    }
    return true;
}

inline bool CheckTensorShapes(const aclTensor* self, const aclTensor* other, const aclTensor* out)
{
    op::Shape shape;
    if (!op::BroadcastInferShape(self->GetViewShape(), other->GetViewShape(), shape)) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "other: expected a shape that broadcasts with self, %s, got %s.",
                op::ToString(self->GetViewShape()).GetString(), op::ToString(other->GetViewShape()).GetString());
        return false;
    }
    return fmod_checks::CheckOutShape(out, shape, "self and other broadcast") && fmod_checks::CheckOutStrides(out);
}

// out = self fmod other
inline aclnnStatus PlanTensor(const aclTensor* self, const aclTensor* other, int8_t precisionMode, const aclTensor* out,
                              aclOpExecutor* executor)
{
    CHECK_RET(CheckTensorNotNull(self, other, out), ACLNN_ERR_PARAM_NULLPTR);
    CHECK_RET(fmod_checks::CheckFormat(self, "self") && fmod_checks::CheckFormat(other, "other") &&
                  fmod_checks::CheckFormat(out, "out"),
              ACLNN_ERR_PARAM_INVALID);
    CHECK_RET(fmod_checks::CheckDtype(self, "self") && fmod_checks::CheckDtype(other, "other") &&
                  fmod_checks::CheckDtype(out, "out"),
              ACLNN_ERR_PARAM_INVALID);
    const op::DataType promoted = op::PromoteType(self->GetDataType(), other->GetDataType());
    CHECK_RET(CheckPromoted(promoted, self, other), ACLNN_ERR_PARAM_INVALID);
    CHECK_RET(fmod_checks::CheckResultDtype(promoted, out), ACLNN_ERR_PARAM_INVALID);
    CHECK_RET(fmod_checks::CheckRank(self, "self") && fmod_checks::CheckRank(other, "other") &&
                  fmod_checks::CheckRank(out, "out"),
              ACLNN_ERR_PARAM_INVALID);
    CHECK_RET(CheckTensorShapes(self, other, out), ACLNN_ERR_PARAM_INVALID);
    CHECK_RET(fmod_checks::CheckPrecisionMode(precisionMode), ACLNN_ERR_PARAM_INVALID);
    return Build(Call{self, other, l0op::FmodDivisor{0.0f, 0}, out, promoted, precisionMode}, executor);
}
} // namespace fmod_build
#endif // OP_API_INC_FMOD_TENSOR_PLAN_H_
