#include "gtest/gtest.h"
#include "infershape_case_executor.h"

// Upstream compares as many shapes as a case gives.
TEST(WeightedStackInferShape, shapes_that_nobody_expects)
{
    const gert::StorageShape shape = {{4, 5}, {4, 5}};
    gert::InfershapeContextPara para("WeightedStack",
                                     {{shape, ge::DT_FLOAT, ge::FORMAT_ND}, {shape, ge::DT_FLOAT, ge::FORMAT_ND}},
                                     {{{{}, {}}, ge::DT_FLOAT, ge::FORMAT_ND}}, {1, 1}, {1});
    ExecuteTestCase(para, ge::GRAPH_SUCCESS, {});
    ExecuteTestCase(para, ge::GRAPH_SUCCESS, {{4, 5}});
}

// Inputs are described by their tensors; their other description is taken and changes nothing.
TEST(WeightedStackInferShape, described_inputs)
{
    gert::Tensor x({{3}, {3}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnHost, ge::DT_FLOAT, nullptr);
    gert::InferShapeContextFaker faker;
    auto holder = faker.SetOpType("WeightedStack")
                      .IrInstanceNum({1}, {1})
                      .InputTensors({&x})
                      .NodeInputTd(0, ge::DT_FLOAT16, ge::FORMAT_NCHW, ge::FORMAT_NCHW)
                      .NodeOutputTd(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND)
                      .Build();
    ASSERT_NE(holder.GetContext(), nullptr);
    EXPECT_EQ(holder.GetContext()->GetInputDesc(0)->GetDataType(), ge::DT_FLOAT);
}
