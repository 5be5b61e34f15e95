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
 * \brief Argument checks that the aclnnFmod interfaces share.
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
constexpr int8_t PRECISION_TBE = 0;
constexpr int8_t PRECISION_EXACT = 1;
const std::initializer_list<op::DataType> TENSOR_DTYPES = {
    op::DataType::DT_BF16,  op::DataType::DT_FLOAT16, op::DataType::DT_FLOAT, op::DataType::DT_INT16,
    op::DataType::DT_INT32, op::DataType::DT_INT8,    op::DataType::DT_UINT8};

inline bool CheckDtype(const aclTensor* tensor, const char* name)
{
    if (!op::CheckType(tensor->GetDataType(), TENSOR_DTYPES)) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: expected a data type in %s, got %s.", name,
                op::ToString(TENSOR_DTYPES).GetString(), op::ToString(tensor->GetDataType()).GetString());
        return false;
    }
    return true;
}

inline bool CheckFormat(const aclTensor* tensor, const char* name)
{
    if (op::IsPrivateFormat(tensor->GetStorageFormat())) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: expected format ND, got the private format %s.", name,
                op::ToString(tensor->GetStorageFormat()).GetString());
        return false;
    }
    return true;
}

inline bool CheckRank(const aclTensor* tensor, const char* name)
{
    if (tensor->GetViewShape().GetDimNum() > MAX_DIM_NUM) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: expected at most %zu dimensions, got %s.", name, MAX_DIM_NUM,
                op::ToString(tensor->GetViewShape()).GetString());
        return false;
    }
    return true;
}

// out takes every result that opdev's CanCast lets it take: floating results do not go into integral tensors.
inline bool CheckResultDtype(op::DataType computed, const aclTensor* out)
{
    if (!op::CanCast(computed, out->GetDataType())) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "out: expected a data type that %s can be cast to, got %s.",
                op::ToString(computed).GetString(), op::ToString(out->GetDataType()).GetString());
        return false;
    }
    return true;
}

inline bool CheckOutShape(const aclTensor* out, const op::Shape& shape, const char* shapeName)
{
    if (out->GetViewShape() != shape) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "out: expected the shape %s of %s, got %s.", op::ToString(shape).GetString(),
                shapeName, op::ToString(out->GetViewShape()).GetString());
        return false;
    }
    return true;
}

// Two elements of out in one place would make the result depend on the order of writes.
inline bool CheckOutStrides(const aclTensor* out)
{
    const op::Strides& strides = out->GetViewStrides();
    for (size_t i = 0; i < out->GetViewShape().GetDimNum(); i++) {
        if (strides[i] == 0 && out->GetViewShape().GetDim(i) > 1) {
            OP_LOGE(ACLNN_ERR_PARAM_INVALID,
                    "out: expected every element in a place of its own, got stride 0 at axis %zu.", i);
            return false;
        }
    }
    return true;
}

inline bool CheckPrecisionMode(int8_t precisionMode)
{
    if (precisionMode != PRECISION_TBE && precisionMode != PRECISION_EXACT) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "precisionMode: expected 0 (tbe) or 1 (exact), got %d.", precisionMode);
        return false;
    }
    return true;
}
} // namespace fmod_checks
#endif // OP_API_INC_FMOD_CHECKS_H_
