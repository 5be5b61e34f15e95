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
 * \file fmod_scalar_plan.h
 * \brief Checks and plan of the aclnnFmodScalar interfaces.
 */
#ifndef OP_API_INC_FMOD_SCALAR_PLAN_H_
#define OP_API_INC_FMOD_SCALAR_PLAN_H_

#include <cstdint>
#include <limits>
#include "fmod_build.h"

namespace fmod_build {
const std::initializer_list<op::DataType> SCALAR_DTYPES = {
    op::DataType::DT_FLOAT, op::DataType::DT_FLOAT16, op::DataType::DT_BF16,  op::DataType::DT_DOUBLE,
    op::DataType::DT_INT8,  op::DataType::DT_INT16,   op::DataType::DT_INT32, op::DataType::DT_INT64,
    op::DataType::DT_UINT8, op::DataType::DT_BOOL};

inline bool CheckScalarNotNull(const aclTensor* self, const aclScalar* other, const aclTensor* out)
{
    OP_CHECK_NULL(self, return false);
    OP_CHECK_NULL(other, return false);
    OP_CHECK_NULL(out, return false);
    return true;
}

inline bool CheckScalarDtype(const aclScalar* other)
{
    if (!op::CheckType(other->GetDataType(), SCALAR_DTYPES)) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "other: expected a scalar data type in %s, got %s.",
                op::ToString(SCALAR_DTYPES).GetString(), op::ToString(other->GetDataType()).GetString());
        return false;
    }
    return true;
}

// A tensor keeps its data type beside a scalar of its own or a lower category: bool < integral < floating.
inline op::DataType ComputedType(const aclTensor* self, const aclScalar* other)
{
    const bool lifts = !op::IsFloatingType(self->GetDataType()) && op::IsFloatingType(other->GetDataType());
    return lifts ? op::DataType::DT_FLOAT : self->GetDataType();
}

// Value range of an integral tensor.
struct IntegerRange {
    int64_t low;
    int64_t high;
};

template <typename T>
constexpr IntegerRange RangeOfType()
{
    return IntegerRange{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

inline IntegerRange RangeOf(op::DataType dtype)
{
    switch (dtype) {
        case op::DataType::DT_INT8:
            return RangeOfType<int8_t>();
        case op::DataType::DT_UINT8:
            return RangeOfType<uint8_t>();
        case op::DataType::DT_INT16:
            return RangeOfType<int16_t>();
        default:
            return RangeOfType<int32_t>();
    }
}

// The scalar in the data type of the computation: rounded for floating types, as it is for integral ones.
inline bool ConvertDivisor(const aclScalar* other, op::DataType computed, l0op::FmodDivisor& divisor)
{
    divisor = l0op::FmodDivisor{0.0f, 0};
    if (computed == op::DataType::DT_FLOAT16) {
        divisor.real = static_cast<float>(other->ToFp16());
    } else if (computed == op::DataType::DT_BF16) {
        divisor.real = static_cast<float>(other->ToBf16());
    } else if (computed == op::DataType::DT_FLOAT) {
        divisor.real = other->ToFloat();
    } else {
        divisor.integer = other->ToInt64();
        const IntegerRange range = RangeOf(computed);
        if (divisor.integer < range.low || divisor.integer > range.high) {
            OP_LOGE(ACLNN_ERR_PARAM_INVALID, "other: expected a value that %s can hold, %ld to %ld, got %ld.",
                    op::ToString(computed).GetString(), range.low, range.high, divisor.integer);
            return false;
        }
    }
    return true;
}

// out = self fmod other
inline aclnnStatus PlanScalar(const aclTensor* self, const aclScalar* other, int8_t precisionMode, const aclTensor* out,
                              aclOpExecutor* executor)
{
    CHECK_RET(CheckScalarNotNull(self, other, out), ACLNN_ERR_PARAM_NULLPTR);
    CHECK_RET(fmod_checks::CheckFormat(self, "self") && fmod_checks::CheckFormat(out, "out"), ACLNN_ERR_PARAM_INVALID);
    CHECK_RET(fmod_checks::CheckDtype(self, "self") && CheckScalarDtype(other) && fmod_checks::CheckDtype(out, "out"),
              ACLNN_ERR_PARAM_INVALID);
    const op::DataType computed = ComputedType(self, other);
    CHECK_RET(fmod_checks::CheckResultDtype(computed, out), ACLNN_ERR_PARAM_INVALID);
    CHECK_RET(fmod_checks::CheckRank(self, "self") && fmod_checks::CheckRank(out, "out"), ACLNN_ERR_PARAM_INVALID);
    CHECK_RET(fmod_checks::CheckOutShape(out, self->GetViewShape(), "self") && fmod_checks::CheckOutStrides(out),
              ACLNN_ERR_PARAM_INVALID);
    CHECK_RET(fmod_checks::CheckPrecisionMode(precisionMode), ACLNN_ERR_PARAM_INVALID);
    l0op::FmodDivisor divisor{0.0f, 0};
    CHECK_RET(ConvertDivisor(other, computed, divisor), ACLNN_ERR_PARAM_INVALID);
    return Build(Call{self, nullptr, divisor, out, computed, precisionMode}, executor);
}
} // namespace fmod_build
#endif // OP_API_INC_FMOD_SCALAR_PLAN_H_
