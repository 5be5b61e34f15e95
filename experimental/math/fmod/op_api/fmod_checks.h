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
 * \file fmod_checks.h
 * \brief Argument checks that the four aclnnFmod interfaces share.
 */
#ifndef OP_API_INC_FMOD_CHECKS_H_
#define OP_API_INC_FMOD_CHECKS_H_

#include <initializer_list>
#include "opdev/data_type_utils.h"
#include "opdev/format_utils.h"
#include "opdev/op_dfx.h"
#include "opdev/op_executor.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"
#include "aclnn_kernels/common/op_error_check.h"

namespace fmod_checks {
constexpr size_t MAX_DIM_NUM = 8;
const std::initializer_list<op::DataType> TENSOR_DTYPES = {op::DataType::DT_FLOAT};

inline bool CheckTensor(const aclTensor* tensor, const char* name)
{
    if (!op::CheckType(tensor->GetDataType(), TENSOR_DTYPES)) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: expected a data type in %s, got %s.", name,
                op::ToString(TENSOR_DTYPES).GetString(), op::ToString(tensor->GetDataType()).GetString());
        return false;
    }
    if (op::IsPrivateFormat(tensor->GetStorageFormat())) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: expected format ND, got the private format %s.", name,
                op::ToString(tensor->GetStorageFormat()).GetString());
        return false;
    }
    if (tensor->GetViewShape().GetDimNum() > MAX_DIM_NUM) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: expected at most %zu dimensions, got %s.", name, MAX_DIM_NUM,
                op::ToString(tensor->GetViewShape()).GetString());
        return false;
    }
    return true;
}

inline bool CheckSameShape(const aclTensor* tensor, const char* name, const aclTensor* self)
{
    if (tensor->GetViewShape() != self->GetViewShape()) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: expected the shape of self, %s, got %s.", name,
                op::ToString(self->GetViewShape()).GetString(), op::ToString(tensor->GetViewShape()).GetString());
        return false;
    }
    return true;
}
} // namespace fmod_checks
#endif // OP_API_INC_FMOD_CHECKS_H_
