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
 * \file aclnn_fmod_tensor.cpp
 * \brief aclnnFmodTensor, aclnnFmodTensorV2 and their in-place forms.
 */
#include "aclnn_fmod_tensor.h"
#include "aclnn_fmod_tensor_v2.h"
#include "fmod_interface.h"

// The OP_CHECK macros name these without their namespace.
using op::BroadcastInferShape;
using op::CheckType;

static bool CheckOther(const aclTensor* other)
{
    OP_CHECK_DTYPE_NOT_SUPPORT(other, FmodCommon::DTYPE_SUPPORT_LIST, return false);
    OP_CHECK_MAX_DIM(other, FMOD_MAX_DIM, return false);
    return FmodCommon::CheckFormat(other, "other") && FmodCommon::CheckStrides(other, "other", 0);
}

static bool CheckShape(const aclTensor* self, const aclTensor* other, const aclTensor* out)
{
    op::Shape broadcastShape;
    OP_CHECK_BROADCAST_AND_INFER_SHAPE(self, other, broadcastShape, return false);
    OP_CHECK_SHAPE_NOT_EQUAL_WITH_EXPECTED_SIZE(out, broadcastShape, return false);
    return true;
}

static aclnnStatus GetWorkspaceSizeCommon(const aclTensor* self, const aclTensor* other, int8_t precisionMode,
                                          const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)
{
    auto uniqueExecutor = CREATE_EXECUTOR();
    CHECK_RET(uniqueExecutor.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);
    CHECK_RET(FmodCommon::CheckNotNull(self, other, out), ACLNN_ERR_PARAM_NULLPTR);
    CHECK_RET(FmodCommon::CheckSelfAndOut(self, out) && CheckOther(other) && CheckShape(self, other, out) &&
                  FmodCommon::CheckPrecisionMode(precisionMode),
              ACLNN_ERR_PARAM_INVALID);
    const op::DataType computeDtype = op::PromoteType(self->GetDataType(), other->GetDataType());
    const FmodCommon::FmodCall call{self, other, {0.0f, 0}, out, computeDtype, precisionMode};
    return FmodCommon::Launch(call, uniqueExecutor, workspaceSize, executor);
}

#ifdef __cplusplus
extern "C" {
#endif

// A plan depends on the addresses by overlap alone, so that belongs to the key of cached executors.
aclnnStatus aclnnFmodTensorGetWorkspaceSize(const aclTensor* self, const aclTensor* other, aclTensor* out,
                                            uint64_t* workspaceSize, aclOpExecutor** executor)
{
    const bool overlapsSelf = FmodCommon::OverlapsPartly(self, out);
    const bool overlapsOther = FmodCommon::OverlapsPartly(other, out);
    L2_DFX_PHASE_1(aclnnFmodTensor, DFX_IN(self, other, overlapsSelf, overlapsOther), DFX_OUT(out));
    return GetWorkspaceSizeCommon(self, other, FMOD_DEFAULT_PRECISION, out, workspaceSize, executor);
}

aclnnStatus aclnnFmodTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnFmodTensor);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceFmodTensorGetWorkspaceSize(aclTensor* selfRef, const aclTensor* other, uint64_t* workspaceSize,
                                                   aclOpExecutor** executor)
{
    const bool overlapsOther = FmodCommon::OverlapsPartly(other, selfRef);
    L2_DFX_PHASE_1(aclnnInplaceFmodTensor, DFX_IN(selfRef, other, overlapsOther), DFX_OUT(selfRef));
    return GetWorkspaceSizeCommon(selfRef, other, FMOD_DEFAULT_PRECISION, selfRef, workspaceSize, executor);
}

aclnnStatus aclnnInplaceFmodTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnInplaceFmodTensor);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnFmodTensorV2GetWorkspaceSize(const aclTensor* self, const aclTensor* other, int8_t precisionMode,
                                              aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)
{
    const bool overlapsSelf = FmodCommon::OverlapsPartly(self, out);
    const bool overlapsOther = FmodCommon::OverlapsPartly(other, out);
    L2_DFX_PHASE_1(aclnnFmodTensorV2, DFX_IN(self, other, precisionMode, overlapsSelf, overlapsOther), DFX_OUT(out));
    return GetWorkspaceSizeCommon(self, other, precisionMode, out, workspaceSize, executor);
}

aclnnStatus aclnnFmodTensorV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnFmodTensorV2);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceFmodTensorV2GetWorkspaceSize(aclTensor* selfRef, const aclTensor* other, int8_t precisionMode,
                                                     uint64_t* workspaceSize, aclOpExecutor** executor)
{
    const bool overlapsOther = FmodCommon::OverlapsPartly(other, selfRef);
    L2_DFX_PHASE_1(aclnnInplaceFmodTensorV2, DFX_IN(selfRef, other, precisionMode, overlapsOther), DFX_OUT(selfRef));
    return GetWorkspaceSizeCommon(selfRef, other, precisionMode, selfRef, workspaceSize, executor);
}

aclnnStatus aclnnInplaceFmodTensorV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                     aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnInplaceFmodTensorV2);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}

#ifdef __cplusplus
}
#endif
