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
 * \file aclnn_fmod_scalar.cpp
 * \brief aclnnFmodScalar, aclnnFmodScalarV2 and their in-place forms.
 */
#include <cstdint>
#include <limits>
#include "aclnn_fmod_scalar.h"
#include "aclnn_fmod_scalar_v2.h"
#include "fmod_interface.h"

// The OP_CHECK macros name these without their namespace.
using op::CheckType;

static const std::initializer_list<op::DataType> SCALAR_DTYPE_SUPPORT_LIST = {
    op::DataType::DT_FLOAT, op::DataType::DT_FLOAT16, op::DataType::DT_BF16,  op::DataType::DT_DOUBLE,
    op::DataType::DT_INT8,  op::DataType::DT_INT16,   op::DataType::DT_INT32, op::DataType::DT_INT64,
    op::DataType::DT_UINT8, op::DataType::DT_BOOL};

static bool CheckParams(const aclTensor* self, const aclScalar* other, int8_t precisionMode, const aclTensor* out)
{
    OP_CHECK_DTYPE_NOT_SUPPORT(other, SCALAR_DTYPE_SUPPORT_LIST, return false);
    CHECK_RET(FmodCommon::CheckSelfAndOut(self, out), false);
    OP_CHECK_SHAPE_NOT_EQUAL_WITH_EXPECTED_SIZE(out, self->GetViewShape(), return false);
    return FmodCommon::CheckPrecisionMode(precisionMode);
}

// A tensor keeps its data type next to a scalar of its own or a lower category, bool < integral < floating; the kernel
// takes integral divisors beyond the range of self, too. A floating scalar lifts an integral self to FLOAT.
static op::DataType GetComputeDtype(op::DataType self, const aclScalar* other)
{
    if (op::IsFloatingType(self)) {
        return self;
    }
    if (op::IsFloatingType(other->GetDataType())) {
        return op::DataType::DT_FLOAT;
    }
    const int64_t value = other->ToInt64();
    const bool isBeyondInt32 = value < std::numeric_limits<int32_t>::min() ||
                               value > std::numeric_limits<int32_t>::max();
    return self == op::DataType::DT_INT32 && isBeyondInt32 ? op::DataType::DT_INT64 : self;
}

// The scalar in the data type of the computation.
static l0op::FmodDivisor ConvertDivisor(const aclScalar* other, op::DataType computeDtype)
{
    switch (computeDtype) {
        case op::DataType::DT_FLOAT16:
            return {static_cast<float>(other->ToFp16()), 0};
        case op::DataType::DT_BF16:
            return {static_cast<float>(other->ToBf16()), 0};
        case op::DataType::DT_FLOAT:
            return {other->ToFloat(), 0};
        default:
            return {0.0f, other->ToInt64()};
    }
}

static aclnnStatus GetWorkspaceSizeCommon(const aclTensor* self, const aclScalar* other, int8_t precisionMode,
                                          const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)
{
    auto uniqueExecutor = CREATE_EXECUTOR();
    CHECK_RET(uniqueExecutor.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);
    CHECK_RET(FmodCommon::CheckNotNull(self, other, out), ACLNN_ERR_PARAM_NULLPTR);
    CHECK_RET(CheckParams(self, other, precisionMode, out), ACLNN_ERR_PARAM_INVALID);
    const op::DataType computeDtype = GetComputeDtype(self->GetDataType(), other);
    FmodCommon::FmodCall call{self, nullptr, {0.0f, 0}, out, computeDtype, precisionMode};
    if (computeDtype == op::DataType::DT_DOUBLE || computeDtype == op::DataType::DT_INT64) {
        call.other = uniqueExecutor->ConvertToTensor(other, computeDtype);
        CHECK_RET(call.other != nullptr, ACLNN_ERR_INNER_NULLPTR);
    } else {
        call.divisor = ConvertDivisor(other, computeDtype);
    }
    return FmodCommon::Launch(call, uniqueExecutor, workspaceSize, executor);
}

#ifdef __cplusplus
extern "C" {
#endif

// A plan depends on the addresses by overlap alone, so that belongs to the key of cached executors.
aclnnStatus aclnnFmodScalarGetWorkspaceSize(const aclTensor* self, const aclScalar* other, aclTensor* out,
                                            uint64_t* workspaceSize, aclOpExecutor** executor)
{
    const bool overlapsSelf = FmodCommon::OverlapsPartly(self, out);
    L2_DFX_PHASE_1(aclnnFmodScalar, DFX_IN(self, other, overlapsSelf), DFX_OUT(out));
    return GetWorkspaceSizeCommon(self, other, FMOD_DEFAULT_PRECISION, out, workspaceSize, executor);
}

aclnnStatus aclnnFmodScalar(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnFmodScalar);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceFmodScalarGetWorkspaceSize(aclTensor* selfRef, const aclScalar* other, uint64_t* workspaceSize,
                                                   aclOpExecutor** executor)
{
    L2_DFX_PHASE_1(aclnnInplaceFmodScalar, DFX_IN(selfRef, other), DFX_OUT(selfRef));
    return GetWorkspaceSizeCommon(selfRef, other, FMOD_DEFAULT_PRECISION, selfRef, workspaceSize, executor);
}

aclnnStatus aclnnInplaceFmodScalar(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnInplaceFmodScalar);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnFmodScalarV2GetWorkspaceSize(const aclTensor* self, const aclScalar* other, int8_t precisionMode,
                                              aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor)
{
    const bool overlapsSelf = FmodCommon::OverlapsPartly(self, out);
    L2_DFX_PHASE_1(aclnnFmodScalarV2, DFX_IN(self, other, precisionMode, overlapsSelf), DFX_OUT(out));
    return GetWorkspaceSizeCommon(self, other, precisionMode, out, workspaceSize, executor);
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
    return GetWorkspaceSizeCommon(selfRef, other, precisionMode, selfRef, workspaceSize, executor);
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
