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

aclnnStatus Call(const TensorDesc& self, const TensorDesc& other, const TensorDesc& out)
{
    uint64_t workspaceSize = 0;
    auto ut = OP_API_UT(aclnnFmodTensor, INPUT(self, other), OUTPUT(out));
    return ut.TestGetWorkspaceSize(&workspaceSize);
}
} // namespace

class FmodTensorOpApiTest : public testing::Test {};

TEST_F(FmodTensorOpApiTest, null_arguments)
{
    const TensorDesc tensor = Nd({2, 3});
    auto* null = static_cast<aclTensor*>(nullptr);
    uint64_t workspaceSize = 0;
    auto case0 = OP_API_UT(aclnnFmodTensor, INPUT(null, tensor), OUTPUT(tensor));
    EXPECT_EQ(case0.TestGetWorkspaceSize(&workspaceSize), PARAM_NULLPTR);
    auto case1 = OP_API_UT(aclnnFmodTensor, INPUT(tensor, null), OUTPUT(tensor));
    EXPECT_EQ(case1.TestGetWorkspaceSize(&workspaceSize), PARAM_NULLPTR);
    auto case2 = OP_API_UT(aclnnFmodTensor, INPUT(tensor, tensor), OUTPUT(null));
    EXPECT_EQ(case2.TestGetWorkspaceSize(&workspaceSize), PARAM_NULLPTR);
    auto case3 = OP_API_UT(aclnnFmodTensor, INPUT(null, null), OUTPUT(null));
    EXPECT_EQ(case3.TestGetWorkspaceSize(&workspaceSize), PARAM_NULLPTR);
    auto whole = OP_API_UT(aclnnFmodTensor, INPUT(tensor, tensor), OUTPUT(tensor));
    EXPECT_EQ(whole.TestGetWorkspaceSize(nullptr), PARAM_NULLPTR);
}

TEST_F(FmodTensorOpApiTest, every_dtype)
{
    for (const aclDataType dtype : TYPES) {
        EXPECT_EQ(Call(Nd({4, 5}, dtype), Nd({4, 5}, dtype), Nd({4, 5}, dtype)), ACL_SUCCESS) << dtype;
    }
}

TEST_F(FmodTensorOpApiTest, dtypes_that_are_not_supported)
{
    for (const aclDataType dtype : OTHER_TYPES) {
        EXPECT_EQ(Call(Nd({4}, dtype), Nd({4}), Nd({4})), PARAM_INVALID) << dtype;
        EXPECT_EQ(Call(Nd({4}), Nd({4}, dtype), Nd({4})), PARAM_INVALID) << dtype;
        EXPECT_EQ(Call(Nd({4}), Nd({4}), Nd({4}, dtype)), PARAM_INVALID) << dtype;
    }
}

TEST_F(FmodTensorOpApiTest, promotion)
{
    struct Row {
        aclDataType self;
        aclDataType other;
        aclDataType promoted;
    };
    const std::vector<Row> rows = {
        {ACL_FLOAT, ACL_FLOAT16, ACL_FLOAT},   {ACL_FLOAT16, ACL_BF16, ACL_FLOAT}, {ACL_BF16, ACL_FLOAT, ACL_FLOAT},
        {ACL_FLOAT16, ACL_INT32, ACL_FLOAT16}, {ACL_INT8, ACL_BF16, ACL_BF16},     {ACL_INT16, ACL_INT32, ACL_INT32},
        {ACL_UINT8, ACL_INT8, ACL_INT16},      {ACL_INT8, ACL_INT16, ACL_INT16},   {ACL_UINT8, ACL_INT32, ACL_INT32},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(Call(Nd({6}, row.self), Nd({6}, row.other), Nd({6}, row.promoted)), ACL_SUCCESS)
            << row.self << " " << row.other;
    }
}

TEST_F(FmodTensorOpApiTest, casts_of_the_result)
{
    for (const aclDataType computed : TYPES) {
        const bool isFloating = computed == ACL_FLOAT || computed == ACL_FLOAT16 || computed == ACL_BF16;
        for (const aclDataType out : TYPES) {
            const bool goesIntoFloat = out == ACL_FLOAT || out == ACL_FLOAT16 || out == ACL_BF16;
            // Only a floating result does not go into an integral tensor.
            const aclnnStatus expected = isFloating && !goesIntoFloat ? PARAM_INVALID : ACL_SUCCESS;
            EXPECT_EQ(Call(Nd({6}, computed), Nd({6}, computed), Nd({6}, out)), expected) << computed << " to " << out;
        }
    }
}

TEST_F(FmodTensorOpApiTest, shapes)
{
    EXPECT_EQ(Call(Nd({}), Nd({}), Nd({})), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({1}), Nd({1}), Nd({1})), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({2, 3, 5}), Nd({3, 1}), Nd({2, 3, 5})), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({5}), Nd({2, 3, 1}), Nd({2, 3, 5})), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({4, 1, 5}), Nd({1, 3, 1}), Nd({4, 3, 5})), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({1, 2, 1, 3, 1, 2, 1, 4}), Nd({4}), Nd({1, 2, 1, 3, 1, 2, 1, 4})), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({0, 4}), Nd({4}), Nd({0, 4})), ACL_SUCCESS); // empty
    EXPECT_EQ(Call(Nd({0}), Nd({1}), Nd({0})), ACL_SUCCESS);

    EXPECT_EQ(Call(Nd({20}), Nd({3}), Nd({20})), PARAM_INVALID); // does not broadcast
    EXPECT_EQ(Call(Nd({0}), Nd({2}), Nd({0})), PARAM_INVALID);
    EXPECT_EQ(Call(Nd({2, 3}), Nd({3}), Nd({3, 2})), PARAM_INVALID);    // out of another shape
    EXPECT_EQ(Call(Nd({3, 1}), Nd({3, 4}), Nd({3, 1})), PARAM_INVALID); // out of self's shape only
    EXPECT_EQ(Call(Nd({4}), Nd({4}), Nd({1, 4})), PARAM_INVALID);
}

TEST_F(FmodTensorOpApiTest, more_than_eight_dimensions)
{
    const TensorDesc nine = Nd(std::vector<int64_t>(9, 1));
    EXPECT_EQ(Call(nine, Nd({1}), nine), PARAM_INVALID);
    EXPECT_EQ(Call(Nd({1}), nine, nine), PARAM_INVALID);
    EXPECT_EQ(Call(Nd({1}), Nd({1}), nine), PARAM_INVALID);
}

TEST_F(FmodTensorOpApiTest, layouts)
{
    const TensorDesc transposed({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {1, 4}, 0, {6, 4});
    const TensorDesc rows({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {10, 1}, 3, {64});
    const TensorDesc stepped({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {12, 2}, 0, {48});
    const TensorDesc repeated({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {0, 1}, 0, {6});
    const TensorDesc wide({4, 32}, ACL_FLOAT, ACL_FORMAT_ND, {40, 1}, 8, {200}); // in place of a copy
    for (const TensorDesc& self : {transposed, rows, stepped, repeated}) {
        for (const TensorDesc& other : {transposed, rows, stepped, repeated}) {
            for (const TensorDesc& out : {transposed, rows, stepped}) {
                EXPECT_EQ(Call(self, other, out), ACL_SUCCESS);
            }
            EXPECT_EQ(Call(self, other, repeated), PARAM_INVALID); // several results for one place
        }
    }
    EXPECT_EQ(Call(wide, wide, wide), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({32}), wide, Nd({4, 32})), ACL_SUCCESS);
    // Stride 0 along an axis of one element repeats nothing.
    const TensorDesc single({1, 6}, ACL_FLOAT, ACL_FORMAT_ND, {0, 1}, 0, {6});
    EXPECT_EQ(Call(Nd({6}), Nd({1, 6}), single), ACL_SUCCESS);
}

TEST_F(FmodTensorOpApiTest, private_formats)
{
    const TensorDesc plain = Nd({2, 16, 16, 16});
    const TensorDesc fractal({2, 16, 16, 16}, ACL_FLOAT, ACL_FORMAT_NC1HWC0);
    EXPECT_EQ(Call(fractal, plain, plain), PARAM_INVALID);
    EXPECT_EQ(Call(plain, fractal, plain), PARAM_INVALID);
    EXPECT_EQ(Call(plain, plain, fractal), PARAM_INVALID);
    const TensorDesc image({2, 16, 16, 16}, ACL_FLOAT, ACL_FORMAT_NCHW);
    EXPECT_EQ(Call(image, plain, image), ACL_SUCCESS);
}
