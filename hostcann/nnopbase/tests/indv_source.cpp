// Op definition -> generated aclnn interface: names, order and types of parameters, files, refusals.
#include "../gert/aclnn_source.h"
#include "../gert/proto_source.h"
#include "gtest/gtest.h"
#include "register/op_def_registry.h"

namespace {
using ops::MakeAclnnSource;
using ops::MakeAclnnSources;
using ops::OpDef;

std::string Errors(const std::vector<std::string>& errors)
{
    std::string text;
    for (const std::string& error : errors) {
        text += error + "\n";
    }
    return text;
}

// "type name, type name" of phase 1.
std::string Parameters(const OpDef& op, bool tensors = false)
{
    std::vector<std::string> errors;
    std::string text;
    for (const ops::AclnnParam& param : ReadAclnnSignature(op, "aclnn", errors).params) {
        text += (text.empty() ? "" : ", ") + (tensors ? param.tensor_type : param.type) + " " + param.name;
    }
    return errors.empty() ? text : Errors(errors);
}

OpDef Small(const char* type)
{
    OpDef op(type);
    op.Input("x").DataType({ge::DT_FLOAT});
    op.Output("y").DataType({ge::DT_FLOAT});
    op.AICore().AddConfig("ascend910b");
    return op;
}
} // namespace

// The parameters of asc-devkit's test operator of this name (tests/tools/utils/opbuild).
TEST(IndvSource, AclnnParametersOfEveryKind)
{
    OpDef op("AddTik2");
    op.Input("x1").DataType({ge::DT_FLOAT16}).ParamType(ops::OPTIONAL);
    op.Input("x2").DataType({ge::DT_FLOAT16}).ParamType(ops::DYNAMIC);
    op.Output("y").DataType({ge::DT_FLOAT16});
    op.Output("y2").DataType({ge::DT_FLOAT16}).ParamType(ops::DYNAMIC);
    op.Attr("bias0").AttrType(ops::OPTIONAL).Int(0);
    op.Attr("bias1").AttrType(ops::OPTIONAL).Float(0.0F);
    op.Attr("bias2").AttrType(ops::OPTIONAL).ListBool({true, false});
    op.Attr("bias3").AttrType(ops::OPTIONAL).ListFloat({0.5F});
    op.Attr("bias4").AttrType(ops::OPTIONAL).ListInt({1, 2});
    op.Attr("bias5").AttrType(ops::OPTIONAL).String("ssss");
    op.Attr("bias6").AttrType(ops::OPTIONAL).Bool(true);
    op.Attr("bias22").ListBool();
    op.Attr("bias55").String();
    op.AICore().AddConfig("ascend910b");
    EXPECT_EQ(
        Parameters(op),
        "const aclTensor* x1Optional, const aclTensorList* x2, int64_t bias0, double bias1, "
        "const aclBoolArray* bias2Optional, const aclFloatArray* bias3Optional, const aclIntArray* bias4Optional, "
        "char* bias5Optional, bool bias6, const aclBoolArray* bias22, char* bias55, const aclTensor* yOut, "
        "const aclTensorList* y2Out");
}

TEST(IndvSource, AclnnNamesOfReferencesAndSingleOutputs)
{
    EXPECT_EQ(Parameters(Small("One")), "const aclTensor* x, const aclTensor* out");
    OpDef ref("Ref");
    ref.Input("my_self").DataType({ge::DT_FLOAT});
    ref.Input("list").DataType({ge::DT_FLOAT}).ParamType(ops::DYNAMIC);
    ref.Output("list").DataType({ge::DT_FLOAT}).ParamType(ops::DYNAMIC);
    ref.Output("my_self").DataType({ge::DT_FLOAT});
    ref.AICore().AddConfig("ascend910b");
    EXPECT_EQ(Parameters(ref), "aclTensor* mySelfRef, aclTensorList* listRef");
    std::vector<std::string> errors;
    const auto signature = ReadAclnnSignature(ref, "aclnn", errors);
    EXPECT_EQ(signature.refs.size(), 2U);
    EXPECT_EQ(signature.refs[0].second, 1U);
    EXPECT_EQ(signature.refs[1].second, 0U);
}

TEST(IndvSource, AclnnValueDependentAndScalarInputs)
{
    OpDef op("Depend");
    op.Input("x").DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
    op.Input("sizes").DataType({ge::DT_INT32, ge::DT_INT64}).ValueDepend(ops::OPTIONAL);
    op.Input("keep").DataTypeList({ge::DT_BOOL}).ValueDepend(ops::REQUIRED);
    op.Input("one").DataType({ge::DT_FLOAT, ge::DT_FLOAT}).Scalar().To("x");
    op.Input("many").DataType({ge::DT_INT64, ge::DT_INT64}).ScalarList().To(ge::DT_INT32);
    op.Output("y").DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
    op.AICore().AddConfig("ascend910b");
    EXPECT_EQ(Parameters(op),
              "const aclTensor* x, const aclIntArray* sizes, const aclBoolArray* keep, "
              "const aclScalar* one, const aclScalarList* many, const aclTensor* out");
    EXPECT_EQ(Parameters(op, true),
              "const aclTensor* x, const aclTensor* sizes, const aclTensor* keep, "
              "const aclScalar* one, const aclScalarList* many, const aclTensor* out");
    std::vector<std::string> errors;
    const auto source = MakeAclnnSource(op, "aclnn", errors);
    EXPECT_EQ(Errors(errors), "");
    EXPECT_TRUE(source.header.find("aclnnDependTensorGetWorkspaceSize(") != std::string::npos);
    EXPECT_TRUE(source.source.find("NnopbaseOpLogE(161001, #pointer \" != nullptr (aclnnDepend)\")") !=
                std::string::npos);
    EXPECT_TRUE(source.source.find("NnopbaseAddScalarInput(call, one, 3, 0, ge::DT_UNDEFINED)") != std::string::npos);
    EXPECT_TRUE(source.source.find("NnopbaseAddScalarListInput(call, many, 4, -1, static_cast<ge::DataType>(3))") !=
                std::string::npos);
}

TEST(IndvSource, AclnnParametersWithOneName)
{
    OpDef op("Twice");
    op.Input("x").DataType({ge::DT_FLOAT});
    op.Output("y").DataType({ge::DT_FLOAT});
    op.Attr("x").AttrType(ops::REQUIRED).Int();
    op.AICore().AddConfig("ascend910b");
    std::vector<std::string> errors;
    MakeAclnnSource(op, "aclnn", errors);
    EXPECT_EQ(Errors(errors),
              "Twice: aclnn interface: two of its inputs, outputs and attributes give the parameter x; rename one\n");
}

TEST(IndvSource, AclnnFileAndFunctionNames)
{
    std::vector<std::string> errors;
    const auto open = MakeAclnnSource(Small("RmsNormGradV2"), "aclnn", errors);
    EXPECT_EQ(open.stem, "aclnn_rms_norm_grad_v2");
    EXPECT_TRUE(open.header.find(" aclnnRmsNormGradV2GetWorkspaceSize(") != std::string::npos);
    const auto inner = MakeAclnnSource(Small("Im2Col"), "aclnnInner", errors);
    EXPECT_EQ(inner.stem, "aclnnInner_im2_col");
    EXPECT_TRUE(inner.header.find(" aclnnInnerIm2Col(") != std::string::npos);
    EXPECT_EQ(Errors(errors), "");
}

TEST(IndvSource, AclnnDefaultsOfLists)
{
    OpDef op = Small("Defaults");
    op.Attr("dims").AttrType(ops::OPTIONAL).ListInt({3, -4});
    op.Attr("none").AttrType(ops::OPTIONAL).ListFloat({});
    op.Attr("text").AttrType(ops::OPTIONAL).String("a\"b");
    std::vector<std::string> errors;
    const std::string source = MakeAclnnSource(op, "aclnn", errors).source;
    EXPECT_EQ(Errors(errors), "");
    EXPECT_TRUE(source.find("static int64_t default0[] = {3,-4};") != std::string::npos);
    EXPECT_TRUE(source.find("default0, 2, sizeof(int64_t), 0, kNnopbaseInt") != std::string::npos);
    EXPECT_TRUE(source.find("static float default1[] = {0};") != std::string::npos);
    EXPECT_TRUE(source.find("default1, 0, sizeof(float), 1, kNnopbaseFloat") != std::string::npos);
    EXPECT_TRUE(source.find("static char default2[] = \"a\\\"b\";") != std::string::npos);
}

// Each version has the parameters of those before it; what is later is absent or has its default.
TEST(IndvSource, AclnnVersions)
{
    OpDef op = Small("Step");
    op.Input("late").ParamType(ops::OPTIONAL).DataType({ge::DT_FLOAT}).Version(2);
    op.Attr("mode").AttrType(ops::OPTIONAL).Version(2).Int(3);
    std::vector<std::string> errors;
    const auto sources = MakeAclnnSources(op, "aclnn", errors);
    EXPECT_EQ(Errors(errors), "");
    ASSERT_EQ(sources.size(), 2U);
    EXPECT_EQ(sources[0].stem + " " + sources[1].stem, "aclnn_step aclnn_step_v2");
    EXPECT_TRUE(sources[0].header.find("lateOptional") == std::string::npos);
    EXPECT_TRUE(sources[0].header.find("mode") == std::string::npos);
    EXPECT_TRUE(sources[0].source.find("    const aclTensor* lateOptional = nullptr;\n") != std::string::npos);
    EXPECT_TRUE(sources[0].source.find("    int64_t mode = 3;\n") != std::string::npos);
    EXPECT_TRUE(sources[1].header.find(" aclnnStepV2GetWorkspaceSize(") != std::string::npos);
    EXPECT_TRUE(sources[1].header.find("const aclTensor* lateOptional,\n") != std::string::npos);
    EXPECT_TRUE(sources[1].header.find("int64_t mode,\n") != std::string::npos);
    EXPECT_TRUE(sources[1].source.find("lateOptional = nullptr") == std::string::npos);
}

TEST(IndvSource, AclnnRefusals)
{
    const auto refused = [](const OpDef& op) {
        std::vector<std::string> errors;
        (void)MakeAclnnSource(op, "aclnn", errors);
        return Errors(errors);
    };
    OpDef versioned = Small("A");
    versioned.Input("x").Version(1);
    EXPECT_EQ(refused(versioned), "A: aclnn interface: input x: Version is for optional inputs that are no outputs\n");
    OpDef mixed = Small("B");
    mixed.Input("x").ValueDepend(ops::OPTIONAL).Scalar();
    EXPECT_EQ(refused(mixed), "B: aclnn interface: input x has ValueDepend and is a scalar or dynamic; choose one\n");
    OpDef lists = Small("C");
    lists.Attr("a").ListListInt();
    EXPECT_EQ(refused(lists), "C: aclnn interface: attribute a: an aclnn interface has no parameter of its type\n");
    OpDef both = Small("D");
    both.Input("x").AutoContiguous().IgnoreContiguous();
    EXPECT_EQ(refused(both),
              "D: aclnn interface: input x is AutoContiguous and IgnoreContiguous on ascend910b; choose one\n");
}

TEST(IndvSource, PrototypesOfAllOperators)
{
    OpDef op("Clip");
    op.Input("x").DataType({ge::DT_FLOAT});
    op.Input("bounds").DataType({ge::DT_FLOAT}).ParamType(ops::OPTIONAL);
    op.Output("y").DataType({ge::DT_FLOAT}).ParamType(ops::DYNAMIC);
    op.Attr("low").Float();
    op.Attr("axes").AttrType(ops::OPTIONAL).ListInt({1, 2});
    op.Attr("mode").AttrType(ops::OPTIONAL).String("near");
    const std::string text = ops::MakeProtoHeader({op, Small("Other")});
    EXPECT_NE(text.find("REG_OP(Clip)\n"
                        "    .INPUT(x, ge::TensorType::ALL())\n"
                        "    .OPTIONAL_INPUT(bounds, ge::TensorType::ALL())\n"
                        "    .DYNAMIC_OUTPUT(y, ge::TensorType::ALL())\n"
                        "    .REQUIRED_ATTR(low, Float)\n"
                        "    .ATTR(axes, ListInt, {1,2})\n"
                        "    .ATTR(mode, String, \"near\")\n"
                        "    .OP_END_FACTORY_REG(Clip);\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("REG_OP(Other)"), std::string::npos);
}
