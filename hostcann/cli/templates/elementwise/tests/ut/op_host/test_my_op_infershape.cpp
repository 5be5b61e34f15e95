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

void ExpectShape(const Dims& x, const Dims& y)
{
    SCOPED_TRACE(testing::PrintToString(x));
    const Tensors inputs = {{ShapeOf(x), ge::DT_FLOAT, ge::FORMAT_ND}};
    const Tensors outputs = {{ShapeOf({}), ge::DT_FLOAT, ge::FORMAT_ND}};
    gert::InfershapeContextPara para("MyOp", inputs, outputs);
    ExecuteTestCase(para, ge::GRAPH_SUCCESS, {y});
}
} // namespace

TEST(MyOpInfershapeTest, y_has_the_shape_of_x)
{
    ExpectShape({3, 4, 5}, {3, 4, 5});
    ExpectShape({0}, {0});
    ExpectShape({}, {});
    ExpectShape({-1, 8}, {-1, 8});
    ExpectShape({-2}, {-2});
}
