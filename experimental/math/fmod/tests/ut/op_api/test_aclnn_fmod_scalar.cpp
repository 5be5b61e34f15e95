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
#include "../../../op_api/aclnn_fmod_scalar.h"
#include "../../../op_api/aclnn_fmod_scalar_v2.h"
#include "op_api_ut_common/op_api_ut.h"
#include "op_api_ut_common/scalar_desc.h"
#include "op_api_ut_common/tensor_desc.h"

namespace {
constexpr aclnnStatus PARAM_NULLPTR = 161001;
constexpr aclnnStatus PARAM_INVALID = 161002;
constexpr aclnnStatus INNER_NULLPTR = 561103;
const std::vector<aclDataType> TYPES = {ACL_BF16, ACL_FLOAT16, ACL_FLOAT, ACL_INT16, ACL_INT32, ACL_INT8, ACL_UINT8};
const std::vector<aclDataType> OTHER_TYPES = {ACL_UINT16, ACL_UINT32,    ACL_UINT64,
                                              ACL_BOOL,   ACL_COMPLEX64, ACL_COMPLEX128};

TensorDesc Nd(const std::vector<int64_t>& shape, aclDataType dtype = ACL_FLOAT)
{
    return TensorDesc(shape, dtype, ACL_FORMAT_ND);
}

// The AI CPU computes DOUBLE and INT64 where the toolkit has it.
bool IsAccepted(aclnnStatus status) { return status == ACL_SUCCESS || status == INNER_NULLPTR; }

std::vector<ScalarDesc> RealScalars()
{
    return {ScalarDesc(2.5f), ScalarDesc(2.5f, ACL_FLOAT16), ScalarDesc(2.5f, ACL_BF16), ScalarDesc(2.5)};
}

std::vector<ScalarDesc> IntegralScalars()
{
    return {ScalarDesc(static_cast<int8_t>(3)),  ScalarDesc(static_cast<int16_t>(3)),
            ScalarDesc(static_cast<int32_t>(3)), ScalarDesc(static_cast<int64_t>(3)),
            ScalarDesc(static_cast<uint8_t>(3)), ScalarDesc(true)};
}
} // namespace

// The interfaces without and with a precision.
class FmodScalarOpApiTest : public testing::TestWithParam<bool> {
protected:
    template <typename Self, typename Other, typename Out>
    aclnnStatus Call(const Self& self, const Other& other, const Out& out, int8_t mode = 0)
    {
        uint64_t workspaceSize = 0;
        if (GetParam()) {
            auto ut = OP_API_UT(aclnnFmodScalarV2, INPUT(self, other, mode), OUTPUT(out));
            return ut.TestGetWorkspaceSize(&workspaceSize);
        }
        auto ut = OP_API_UT(aclnnFmodScalar, INPUT(self, other), OUTPUT(out));
        return ut.TestGetWorkspaceSize(&workspaceSize);
    }

    template <typename Self, typename Other>
    aclnnStatus CallInplace(const Self& self, const Other& other, int8_t mode = 0)
    {
        uint64_t workspaceSize = 0;
        if (GetParam()) {
            auto ut = OP_API_UT(aclnnInplaceFmodScalarV2, INPUT(self, other, mode), OUTPUT());
            return ut.TestGetWorkspaceSize(&workspaceSize);
        }
        auto ut = OP_API_UT(aclnnInplaceFmodScalar, INPUT(self, other), OUTPUT());
        return ut.TestGetWorkspaceSize(&workspaceSize);
    }
};

INSTANTIATE_TEST_SUITE_P(WithoutAndWithPrecision, FmodScalarOpApiTest, testing::Bool());

TEST_P(FmodScalarOpApiTest, null_arguments)
{
    const TensorDesc tensor = Nd({2, 3});
    const ScalarDesc three(3.0f);
    auto* noTensor = static_cast<aclTensor*>(nullptr);
    auto* noScalar = static_cast<aclScalar*>(nullptr);
    EXPECT_EQ(Call(noTensor, three, tensor), PARAM_NULLPTR);
    EXPECT_EQ(Call(tensor, noScalar, tensor), PARAM_NULLPTR);
    EXPECT_EQ(Call(tensor, three, noTensor), PARAM_NULLPTR);
    EXPECT_EQ(Call(noTensor, noScalar, noTensor), PARAM_NULLPTR);
    EXPECT_EQ(CallInplace(noTensor, three), PARAM_NULLPTR);
    EXPECT_EQ(CallInplace(tensor, noScalar), PARAM_NULLPTR);
    auto whole = OP_API_UT(aclnnFmodScalar, INPUT(tensor, three), OUTPUT(tensor));
    EXPECT_EQ(whole.TestGetWorkspaceSize(nullptr), PARAM_NULLPTR);
}

TEST_P(FmodScalarOpApiTest, every_scalar_dtype_in_both_precisions)
{
    std::vector<ScalarDesc> scalars = IntegralScalars();
    for (const ScalarDesc& real : RealScalars()) {
        scalars.push_back(real);
    }
    for (const aclDataType dtype : TYPES) {
        const TensorDesc self = Nd({6}, dtype);
        for (const int8_t mode : {0, 1}) {
            for (const ScalarDesc& other : scalars) {
                EXPECT_EQ(Call(self, other, self, mode), ACL_SUCCESS) << dtype;
                EXPECT_EQ(CallInplace(self, other, mode), ACL_SUCCESS) << dtype;
            }
        }
        EXPECT_EQ(Call(self, ScalarDesc(static_cast<uint16_t>(3)), self), PARAM_INVALID);
        EXPECT_EQ(Call(self, ScalarDesc(static_cast<uint32_t>(3)), self), PARAM_INVALID);
        EXPECT_EQ(Call(self, ScalarDesc(static_cast<uint64_t>(3)), self), PARAM_INVALID);
        EXPECT_EQ(CallInplace(self, ScalarDesc(static_cast<uint64_t>(3))), PARAM_INVALID);
    }
}

TEST_P(FmodScalarOpApiTest, dtypes_that_are_not_supported)
{
    const ScalarDesc other(3.0f);
    for (const aclDataType dtype : OTHER_TYPES) {
        EXPECT_EQ(Call(Nd({4}, dtype), other, Nd({4})), PARAM_INVALID) << dtype;
        EXPECT_EQ(Call(Nd({4}), other, Nd({4}, dtype)), PARAM_INVALID) << dtype;
        EXPECT_EQ(CallInplace(Nd({4}, dtype), other), PARAM_INVALID) << dtype;
    }
}

TEST_P(FmodScalarOpApiTest, tensors_of_64_bits)
{
    for (const ScalarDesc& other : RealScalars()) { // lifts INT64 to FLOAT
        EXPECT_EQ(Call(Nd({4}, ACL_INT64), other, Nd({4})), ACL_SUCCESS);
        EXPECT_EQ(CallInplace(Nd({4}, ACL_INT64), other), ACL_SUCCESS);
        EXPECT_TRUE(IsAccepted(CallInplace(Nd({4}, ACL_DOUBLE), other)));
    }
    for (const ScalarDesc& other : IntegralScalars()) {
        EXPECT_TRUE(IsAccepted(CallInplace(Nd({4}, ACL_INT64), other)));
        EXPECT_TRUE(IsAccepted(Call(Nd({4}, ACL_DOUBLE), other, Nd({4}))));
        EXPECT_EQ(Call(Nd({4}), other, Nd({4}, ACL_DOUBLE)), ACL_SUCCESS);
        EXPECT_EQ(Call(Nd({4}, ACL_INT8), other, Nd({4}, ACL_INT64)), ACL_SUCCESS);
    }
}

// Beyond the range of self a wider data type computes, on the AI CPU at last.
TEST_P(FmodScalarOpApiTest, integral_scalars_of_any_size)
{
    struct Row {
        aclDataType dtype;
        int64_t value;
    };
    const std::vector<Row> rows = {
        {ACL_INT8, 127},       {ACL_INT8, 128},         {ACL_INT8, -129},           {ACL_UINT8, 256},
        {ACL_UINT8, -1},       {ACL_INT16, 32768},      {ACL_INT16, -32769},        {ACL_INT16, 2147483647},
        {ACL_INT8, -100000},   {ACL_INT32, 2147483647}, {ACL_INT32, -2147483648LL}, {ACL_FLOAT, INT64_MAX},
        {ACL_FLOAT16, 100000}, // rounded, to infinity at last
    };
    for (const Row& row : rows) {
        const TensorDesc tensor = Nd({4}, row.dtype);
        EXPECT_EQ(Call(tensor, ScalarDesc(row.value), tensor), ACL_SUCCESS) << row.dtype << " " << row.value;
        EXPECT_EQ(CallInplace(tensor, ScalarDesc(row.value)), ACL_SUCCESS) << row.dtype << " " << row.value;
    }
    for (const int64_t value : {int64_t{2147483648}, int64_t{-2147483649}, INT64_MIN}) {
        EXPECT_TRUE(IsAccepted(CallInplace(Nd({4}, ACL_INT32), ScalarDesc(value)))) << value;
        EXPECT_TRUE(IsAccepted(CallInplace(Nd({4}, ACL_UINT8), ScalarDesc(value)))) << value;
    }
}

TEST_P(FmodScalarOpApiTest, casts_of_the_result)
{
    for (const aclDataType self : TYPES) {
        for (const aclDataType out : TYPES) {
            EXPECT_EQ(Call(Nd({6}, self), ScalarDesc(2.5), Nd({6}, out)), ACL_SUCCESS) << self << " to " << out;
            EXPECT_EQ(Call(Nd({6}, self), ScalarDesc(static_cast<int32_t>(3)), Nd({6}, out)), ACL_SUCCESS)
                << self << " to " << out;
        }
    }
}

TEST_P(FmodScalarOpApiTest, shapes)
{
    const ScalarDesc other(3.0f);
    const TensorDesc nine = Nd(std::vector<int64_t>(9, 1));
    for (const TensorDesc& tensor : {Nd({}), Nd({1}), Nd({1, 2, 1, 3, 1, 2, 1, 4}), Nd({0, 4})}) {
        EXPECT_EQ(Call(tensor, other, tensor), ACL_SUCCESS);
        EXPECT_EQ(CallInplace(tensor, other), ACL_SUCCESS);
    }
    EXPECT_EQ(Call(nine, other, nine), PARAM_INVALID);
    EXPECT_EQ(CallInplace(nine, other), PARAM_INVALID);
    EXPECT_EQ(Call(Nd({2, 3}), other, Nd({3, 2})), PARAM_INVALID);
    EXPECT_EQ(Call(Nd({1}), other, Nd({4})), PARAM_INVALID); // out is not broadcast
    EXPECT_EQ(Call(Nd({4}), other, Nd({1, 4})), PARAM_INVALID);
}

TEST_P(FmodScalarOpApiTest, layouts)
{
    const ScalarDesc other(3.0f);
    const TensorDesc transposed({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {1, 4}, 0, {6, 4});
    const TensorDesc rows({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {10, 1}, 3, {64});
    const TensorDesc wide({4, 32}, ACL_FLOAT, ACL_FORMAT_ND, {40, 1}, 8, {200}); // long enough for strided copies
    const TensorDesc repeated({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {0, 1}, 0, {6});
    const TensorDesc reversed({4, 6}, ACL_FLOAT, ACL_FORMAT_ND, {-6, 1}, 18, {24});
    for (const TensorDesc& tensor : {transposed, rows, wide}) {
        EXPECT_EQ(Call(tensor, other, tensor), ACL_SUCCESS);
        EXPECT_EQ(CallInplace(tensor, other), ACL_SUCCESS);
    }
    EXPECT_EQ(Call(transposed, other, rows), ACL_SUCCESS);
    EXPECT_EQ(Call(repeated, other, rows), ACL_SUCCESS);
    EXPECT_EQ(Call(rows, other, repeated), PARAM_INVALID); // several results for one place
    EXPECT_EQ(CallInplace(repeated, other), PARAM_INVALID);
    EXPECT_EQ(Call(reversed, other, rows), PARAM_INVALID);
    EXPECT_EQ(Call(rows, other, reversed), PARAM_INVALID);
    EXPECT_EQ(CallInplace(reversed, other), PARAM_INVALID);
}

TEST_P(FmodScalarOpApiTest, private_formats)
{
    const ScalarDesc other(3.0f);
    const TensorDesc plain = Nd({2, 16, 16, 16});
    const TensorDesc fractal({2, 16, 16, 16}, ACL_FLOAT, ACL_FORMAT_NC1HWC0);
    EXPECT_EQ(Call(fractal, other, plain), PARAM_INVALID);
    EXPECT_EQ(Call(plain, other, fractal), PARAM_INVALID);
    EXPECT_EQ(CallInplace(fractal, other), PARAM_INVALID);
    EXPECT_EQ(Call(plain, other, plain), ACL_SUCCESS);
}

TEST_P(FmodScalarOpApiTest, precision_modes_that_do_not_exist)
{
    const ScalarDesc other(static_cast<int32_t>(3));
    const aclnnStatus expected = GetParam() ? PARAM_INVALID : ACL_SUCCESS; // V1 does not pass it
    for (const int8_t mode : {-128, -1, 2, 127}) {
        for (const TensorDesc& tensor : {Nd({4}), Nd({4}, ACL_INT32), Nd({0})}) { // also where there is nothing to do
            EXPECT_EQ(Call(tensor, other, tensor, mode), expected);
            EXPECT_EQ(CallInplace(tensor, other, mode), expected);
        }
    }
}
