/**
 * Copyright (c) 2026 The Fmod operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

#include <gtest/gtest.h>
#include "../../../op_api/aclnn_fmod_scalar_v2.h"
#include "op_api_ut_common/op_api_ut.h"
#include "op_api_ut_common/scalar_desc.h"
#include "op_api_ut_common/tensor_desc.h"

namespace {
constexpr aclnnStatus PARAM_NULLPTR = 161001;
constexpr aclnnStatus PARAM_INVALID = 161002;
const std::vector<aclDataType> TYPES = {ACL_BF16, ACL_FLOAT16, ACL_FLOAT, ACL_INT16, ACL_INT32, ACL_INT8, ACL_UINT8};
const std::vector<aclDataType> OTHER_TYPES = {ACL_DOUBLE, ACL_INT64, ACL_UINT16,    ACL_UINT32,
                                              ACL_UINT64, ACL_BOOL,  ACL_COMPLEX64, ACL_COMPLEX128};

TensorDesc Nd(const std::vector<int64_t>& shape, aclDataType dtype = ACL_FLOAT)
{
    return TensorDesc(shape, dtype, ACL_FORMAT_ND);
}
bool IsFloating(aclDataType dtype) { return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16; }

aclnnStatus Call(const TensorDesc& self, const ScalarDesc& other, const TensorDesc& out, int8_t mode = 0)
{
    uint64_t workspaceSize = 0;
    auto ut = OP_API_UT(aclnnFmodScalarV2, INPUT(self, other, mode), OUTPUT(out));
    return ut.TestGetWorkspaceSize(&workspaceSize);
}
} // namespace

class FmodScalarV2OpApiTest : public testing::Test {};

TEST_F(FmodScalarV2OpApiTest, null_arguments)
{
    const TensorDesc tensor = Nd({2, 3});
    const ScalarDesc three(3.0f);
    auto* noTensor = static_cast<aclTensor*>(nullptr);
    auto* noScalar = static_cast<aclScalar*>(nullptr);
    uint64_t workspaceSize = 0;
    auto case0 = OP_API_UT(aclnnFmodScalarV2, INPUT(noTensor, three, static_cast<int8_t>(0)), OUTPUT(tensor));
    EXPECT_EQ(case0.TestGetWorkspaceSize(&workspaceSize), PARAM_NULLPTR);
    auto case1 = OP_API_UT(aclnnFmodScalarV2, INPUT(tensor, noScalar, static_cast<int8_t>(0)), OUTPUT(tensor));
    EXPECT_EQ(case1.TestGetWorkspaceSize(&workspaceSize), PARAM_NULLPTR);
    auto case2 = OP_API_UT(aclnnFmodScalarV2, INPUT(tensor, three, static_cast<int8_t>(0)), OUTPUT(noTensor));
    EXPECT_EQ(case2.TestGetWorkspaceSize(&workspaceSize), PARAM_NULLPTR);
    auto case3 = OP_API_UT(aclnnFmodScalarV2, INPUT(noTensor, noScalar, static_cast<int8_t>(0)), OUTPUT(noTensor));
    EXPECT_EQ(case3.TestGetWorkspaceSize(&workspaceSize), PARAM_NULLPTR);
    auto whole = OP_API_UT(aclnnFmodScalarV2, INPUT(tensor, three, static_cast<int8_t>(0)), OUTPUT(tensor));
    EXPECT_EQ(whole.TestGetWorkspaceSize(nullptr), PARAM_NULLPTR);
}

TEST_F(FmodScalarV2OpApiTest, every_dtype)
{
    for (const aclDataType dtype : TYPES) {
        const TensorDesc tensor = Nd({4, 5}, dtype);
        EXPECT_EQ(Call(tensor, ScalarDesc(static_cast<int32_t>(7)), tensor), ACL_SUCCESS) << dtype;
    }
}

TEST_F(FmodScalarV2OpApiTest, every_scalar_dtype)
{
    const std::vector<ScalarDesc> real = {ScalarDesc(2.5f), ScalarDesc(2.5f, ACL_FLOAT16), ScalarDesc(2.5f, ACL_BF16),
                                          ScalarDesc(2.5)};
    const std::vector<ScalarDesc> integral = {ScalarDesc(static_cast<int8_t>(3)),  ScalarDesc(static_cast<int16_t>(3)),
                                              ScalarDesc(static_cast<int32_t>(3)), ScalarDesc(static_cast<int64_t>(3)),
                                              ScalarDesc(static_cast<uint8_t>(3)), ScalarDesc(true)};
    for (const aclDataType dtype : TYPES) {
        const TensorDesc self = Nd({6}, dtype);
        for (const ScalarDesc& other : integral) {
            EXPECT_EQ(Call(self, other, self), ACL_SUCCESS) << dtype;
        }
        for (const ScalarDesc& other : real) { // lifts an integral self to FLOAT
            EXPECT_EQ(Call(self, other, self), IsFloating(dtype) ? ACL_SUCCESS : PARAM_INVALID) << dtype;
            EXPECT_EQ(Call(self, other, Nd({6})), ACL_SUCCESS) << dtype;
        }
        EXPECT_EQ(Call(self, ScalarDesc(static_cast<uint16_t>(3)), self), PARAM_INVALID);
        EXPECT_EQ(Call(self, ScalarDesc(static_cast<uint32_t>(3)), self), PARAM_INVALID);
        EXPECT_EQ(Call(self, ScalarDesc(static_cast<uint64_t>(3)), self), PARAM_INVALID);
    }
}

TEST_F(FmodScalarV2OpApiTest, dtypes_that_are_not_supported)
{
    const ScalarDesc other(3.0f);
    for (const aclDataType dtype : OTHER_TYPES) {
        EXPECT_EQ(Call(Nd({4}, dtype), other, Nd({4})), PARAM_INVALID) << dtype;
        EXPECT_EQ(Call(Nd({4}), other, Nd({4}, dtype)), PARAM_INVALID) << dtype;
    }
}

TEST_F(FmodScalarV2OpApiTest, integral_scalars_in_range)
{
    struct Row {
        aclDataType dtype;
        int64_t value;
        aclnnStatus status;
    };
    const std::vector<Row> rows = {
        {ACL_INT8, 127, ACL_SUCCESS},
        {ACL_INT8, 128, PARAM_INVALID},
        {ACL_INT8, -128, ACL_SUCCESS},
        {ACL_INT8, -129, PARAM_INVALID},
        {ACL_UINT8, 255, ACL_SUCCESS},
        {ACL_UINT8, 256, PARAM_INVALID},
        {ACL_UINT8, 0, ACL_SUCCESS},
        {ACL_UINT8, -1, PARAM_INVALID},
        {ACL_INT16, 32767, ACL_SUCCESS},
        {ACL_INT16, 32768, PARAM_INVALID},
        {ACL_INT16, -32768, ACL_SUCCESS},
        {ACL_INT16, -32769, PARAM_INVALID},
        {ACL_INT32, 2147483647, ACL_SUCCESS},
        {ACL_INT32, 2147483648LL, PARAM_INVALID},
        {ACL_INT32, -2147483648LL, ACL_SUCCESS},
        {ACL_INT32, -2147483649LL, PARAM_INVALID},
        {ACL_FLOAT, INT64_MAX, ACL_SUCCESS},
        {ACL_FLOAT16, 100000, ACL_SUCCESS}, // rounded, to infinity at last
    };
    for (const Row& row : rows) {
        const TensorDesc tensor = Nd({4}, row.dtype);
        EXPECT_EQ(Call(tensor, ScalarDesc(row.value), tensor), row.status) << row.dtype << " " << row.value;
    }
}

TEST_F(FmodScalarV2OpApiTest, casts_of_the_result)
{
    for (const aclDataType computed : TYPES) {
        for (const aclDataType out : TYPES) {
            // Only a floating result does not go into an integral tensor.
            const aclnnStatus expected = IsFloating(computed) && !IsFloating(out) ? PARAM_INVALID : ACL_SUCCESS;
            EXPECT_EQ(Call(Nd({6}, computed), ScalarDesc(static_cast<int32_t>(3)), Nd({6}, out)), expected)
                << computed << " to " << out;
        }
    }
}

TEST_F(FmodScalarV2OpApiTest, shapes)
{
    const ScalarDesc other(3.0f);
    EXPECT_EQ(Call(Nd({}), other, Nd({})), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({1}), other, Nd({1})), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({1, 2, 1, 3, 1, 2, 1, 4}), other, Nd({1, 2, 1, 3, 1, 2, 1, 4})), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({0, 4}), other, Nd({0, 4})), ACL_SUCCESS); // empty
    EXPECT_EQ(Call(Nd(std::vector<int64_t>(9, 1)), other, Nd(std::vector<int64_t>(9, 1))), PARAM_INVALID);
    EXPECT_EQ(Call(Nd({2, 3}), other, Nd({3, 2})), PARAM_INVALID);
    EXPECT_EQ(Call(Nd({1}), other, Nd({4})), PARAM_INVALID); // out is not broadcast
    EXPECT_EQ(Call(Nd({4}), other, Nd({1, 4})), PARAM_INVALID);
}

TEST_F(FmodScalarV2OpApiTest, layouts)
{
    const ScalarDesc other(3.0f);
    const TensorDesc transposed({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {1, 4}, 0, {6, 4});
    const TensorDesc rows({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {10, 1}, 3, {64});
    const TensorDesc wide({4, 32}, ACL_FLOAT, ACL_FORMAT_ND, {40, 1}, 8, {200}); // in place of a copy
    const TensorDesc repeated({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {0, 1}, 0, {6});
    EXPECT_EQ(Call(transposed, other, rows), ACL_SUCCESS);
    EXPECT_EQ(Call(rows, other, transposed), ACL_SUCCESS);
    EXPECT_EQ(Call(wide, other, wide), ACL_SUCCESS);
    EXPECT_EQ(Call(repeated, other, repeated), PARAM_INVALID); // several results for one place
    EXPECT_EQ(Call(repeated, other, rows), ACL_SUCCESS);
}

TEST_F(FmodScalarV2OpApiTest, private_formats)
{
    const ScalarDesc other(3.0f);
    const TensorDesc plain = Nd({2, 16, 16, 16});
    const TensorDesc fractal({2, 16, 16, 16}, ACL_FLOAT, ACL_FORMAT_NC1HWC0);
    EXPECT_EQ(Call(fractal, other, plain), PARAM_INVALID);
    EXPECT_EQ(Call(plain, other, fractal), PARAM_INVALID);
    EXPECT_EQ(Call(plain, other, plain), ACL_SUCCESS);
}

TEST_F(FmodScalarV2OpApiTest, precision_modes)
{
    const ScalarDesc other(static_cast<int32_t>(3));
    for (const aclDataType dtype : TYPES) {
        const TensorDesc tensor = Nd({4}, dtype);
        EXPECT_EQ(Call(tensor, other, tensor, 1), ACL_SUCCESS) << dtype;
        EXPECT_EQ(Call(tensor, other, tensor, 2), PARAM_INVALID) << dtype;
        EXPECT_EQ(Call(tensor, other, tensor, -1), PARAM_INVALID) << dtype;
    }
    EXPECT_EQ(Call(Nd({0}), other, Nd({0}), 2), PARAM_INVALID); // also where there is nothing to do
}
