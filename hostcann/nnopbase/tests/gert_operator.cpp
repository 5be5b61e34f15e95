// ge::Operator as a callback of a definition sees it, made from a description.
#include "../gert/aclnn_source.h"
#include "../gert/op_def_access.h"
#include "../gert/op_info_ini.h"
#include "../gert/operator_content.h"
#include "gtest/gtest.h"
#include "register/op_def_registry.h"

namespace {
// The columns depend on the first dimension, as in the page of SetOpSelectFormat.
ge::graphStatus SelectFormat(const ge::Operator& op, ge::AscendString& result)
{
    if (op.GetInputsSize() == 0U) {
        return ge::GRAPH_FAILED;
    }
    result = op.GetInputDesc(0).GetShape().GetDim(0) <= 8 ? "small" : "large";
    return ge::GRAPH_SUCCESS;
}
} // namespace

namespace ops {
class GertCallbackOp : public OpDef {
public:
    explicit GertCallbackOp(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED);
        this->Output("y").ParamType(REQUIRED);
        this->AICore().SetOpSelectFormat(SelectFormat);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(GertCallbackOp);
} // namespace ops

namespace {
ge::Operator Of(const std::string& text)
{
    std::string error;
    const ge::Operator op = ge::OperatorOfText("GertCallbackOp", text, error);
    EXPECT_EQ(error, "");
    return op;
}
std::string ErrorOf(const std::string& text)
{
    std::string error;
    (void)ge::OperatorOfText("X", text, error);
    return error;
}

std::string Called(const std::string& text)
{
    optiling::OP_CHECK_FUNC function = nullptr;
    for (ops::OpDef& def : ops::OpDefAccess::CreateAll()) {
        if (ops::OpDefAccess::Type(def) == "GertCallbackOp") {
            function = def.AICore().GetOpSelectFormat();
        }
    }
    ge::AscendString result;
    return function(Of(text), result) == ge::GRAPH_SUCCESS ? result.GetString() : "failed";
}
} // namespace

TEST(GertOperator, operator_callback_of_a_definition_sees_the_tensors)
{
    EXPECT_EQ(Called("input\tx\tfloat16\tND\t8,4\n"), "small");
    EXPECT_EQ(Called("input\tx\tfloat16\tND\t9,4\n"), "large");
    EXPECT_EQ(Called("absent\tx\n"), "failed");
}

TEST(GertOperator, operator_definition_with_a_callback_needs_no_lists)
{
    for (const ops::OpDef& def : ops::OpDefAccess::CreateAll()) {
        if (ops::OpDefAccess::Type(def) == "GertCallbackOp") {
            const ops::OpInfoIni ini = ops::MakeOpInfoIni({def});
            EXPECT_EQ(ini.errors.size(), 0U);
            const std::string start =
                "[GertCallbackOp]\ninput0.name=x\ninput0.shape=all\ninput0.paramType=required\noutput0.name=y\n"
                "output0.shape=all\noutput0.paramType=required\ndynamicCompileStatic.flag=true\n"
                "dynamicFormat.flag=true\n";
            EXPECT_EQ(ini.text_of_soc.at("ascend910b").substr(0, start.size()), start);
            // Of what types would a generated interface be?
            std::vector<std::string> errors;
            (void)ops::MakeAclnnSource(def, "aclnn", errors);
            EXPECT_TRUE(errors.size() == 1U && errors[0].find("ACLNNTYPE aclnn_exclude") != std::string::npos);
        }
    }
    // Half of them is nothing that a function could complete.
    ops::OpDef half("Half");
    half.Input("x").DataType({ge::DT_FLOAT});
    half.Output("y");
    half.AICore().SetOpSelectFormat(SelectFormat).AddConfig("ascend910b");
    const ops::OpInfoIni ini = ops::MakeOpInfoIni({half});
    EXPECT_TRUE(ini.errors.size() == 1U && ini.errors[0].find("y: it has no data types") != std::string::npos);
}

TEST(GertOperator, operator_tensors_by_index_and_name)
{
    const ge::Operator op = Of(
        "input\tx\tfloat\tNC1HWC0\t2,-1\nabsent\tbias\ninput\tlist0\tint8\tND\t3\ninput\tlist1\tint8\tND\t\n"
        "output\ty\tbfloat16\tND\t-2\n");
    EXPECT_EQ(op.GetInputsSize(), 3U);
    EXPECT_EQ(op.GetOutputsSize(), 1U);
    EXPECT_EQ(op.GetInputDesc(0).GetDataType(), ge::DT_FLOAT);
    EXPECT_EQ(op.GetInputDescByName("x").GetFormat(), ge::FORMAT_NC1HWC0);
    EXPECT_EQ(op.GetInputDesc("x").GetShape().GetDims(), (std::vector<int64_t>{2, -1}));
    EXPECT_EQ(op.GetInputDesc(1).GetDataType(), ge::DT_UNDEFINED);
    EXPECT_EQ(op.GetInputDesc(1).GetFormat(), ge::FORMAT_RESERVED);
    EXPECT_EQ(op.GetInputDesc(2).GetDataType(), ge::DT_INT8);
    EXPECT_EQ(op.GetDynamicInputNum("list"), 2);
    EXPECT_EQ(op.GetDynamicInputDesc("list", 0).GetShape().GetDim(0), 3);
    EXPECT_EQ(op.GetDynamicInputDesc("list", 1).GetShape().GetDimNum(), 0U);
    ge::TensorDesc desc;
    EXPECT_EQ(op.TryGetInputDesc("bias", desc), ge::GRAPH_FAILED);
    EXPECT_EQ(op.TryGetInputDesc("x", desc), ge::GRAPH_SUCCESS);
    EXPECT_EQ(desc.GetOriginShape().GetDim(0), 2);
    EXPECT_EQ(op.GetOutputDesc(0).GetDataType(), ge::DT_BF16);
    EXPECT_EQ(op.GetOutputDesc("y").GetShape().GetDimNum(), 0U);
    EXPECT_EQ(op.GetDynamicOutputNum("y"), 0);
    EXPECT_EQ(ge::Operator().GetInputsSize(), 0U);
}

TEST(GertOperator, operator_attributes_have_one_type)
{
    const ge::Operator op = Of(
        "attr\ti\tint\t5000000000\nattr\tf\tfloat\t1.5\nattr\tb\tbool\ttrue\nattr\ts\tstr\ttwo words\n"
        "attr\tli\tlistInt\t1\t-2\nattr\tlf\tlistFloat\nattr\tlb\tlistBool\tfalse\ttrue\nattr\tls\tlistStr\ta\tb\n"
        "attr\tlli\tlistListInt\t1,2\t\t3\n");
    int64_t wide = 0;
    int32_t narrow = 7;
    float real = 0;
    bool flag = false;
    ge::AscendString text;
    EXPECT_EQ(op.GetAttr("i", wide), ge::GRAPH_SUCCESS);
    EXPECT_EQ(wide, 5000000000);
    EXPECT_EQ(op.GetAttr("i", narrow), ge::GRAPH_FAILED);
    EXPECT_EQ(narrow, 7);
    EXPECT_EQ(op.GetAttr("i", real), ge::GRAPH_FAILED);
    EXPECT_EQ(op.GetAttr("f", real), ge::GRAPH_SUCCESS);
    EXPECT_EQ(real, 1.5F);
    EXPECT_EQ(op.GetAttr("b", flag), ge::GRAPH_SUCCESS);
    EXPECT_TRUE(flag);
    EXPECT_EQ(op.GetAttr("s", text), ge::GRAPH_SUCCESS);
    EXPECT_EQ(std::string(text.GetString()), "two words");
    EXPECT_EQ(op.GetAttr("nothing", text), ge::GRAPH_FAILED);
    std::vector<int64_t> ints;
    std::vector<float> reals(1);
    std::vector<bool> flags;
    std::vector<ge::AscendString> texts;
    std::vector<std::vector<int64_t>> lists;
    EXPECT_EQ(op.GetAttr("li", ints), ge::GRAPH_SUCCESS);
    EXPECT_EQ(ints, (std::vector<int64_t>{1, -2}));
    EXPECT_EQ(op.GetAttr("lf", reals), ge::GRAPH_SUCCESS);
    EXPECT_EQ(reals.size(), 0U);
    EXPECT_EQ(op.GetAttr("lb", flags), ge::GRAPH_SUCCESS);
    EXPECT_EQ(flags, (std::vector<bool>{false, true}));
    EXPECT_EQ(op.GetAttr("ls", texts), ge::GRAPH_SUCCESS);
    EXPECT_EQ(texts.size(), 2U);
    EXPECT_EQ(op.GetAttr("lli", lists), ge::GRAPH_SUCCESS);
    EXPECT_EQ(lists, (std::vector<std::vector<int64_t>>{{1, 2}, {}, {3}}));
}

TEST(GertOperator, operator_descriptions_that_say_nothing_are_refused)
{
    for (const char* line :
         {"input\tx\tfloat17\tND\t2", "input\tx\tfloat\tNHWD\t2", "input\tx\tfloat\tND\t2,a", "input\tx\tfloat\tND",
          "attr\ti\tint\t1\t2", "attr\ti\tint\t1.5", "attr\tb\tbool\tyes", "attr\tx\tlistType\t1", "other\tx", ""}) {
        const std::string error = ErrorOf("output\ty\tfloat\tND\t1\n" + std::string(line) + "\n");
        EXPECT_TRUE(error.find("'" + std::string(line) + "' is no line of a description") == 0U);
    }
}
