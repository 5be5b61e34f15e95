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
#include "base/registry/op_impl_space_registry_v2.h"
#include "infershape_case_executor.h"
#include "infershape_context_faker.h"
#include "op_infer_datatype_context_builder.h"

namespace {
using Dims = std::vector<int64_t>;
using Tensors = std::vector<gert::InfershapeContextPara::TensorDescription>;

gert::StorageShape ShapeOf(const Dims& dims)
{
    gert::StorageShape shape;
    for (int64_t dim : dims) {
        shape.MutableOriginShape().AppendDim(dim);
        shape.MutableStorageShape().AppendDim(dim);
    }
    return shape;
}

gert::InfershapeContextPara TensorPara(const Dims& x1, const Dims& x2)
{
    const Tensors inputs = {{ShapeOf(x1), ge::DT_FLOAT, ge::FORMAT_ND}, {ShapeOf(x2), ge::DT_FLOAT, ge::FORMAT_ND}};
    const Tensors outputs = {{ShapeOf({}), ge::DT_FLOAT, ge::FORMAT_ND}};
    return gert::InfershapeContextPara("Fmod", inputs, outputs);
}

void ExpectShape(const Dims& x1, const Dims& x2, const Dims& y)
{
    SCOPED_TRACE(testing::PrintToString(x1) + " and " + testing::PrintToString(x2));
    auto para = TensorPara(x1, x2);
    ExecuteTestCase(para, ge::GRAPH_SUCCESS, {y});
}

void ExpectFailure(const Dims& x1, const Dims& x2)
{
    SCOPED_TRACE(testing::PrintToString(x1) + " and " + testing::PrintToString(x2));
    auto para = TensorPara(x1, x2);
    ExecuteTestCase(para, ge::GRAPH_FAILED);
}

void ExpectScalarShape(const Dims& x1)
{
    SCOPED_TRACE(testing::PrintToString(x1));
    const Tensors inputs = {{ShapeOf(x1), ge::DT_INT16, ge::FORMAT_ND}};
    const Tensors outputs = {{ShapeOf({}), ge::DT_INT16, ge::FORMAT_ND}};
    gert::InfershapeContextPara para("Fmod", inputs, outputs, {1, 0}, {1});
    ExecuteTestCase(para, ge::GRAPH_SUCCESS, {x1});
}
} // namespace

class FmodInfershapeTest : public testing::Test {};

TEST_F(FmodInfershapeTest, same_shape)
{
    ExpectShape({4, 3, 4}, {4, 3, 4}, {4, 3, 4});
    ExpectShape({}, {}, {});
    ExpectShape({1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_F(FmodInfershapeTest, broadcast)
{
    ExpectShape({2, 3, 5}, {3, 1}, {2, 3, 5});
    ExpectShape({5}, {2, 3, 1}, {2, 3, 5});
    ExpectShape({4, 1, 5}, {1, 3, 1}, {4, 3, 5});
    ExpectShape({}, {7}, {7});
    ExpectShape({7}, {}, {7});
}

TEST_F(FmodInfershapeTest, empty)
{
    ExpectShape({0, 4}, {0, 4}, {0, 4});
    ExpectShape({0}, {1}, {0});
    ExpectShape({3, 1}, {0}, {3, 0});
}

TEST_F(FmodInfershapeTest, unknown_dimensions)
{
    ExpectShape({-1, 4}, {-1, 4}, {-1, 4});
    ExpectShape({-1, 4}, {1, 4}, {-1, 4});
    ExpectShape({-1}, {6}, {6});
    ExpectShape({6}, {-1}, {6});
    ExpectShape({1}, {-1}, {-1});
    ExpectShape({-2}, {3, 4}, {-2});
    ExpectShape({3, 4}, {-2}, {-2});
}

TEST_F(FmodInfershapeTest, scalar_divisor)
{
    ExpectScalarShape({4, 3, 4});
    ExpectScalarShape({});
    ExpectScalarShape({0});
    ExpectScalarShape({-1, 7});
    ExpectScalarShape({-2});
}

TEST_F(FmodInfershapeTest, not_broadcastable)
{
    ExpectFailure({2, 3}, {2, 4});
    ExpectFailure({20}, {3});
    ExpectFailure({0}, {2});
    ExpectFailure({2, 3, 4}, {3, 3, 4});
}

TEST_F(FmodInfershapeTest, data_type_of_x1)
{
    const auto registry = gert::DefaultOpImplSpaceRegistryV2::GetInstance().GetSpaceRegistry();
    ASSERT_NE(registry, nullptr);
    const auto* functions = registry->GetOpImpl("Fmod");
    ASSERT_NE(functions, nullptr);
    ASSERT_NE(functions->infer_datatype, nullptr);
    for (const ge::DataType dtype :
         {ge::DT_BF16, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT16, ge::DT_INT32, ge::DT_INT8, ge::DT_UINT8}) {
        gert::OpInferDataTypeContextBuilder builder;
        builder.OpType("Fmod").OpName("fmod").IONum(2, 1);
        builder.InputTensorDesc(0, dtype, ge::FORMAT_ND, ge::FORMAT_ND);
        builder.InputTensorDesc(1, dtype, ge::FORMAT_ND, ge::FORMAT_ND);
        builder.OutputTensorDesc(0, ge::FORMAT_ND, ge::FORMAT_ND);
        auto holder = builder.Build();
        auto* context = holder.GetContext();
        ASSERT_NE(context, nullptr);
        EXPECT_EQ(functions->infer_datatype(context), ge::GRAPH_SUCCESS);
        EXPECT_EQ(context->GetOutputDataType(0), dtype);
    }
}
