/**
 * Copyright (c) 2026 The MyOp operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

//@infershape.cpp

gert::InfershapeContextPara ParaOf(const Dims& x)
{
    const Tensors inputs = {{ShapeOf(x), ge::DT_FLOAT, ge::FORMAT_ND}};
    const Tensors outputs = {{ShapeOf({}), ge::DT_FLOAT, ge::FORMAT_ND}};
    return gert::InfershapeContextPara("MyOp", inputs, outputs);
}

void ExpectShape(const Dims& x, const Dims& y)
{
    SCOPED_TRACE(testing::PrintToString(x));
    auto para = ParaOf(x);
    ExecuteTestCase(para, ge::GRAPH_SUCCESS, {y});
}
} // namespace

TEST(MyOpInfershapeTest, the_last_axis_goes)
{
    ExpectShape({3, 4, 5}, {3, 4});
    ExpectShape({7}, {});
    ExpectShape({0, 4}, {0});
    ExpectShape({-1, 8}, {-1});
    ExpectShape({-2}, {-2});
}

TEST(MyOpInfershapeTest, nothing_to_reduce)
{
    auto para = ParaOf({});
    ExecuteTestCase(para, ge::GRAPH_FAILED);
}
