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
 * \file aclnn_fmod_scalar_v2.cpp
 * \brief aclnnFmodScalarV2 and aclnnInplaceFmodScalarV2.
 */
#include "aclnn_fmod_scalar_v2.h"
#include "fmod_scalar_plan.h"
#include "opdev/make_op_executor.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnFmodScalarV2GetWorkspaceSize(const aclTensor* self, const aclScalar* other, int8_t precisionMode,
                                              aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)
{
    L2_DFX_PHASE_1(aclnnFmodScalarV2, DFX_IN(self, other, precisionMode), DFX_OUT(out));
    auto uniqueExecutor = CREATE_EXECUTOR();
    CHECK_RET(uniqueExecutor.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);
    const aclnnStatus status = fmod_build::PlanScalar(self, other, precisionMode, out, uniqueExecutor.get());
    CHECK_RET(status == ACLNN_SUCCESS, status);
    *workspaceSize = uniqueExecutor->GetWorkspaceSize();
    uniqueExecutor.ReleaseTo(executor);
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnFmodScalarV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnFmodScalarV2);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceFmodScalarV2GetWorkspaceSize(aclTensor* selfRef, const aclScalar* other, int8_t precisionMode,
                                                     uint64_t* workspaceSize, aclOpExecutor** executor)
{
    L2_DFX_PHASE_1(aclnnInplaceFmodScalarV2, DFX_IN(selfRef, other, precisionMode), DFX_OUT(selfRef));
    auto uniqueExecutor = CREATE_EXECUTOR();
    CHECK_RET(uniqueExecutor.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);
    const aclnnStatus status = fmod_build::PlanScalar(selfRef, other, precisionMode, selfRef, uniqueExecutor.get());
    CHECK_RET(status == ACLNN_SUCCESS, status);
    *workspaceSize = uniqueExecutor->GetWorkspaceSize();
    uniqueExecutor.ReleaseTo(executor);
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnInplaceFmodScalarV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                     aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnInplaceFmodScalarV2);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}

#ifdef __cplusplus
}
#endif
