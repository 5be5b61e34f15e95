/**
 * Copyright (c) 2026 The Fmod operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

#ifndef OP_API_INC_ACLNN_FMOD_TENSOR_V2_H_
#define OP_API_INC_ACLNN_FMOD_TENSOR_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief First phase of aclnnFmodTensorV2: aclnnFmodTensorGetWorkspaceSize with a choice of precision.
 * @param [in] precisionMode: 0 the rounding steps of the built-in Mod, 1 C fmodf bit for bit; integers are exact in
 * both. The other parameters and the return value are those of aclnnFmodTensorGetWorkspaceSize.
 */
ACLNN_API aclnnStatus aclnnFmodTensorV2GetWorkspaceSize(const aclTensor* self, const aclTensor* other,
                                                        int8_t precisionMode, aclTensor* out, uint64_t* workspaceSize,
                                                        aclOpExecutor** executor);

/**
 * @brief Second phase of aclnnFmodTensorV2, as aclnnFmodTensor.
 */
ACLNN_API aclnnStatus aclnnFmodTensorV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                        aclrtStream stream);

/**
 * @brief First phase of aclnnInplaceFmodTensorV2: as aclnnFmodTensorV2 with out = self = selfRef.
 */
ACLNN_API aclnnStatus aclnnInplaceFmodTensorV2GetWorkspaceSize(aclTensor* selfRef, const aclTensor* other,
                                                               int8_t precisionMode, uint64_t* workspaceSize,
                                                               aclOpExecutor** executor);

/**
 * @brief Second phase of aclnnInplaceFmodTensorV2, as aclnnFmodTensor.
 */
ACLNN_API aclnnStatus aclnnInplaceFmodTensorV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif // OP_API_INC_ACLNN_FMOD_TENSOR_V2_H_
