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

gert::InfershapeContextPara ParaOf(const Dims& x1, const Dims& x2)
{
    const Tensors inputs = {{ShapeOf(x1), ge::DT_FLOAT, ge::FORMAT_ND}, {ShapeOf(x2), ge::DT_FLOAT, ge::FORMAT_ND}};
    const Tensors outputs = {{ShapeOf({}), ge::DT_FLOAT, ge::FORMAT_ND}};
    return gert::InfershapeContextPara("MyOp", inputs, outputs);
}

void ExpectShape(const Dims& x1, const Dims& x2, const Dims& y)
{
    SCOPED_TRACE(testing::PrintToString(x1) + " and " + testing::PrintToString(x2));
    auto para = ParaOf(x1, x2);
    ExecuteTestCase(para, ge::GRAPH_SUCCESS, {y});
}
} // namespace

TEST(MyOpInfershapeTest, y_has_the_broadcast_shape)
{
    ExpectShape({3, 4}, {3, 4}, {3, 4});
    ExpectShape({3, 4}, {4}, {3, 4});
    ExpectShape({4, 1, 6}, {5, 1}, {4, 5, 6});
    ExpectShape({}, {2}, {2});
}

TEST(MyOpInfershapeTest, shapes_that_do_not_broadcast)
{
    auto para = ParaOf({3, 4}, {3});
    ExecuteTestCase(para, ge::GRAPH_FAILED);
}
