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
#include "../../../op_api/aclnn_fmod_tensor.h"
#include "op_api_ut_common/op_api_ut.h"
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

aclnnStatus Call(const TensorDesc& self, const TensorDesc& other)
{
    uint64_t workspaceSize = 0;
    auto ut = OP_API_UT(aclnnInplaceFmodTensor, INPUT(self, other), OUTPUT());
    return ut.TestGetWorkspaceSize(&workspaceSize);
}
} // namespace

class InplaceFmodTensorOpApiTest : public testing::Test {};

TEST_F(InplaceFmodTensorOpApiTest, null_arguments)
{
    const TensorDesc tensor = Nd({2, 3});
    auto* null = static_cast<aclTensor*>(nullptr);
    uint64_t workspaceSize = 0;
    auto case0 = OP_API_UT(aclnnInplaceFmodTensor, INPUT(null, tensor), OUTPUT());
    EXPECT_EQ(case0.TestGetWorkspaceSize(&workspaceSize), PARAM_NULLPTR);
    auto case1 = OP_API_UT(aclnnInplaceFmodTensor, INPUT(tensor, null), OUTPUT());
    EXPECT_EQ(case1.TestGetWorkspaceSize(&workspaceSize), PARAM_NULLPTR);
    auto case2 = OP_API_UT(aclnnInplaceFmodTensor, INPUT(null, null), OUTPUT());
    EXPECT_EQ(case2.TestGetWorkspaceSize(&workspaceSize), PARAM_NULLPTR);
    auto whole = OP_API_UT(aclnnInplaceFmodTensor, INPUT(tensor, tensor), OUTPUT());
    EXPECT_EQ(whole.TestGetWorkspaceSize(nullptr), PARAM_NULLPTR);
}

TEST_F(InplaceFmodTensorOpApiTest, every_dtype)
{
    for (const aclDataType dtype : TYPES) {
        EXPECT_EQ(Call(Nd({4, 5}, dtype), Nd({4, 5}, dtype)), ACL_SUCCESS) << dtype;
    }
}

TEST_F(InplaceFmodTensorOpApiTest, dtypes_that_are_not_supported)
{
    for (const aclDataType dtype : OTHER_TYPES) {
        EXPECT_EQ(Call(Nd({4}, dtype), Nd({4})), PARAM_INVALID) << dtype;
        EXPECT_EQ(Call(Nd({4}), Nd({4}, dtype)), PARAM_INVALID) << dtype;
    }
}

TEST_F(InplaceFmodTensorOpApiTest, promotion_must_fit_self)
{
    struct Row {
        aclDataType self;
        aclDataType other;
        aclnnStatus status;
    };
    const std::vector<Row> rows = {
        {ACL_FLOAT, ACL_INT32, ACL_SUCCESS},   {ACL_FLOAT16, ACL_FLOAT, ACL_SUCCESS}, // FLOAT, cast back
        {ACL_FLOAT16, ACL_BF16, ACL_SUCCESS},  {ACL_INT8, ACL_INT32, ACL_SUCCESS},
        {ACL_INT16, ACL_UINT8, ACL_SUCCESS},   {ACL_UINT8, ACL_INT8, ACL_SUCCESS}, // INT16, cast back
        {ACL_INT32, ACL_FLOAT, PARAM_INVALID}, // a floating result does not go into an integral tensor
        {ACL_INT16, ACL_BF16, PARAM_INVALID},  {ACL_UINT8, ACL_FLOAT16, PARAM_INVALID},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(Call(Nd({6}, row.self), Nd({6}, row.other)), row.status) << row.self << " " << row.other;
    }
}

TEST_F(InplaceFmodTensorOpApiTest, shapes)
{
    EXPECT_EQ(Call(Nd({}), Nd({})), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({2, 3, 5}), Nd({3, 1})), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({7}), Nd({})), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({1, 2, 1, 3, 1, 2, 1, 4}), Nd({4})), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({0, 4}), Nd({4})), ACL_SUCCESS); // empty

    EXPECT_EQ(Call(Nd({20}), Nd({3})), PARAM_INVALID);      // does not broadcast
    EXPECT_EQ(Call(Nd({3, 1}), Nd({3, 4})), PARAM_INVALID); // larger than self
    EXPECT_EQ(Call(Nd({4}), Nd({1, 4})), PARAM_INVALID);    // one axis more than self
    EXPECT_EQ(Call(Nd(std::vector<int64_t>(9, 1)), Nd({1})), PARAM_INVALID);
    EXPECT_EQ(Call(Nd({1}), Nd(std::vector<int64_t>(9, 1))), PARAM_INVALID);
}

TEST_F(InplaceFmodTensorOpApiTest, layouts)
{
    const TensorDesc transposed({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {1, 4}, 0, {6, 4});
    const TensorDesc rows({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {10, 1}, 3, {64});
    const TensorDesc repeated({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {0, 1}, 0, {6});
    EXPECT_EQ(Call(transposed, rows), ACL_SUCCESS);
    EXPECT_EQ(Call(rows, repeated), ACL_SUCCESS);
    EXPECT_EQ(Call(rows, transposed), ACL_SUCCESS);
    EXPECT_EQ(Call(repeated, rows), PARAM_INVALID); // several results for one place
}

TEST_F(InplaceFmodTensorOpApiTest, private_formats)
{
    const TensorDesc fractal({2, 16, 16, 16}, ACL_FLOAT, ACL_FORMAT_NC1HWC0);
    EXPECT_EQ(Call(fractal, Nd({2, 16, 16, 16})), PARAM_INVALID);
    EXPECT_EQ(Call(Nd({2, 16, 16, 16}), fractal), PARAM_INVALID);
}
