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
#include "../../../op_api/aclnn_fmod_tensor_v2.h"
#include "op_api_ut_common/op_api_ut.h"
#include "op_api_ut_common/tensor_desc.h"

namespace {
constexpr aclnnStatus PARAM_NULLPTR = 161001;
constexpr aclnnStatus PARAM_INVALID = 161002;
constexpr aclnnStatus INNER_NULLPTR = 561103;
const std::vector<aclDataType> TYPES = {ACL_BF16, ACL_FLOAT16, ACL_FLOAT, ACL_INT16, ACL_INT32, ACL_INT8, ACL_UINT8};
const std::vector<aclDataType> WIDE_TYPES = {ACL_DOUBLE, ACL_INT64};
const std::vector<aclDataType> OTHER_TYPES = {ACL_UINT16, ACL_UINT32,    ACL_UINT64,
                                              ACL_BOOL,   ACL_COMPLEX64, ACL_COMPLEX128};

TensorDesc Nd(const std::vector<int64_t>& shape, aclDataType dtype = ACL_FLOAT)
{
    return TensorDesc(shape, dtype, ACL_FORMAT_ND);
}

// The AI CPU computes DOUBLE and INT64 where the toolkit has it.
bool IsAccepted(aclnnStatus status) { return status == ACL_SUCCESS || status == INNER_NULLPTR; }
} // namespace

// The interfaces without and with a precision.
class FmodTensorOpApiTest : public testing::TestWithParam<bool> {
protected:
    template <typename Self, typename Other, typename Out>
    aclnnStatus Call(const Self& self, const Other& other, const Out& out, int8_t mode = 0)
    {
        uint64_t workspaceSize = 0;
        if (GetParam()) {
            auto ut = OP_API_UT(aclnnFmodTensorV2, INPUT(self, other, mode), OUTPUT(out));
            return ut.TestGetWorkspaceSize(&workspaceSize);
        }
        auto ut = OP_API_UT(aclnnFmodTensor, INPUT(self, other), OUTPUT(out));
        return ut.TestGetWorkspaceSize(&workspaceSize);
    }

    template <typename Self, typename Other>
    aclnnStatus CallInplace(const Self& self, const Other& other, int8_t mode = 0)
    {
        uint64_t workspaceSize = 0;
        if (GetParam()) {
            auto ut = OP_API_UT(aclnnInplaceFmodTensorV2, INPUT(self, other, mode), OUTPUT());
            return ut.TestGetWorkspaceSize(&workspaceSize);
        }
        auto ut = OP_API_UT(aclnnInplaceFmodTensor, INPUT(self, other), OUTPUT());
        return ut.TestGetWorkspaceSize(&workspaceSize);
    }
};

INSTANTIATE_TEST_SUITE_P(WithoutAndWithPrecision, FmodTensorOpApiTest, testing::Bool());

TEST_P(FmodTensorOpApiTest, null_arguments)
{
    const TensorDesc tensor = Nd({2, 3});
    auto* null = static_cast<aclTensor*>(nullptr);
    EXPECT_EQ(Call(null, tensor, tensor), PARAM_NULLPTR);
    EXPECT_EQ(Call(tensor, null, tensor), PARAM_NULLPTR);
    EXPECT_EQ(Call(tensor, tensor, null), PARAM_NULLPTR);
    EXPECT_EQ(Call(null, null, null), PARAM_NULLPTR);
    EXPECT_EQ(CallInplace(null, tensor), PARAM_NULLPTR);
    EXPECT_EQ(CallInplace(tensor, null), PARAM_NULLPTR);
    auto whole = OP_API_UT(aclnnFmodTensor, INPUT(tensor, tensor), OUTPUT(tensor));
    EXPECT_EQ(whole.TestGetWorkspaceSize(nullptr), PARAM_NULLPTR);
}

TEST_P(FmodTensorOpApiTest, every_dtype_in_both_precisions)
{
    for (const aclDataType dtype : TYPES) {
        const TensorDesc tensor = Nd({4, 5}, dtype);
        for (const int8_t mode : {0, 1}) {
            EXPECT_EQ(Call(tensor, tensor, tensor, mode), ACL_SUCCESS) << dtype;
            EXPECT_EQ(CallInplace(tensor, tensor, mode), ACL_SUCCESS) << dtype;
        }
    }
}

TEST_P(FmodTensorOpApiTest, dtypes_that_are_not_supported)
{
    for (const aclDataType dtype : OTHER_TYPES) {
        EXPECT_EQ(Call(Nd({4}, dtype), Nd({4}), Nd({4})), PARAM_INVALID) << dtype;
        EXPECT_EQ(Call(Nd({4}), Nd({4}, dtype), Nd({4})), PARAM_INVALID) << dtype;
        EXPECT_EQ(Call(Nd({4}), Nd({4}), Nd({4}, dtype)), PARAM_INVALID) << dtype;
        EXPECT_EQ(CallInplace(Nd({4}, dtype), Nd({4})), PARAM_INVALID) << dtype;
        EXPECT_EQ(CallInplace(Nd({4}), Nd({4}, dtype)), PARAM_INVALID) << dtype;
    }
}

// Any pair of data types, any data type of the result.
TEST_P(FmodTensorOpApiTest, promotion_and_casts)
{
    for (const aclDataType self : TYPES) {
        for (const aclDataType other : TYPES) {
            EXPECT_EQ(CallInplace(Nd({6}, self), Nd({6}, other)), ACL_SUCCESS) << self << " " << other;
            for (const aclDataType out : TYPES) {
                EXPECT_EQ(Call(Nd({6}, self), Nd({6}, other), Nd({6}, out)), ACL_SUCCESS)
                    << self << " " << other << " to " << out;
            }
        }
        for (const aclDataType wide : WIDE_TYPES) {
            EXPECT_EQ(Call(Nd({6}, self), Nd({6}, self), Nd({6}, wide)), ACL_SUCCESS) << self << " to " << wide;
            EXPECT_TRUE(IsAccepted(Call(Nd({6}, self), Nd({6}, wide), Nd({6}, wide)))) << self << " " << wide;
            EXPECT_TRUE(IsAccepted(Call(Nd({6}, wide), Nd({6}, self), Nd({6}, self)))) << wide << " " << self;
        }
    }
    for (const aclDataType real : {ACL_BF16, ACL_FLOAT16, ACL_FLOAT}) { // INT64 beside these needs a cast only
        EXPECT_EQ(Call(Nd({6}, real), Nd({6}, ACL_INT64), Nd({6}, real)), ACL_SUCCESS) << real;
        EXPECT_EQ(Call(Nd({6}, ACL_INT64), Nd({6}, real), Nd({6}, ACL_INT64)), ACL_SUCCESS) << real;
        EXPECT_EQ(CallInplace(Nd({6}, real), Nd({6}, ACL_INT64)), ACL_SUCCESS) << real;
    }
    for (const aclDataType wide : WIDE_TYPES) {
        EXPECT_TRUE(IsAccepted(CallInplace(Nd({6}, wide), Nd({6}, wide)))) << wide;
    }
}

TEST_P(FmodTensorOpApiTest, shapes)
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

// The broadcast shape must be that of selfRef.
TEST_P(FmodTensorOpApiTest, shapes_in_place)
{
    EXPECT_EQ(CallInplace(Nd({2, 3, 5}), Nd({3, 1})), ACL_SUCCESS);
    EXPECT_EQ(CallInplace(Nd({2, 3}), Nd({})), ACL_SUCCESS);
    EXPECT_EQ(CallInplace(Nd({0, 4}), Nd({4})), ACL_SUCCESS); // empty
    EXPECT_EQ(CallInplace(Nd({3, 1}), Nd({3, 4})), PARAM_INVALID);
    EXPECT_EQ(CallInplace(Nd({4}), Nd({2, 4})), PARAM_INVALID);
    EXPECT_EQ(CallInplace(Nd({20}), Nd({3})), PARAM_INVALID);
}

TEST_P(FmodTensorOpApiTest, more_than_eight_dimensions)
{
    const TensorDesc nine = Nd(std::vector<int64_t>(9, 1));
    EXPECT_EQ(Call(nine, Nd({1}), nine), PARAM_INVALID);
    EXPECT_EQ(Call(Nd({1}), nine, nine), PARAM_INVALID);
    EXPECT_EQ(Call(Nd({1}), Nd({1}), nine), PARAM_INVALID);
    EXPECT_EQ(CallInplace(nine, Nd({1})), PARAM_INVALID);
    EXPECT_EQ(CallInplace(Nd({1}), nine), PARAM_INVALID);
}

TEST_P(FmodTensorOpApiTest, layouts)
{
    const TensorDesc transposed({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {1, 4}, 0, {6, 4});
    const TensorDesc rows({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {10, 1}, 3, {64});
    const TensorDesc stepped({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {12, 2}, 0, {48});
    const TensorDesc repeated({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {0, 1}, 0, {6});
    const TensorDesc reversed({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {-6, 1}, 18, {24});
    const TensorDesc wide({4, 32}, ACL_FLOAT, ACL_FORMAT_ND, {40, 1}, 8, {200}); // long enough for strided copies
    for (const TensorDesc& self : {transposed, rows, stepped, repeated}) {
        for (const TensorDesc& other : {transposed, rows, stepped, repeated}) {
            for (const TensorDesc& out : {transposed, rows, stepped}) {
                EXPECT_EQ(Call(self, other, out), ACL_SUCCESS);
                EXPECT_EQ(CallInplace(out, other), ACL_SUCCESS);
            }
            EXPECT_EQ(Call(self, other, repeated), PARAM_INVALID); // several results for one place
            EXPECT_EQ(CallInplace(repeated, other), PARAM_INVALID);
        }
    }
    EXPECT_EQ(Call(wide, wide, wide), ACL_SUCCESS);
    EXPECT_EQ(CallInplace(wide, wide), ACL_SUCCESS);
    EXPECT_EQ(Call(Nd({32}), wide, Nd({4, 32})), ACL_SUCCESS);
    EXPECT_EQ(Call(reversed, rows, rows), PARAM_INVALID);
    EXPECT_EQ(Call(rows, reversed, rows), PARAM_INVALID);
    EXPECT_EQ(Call(rows, rows, reversed), PARAM_INVALID);
    // The stride of an axis of one element means nothing.
    const TensorDesc single({1, 6}, ACL_FLOAT, ACL_FORMAT_ND, {0, 1}, 0, {6});
    const TensorDesc backwards({1, 6}, ACL_FLOAT, ACL_FORMAT_ND, {-6, 1}, 0, {6});
    EXPECT_EQ(Call(Nd({6}), backwards, single), ACL_SUCCESS);
    // Products of the extents, as callers compute strides.
    const TensorDesc empty({2, 0, 3}, ACL_FLOAT, ACL_FORMAT_ND, {0, 3, 1}, 0, {2, 0, 3});
    EXPECT_EQ(Call(empty, empty, empty), ACL_SUCCESS);
    EXPECT_EQ(CallInplace(empty, empty), ACL_SUCCESS);
}

TEST_P(FmodTensorOpApiTest, private_formats)
{
    const TensorDesc plain = Nd({2, 16, 16, 16});
    const TensorDesc fractal({2, 16, 16, 16}, ACL_FLOAT, ACL_FORMAT_NC1HWC0);
    EXPECT_EQ(Call(fractal, plain, plain), PARAM_INVALID);
    EXPECT_EQ(Call(plain, fractal, plain), PARAM_INVALID);
    EXPECT_EQ(Call(plain, plain, fractal), PARAM_INVALID);
    EXPECT_EQ(CallInplace(fractal, plain), PARAM_INVALID);
    const TensorDesc image({2, 16, 16, 16}, ACL_FLOAT, ACL_FORMAT_NCHW);
    EXPECT_EQ(Call(image, plain, image), ACL_SUCCESS);
}

TEST_P(FmodTensorOpApiTest, precision_modes_that_do_not_exist)
{
    const aclnnStatus expected = GetParam() ? PARAM_INVALID : ACL_SUCCESS; // V1 does not pass it
    for (const int8_t mode : {-128, -1, 2, 127}) {
        for (const TensorDesc& tensor : {Nd({4}), Nd({4}, ACL_INT32), Nd({0})}) { // also where there is nothing to do
            EXPECT_EQ(Call(tensor, tensor, tensor, mode), expected);
            EXPECT_EQ(CallInplace(tensor, tensor, mode), expected);
        }
    }
}
