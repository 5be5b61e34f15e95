/**
 * Copyright (c) 2026 The Fmod operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

#ifndef OP_API_INC_ACLNN_FMOD_SCALAR_H_
#define OP_API_INC_ACLNN_FMOD_SCALAR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief First phase of aclnnFmodScalar: checks the arguments and plans out = self - trunc(self / other) * other.
 * An integral divisor 0 gives 0.
 * @param [in] self: device tensor, ND, at most 8 dimensions, strides of 0 or more; BF16, FLOAT16, FLOAT, INT16,
 * INT32, INT8, UINT8, DOUBLE or INT64.
 * @param [in] other: host scalar, any real type or BOOL; rounded to a floating self, FLOAT next to an integral self
 * when floating.
 * @param [out] out: device tensor, ND, shape of self, strides of 1 or more, same data types. It may share memory with
 * self.
 * @param [out] workspaceSize: bytes of device memory that the second phase needs; 0 when none.
 * @param [out] executor: the plan, consumed by the second phase.
 * @return ACLNN_SUCCESS; 161001 when an argument is null; 161002 when a data type, format, shape, stride or value is
 * not supported; 561103 when the computation, in DOUBLE or INT64, needs an AI CPU that is not there.
 */
ACLNN_API aclnnStatus aclnnFmodScalarGetWorkspaceSize(const aclTensor* self, const aclScalar* other, aclTensor* out,
                                                      uint64_t* workspaceSize, aclOpExecutor** executor);

/**
 * @brief Second phase of aclnnFmodScalar: queues the plan on the stream and returns.
 * @param [in] workspace: device memory of at least workspaceSize bytes, alive until the stream has passed the call.
 * @param [in] workspaceSize: what the first phase returned.
 * @param [in] executor: what the first phase returned.
 * @param [in] stream: stream to run on.
 */
ACLNN_API aclnnStatus aclnnFmodScalar(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                      aclrtStream stream);

/**
 * @brief First phase of aclnnInplaceFmodScalar: as aclnnFmodScalar with out = self = selfRef.
 * @param [in, out] selfRef: as self of aclnnFmodScalar; overwritten by the result, whose shape must be its own.
 * @param [in] other: as aclnnFmodScalar.
 * @param [out] workspaceSize: bytes of device memory that the second phase needs; 0 when none.
 * @param [out] executor: the plan, consumed by the second phase.
 * @return as aclnnFmodScalarGetWorkspaceSize.
 */
ACLNN_API aclnnStatus aclnnInplaceFmodScalarGetWorkspaceSize(aclTensor* selfRef, const aclScalar* other,
                                                             uint64_t* workspaceSize, aclOpExecutor** executor);

/**
 * @brief Second phase of aclnnInplaceFmodScalar, as aclnnFmodScalar.
 */
ACLNN_API aclnnStatus aclnnInplaceFmodScalar(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                             aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif // OP_API_INC_ACLNN_FMOD_SCALAR_H_
