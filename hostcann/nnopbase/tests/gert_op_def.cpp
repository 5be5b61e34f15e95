// Op definitions to op info text: the order of asc-devkit's generator, columns, and every refusal.
#include <type_traits>
#include <utility>

#include "../gert/op_def_access.h"
#include "../gert/op_info_ini.h"
#include "gtest/gtest.h"
#include "register/op_config_registry.h"
#include "register/op_def_registry.h"

namespace ops {
static_assert(std::is_same_v<decltype(std::declval<OpDef>().HostCPU()), OpHostCPUDef&>);
static_assert(std::is_same_v<decltype(std::declval<OpDef>().AICPU()), OpAICPUDef&>);
static_assert(std::is_same_v<decltype(std::declval<OpHostCPUDef>().UserDefined(true)), OpHostCPUDef&>);
static_assert(!std::is_same_v<OpHostCPUDef, OpAICPUDef>);

class GertSmallOp : public OpDef {
public:
    explicit GertSmallOp(const char* name) : OpDef(name)
    {
        this->Input("x1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16, ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("x2").ParamType(OPTIONAL).DataType({ge::DT_BF16, ge::DT_FLOAT16, ge::DT_FLOAT});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_BF16, ge::DT_FLOAT16, ge::DT_FLOAT});
        this->Attr("scalar_float").AttrType(OPTIONAL).Float(1.5F);
        this->Attr("precision_mode").AttrType(OPTIONAL).Int(0);
        this->Attr("dims").ListInt();
        this->AICore().AddConfig("ascend910b");
        OpAICoreConfig config;
        config.DynamicShapeSupportFlag(true).ExtendCfgInfo("opFile.value", "small_apt");
        this->AICore().AddConfig("ascend910_93", config);
    }
};
OP_ADD(GertSmallOp);
} // namespace ops

namespace {
using ops::OpDef;
using ops::OpDefAccess;

const std::string kGolden910b =
    "[GertSmallOp]\n"
    "input0.name=x1\n"
    "input0.dtype=bfloat16,float16,float32\n"
    "input0.format=ND,ND,ND\n"
    "input0.unknownshape_format=ND,ND,ND\n"
    "input0.shape=all\n"
    "input0.paramType=required\n"
    "input1.name=x2\n"
    "input1.dtype=bfloat16,float16,float32\n"
    "input1.format=ND,ND,ND\n"
    "input1.shape=all\n"
    "input1.paramType=optional\n"
    "output0.name=y\n"
    "output0.dtype=bfloat16,float16,float32\n"
    "output0.format=ND,ND,ND\n"
    "output0.shape=all\n"
    "output0.paramType=required\n"
    "attr.list=scalar_float,precision_mode,dims\n"
    "attr_scalar_float.type=float\n"
    "attr_scalar_float.value=all\n"
    "attr_scalar_float.paramType=optional\n"
    "attr_scalar_float.defaultValue=1.5\n"
    "attr_precision_mode.type=int\n"
    "attr_precision_mode.value=all\n"
    "attr_precision_mode.paramType=optional\n"
    "attr_precision_mode.defaultValue=0\n"
    "attr_dims.type=listInt\n"
    "attr_dims.value=all\n"
    "attr_dims.paramType=required\n"
    "dynamicCompileStatic.flag=true\n"
    "dynamicFormat.flag=true\n"
    "dynamicRankSupport.flag=true\n"
    "dynamicShapeSupport.flag=true\n"
    "needCheckSupport.flag=false\n"
    "precision_reduce.flag=true\n"
    "prebuildPattern.value=Opaque\n"
    "coreType.value=AiCore\n"
    "opFile.value=gert_small_op\n"
    "opInterface.value=gert_small_op\n";

// A good op to break in one place: x and y, two columns, one soc.
OpDef Good()
{
    OpDef op("Good");
    op.Input("x").DataType({ge::DT_FLOAT, ge::DT_INT32}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
    op.Output("y").DataType({ge::DT_FLOAT, ge::DT_INT32});
    op.AICore().AddConfig("ascend910b");
    return op;
}

std::string FirstError(const OpDef& op)
{
    const ops::OpInfoIni ini = ops::MakeOpInfoIni({op});
    return ini.errors.empty() ? "" : ini.errors[0];
}
bool Refused(const OpDef& op, const char* words)
{
    const bool refused = FirstError(op).find(words) != std::string::npos;
    if (!refused) {
        ADD_FAILURE() << "expected '" + std::string(words) + "' in '" + FirstError(op) + "'";
    }
    return refused;
}
std::string Section(const OpDef& op) { return ops::MakeOpInfoIni({op}).text_of_soc["ascend910b"]; }
bool Has(const std::string& text, const std::string& line) { return text.find(line + "\n") != std::string::npos; }
} // namespace

TEST(GertOpDef, op_def_registered_op_gives_the_golden_ini)
{
    std::vector<OpDef> registered;
    for (const OpDef& op : OpDefAccess::CreateAll()) {
        if (OpDefAccess::Type(op) == "GertSmallOp") {
            registered.push_back(op);
        }
    }
    EXPECT_EQ(registered.size(), 1U);
    const ops::OpInfoIni ini = ops::MakeOpInfoIni(registered);
    EXPECT_EQ(ini.errors.size(), 0U);
    EXPECT_EQ(ini.text_of_soc.size(), 2U);
    EXPECT_EQ(ini.text_of_soc.at("ascend910b"), kGolden910b);
    const std::string tail =
        "dynamicShapeSupport.flag=true\nopFile.value=small_apt\nprebuildPattern.value=Opaque\n"
        "coreType.value=AiCore\nopInterface.value=gert_small_op\n";
    const std::string& other = ini.text_of_soc.at("ascend910_93");
    EXPECT_TRUE(other.size() > tail.size() && other.substr(other.size() - tail.size()) == tail);
    EXPECT_FALSE(Has(other, "dynamicFormat.flag=true"));
}

TEST(GertOpDef, op_def_lists_multiply_columns)
{
    OpDef op("Lists");
    op.Input("a").DataType({ge::DT_FLOAT, ge::DT_INT32});
    op.Input("b").DataTypeList({ge::DT_BOOL, ge::DT_INT8}).FormatList({ge::FORMAT_ND, ge::FORMAT_NHWC});
    op.Output("y").Follow("a");
    op.AICore().AddConfig("ascend910b");
    const std::string text = Section(op);
    EXPECT_TRUE(Has(text, "input0.dtype=float32,float32,float32,float32,int32,int32,int32,int32"));
    EXPECT_TRUE(Has(text, "input1.dtype=bool,bool,int8,int8,bool,bool,int8,int8"));
    EXPECT_TRUE(Has(text, "input1.format=ND,NHWC,ND,NHWC,ND,NHWC,ND,NHWC"));
    EXPECT_TRUE(Has(text, "output0.dtype=float32,float32,float32,float32,int32,int32,int32,int32"));
}

TEST(GertOpDef, op_def_optional_lines)
{
    OpDef op = Good();
    op.Input("x").ValueDepend(ops::OPTIONAL).ParamType(ops::VIRTUAL).DataTypeForBinQuery({ge::DT_FLOAT, ge::DT_FLOAT});
    op.Output("y").InitValue(0).OutputShapeDependOnCompute();
    op.EnableFallBack().MC2().HcclGroup({"a", "b"});
    const std::string text = Section(op);
    EXPECT_TRUE(Has(text, "input0.dtype=float32,int32\ninput0.for_bin_dtype=float32,float32\ninput0.format=ND,ND"));
    EXPECT_TRUE(Has(text, "input0.paramType=optional\ninput0.virtual=true\ninput0.valueDepend=optional"));
    EXPECT_TRUE(Has(text, "output0.initValue=0\noutput0.outputShapeDependOnCompute=true"));
    EXPECT_TRUE(Has(text, "aclnnSupport.value=support_aclnn\nprebuildPattern.value=Opaque"));
    EXPECT_TRUE(Has(text, "mc2.ctx=mc2_context_0,mc2_context_1"));

    OpDef typed = Good();
    typed.Output("y").InitValue(
        {ops::ScalarVar(ops::ScalarType::FLOAT32, 1), ops::ScalarVar(ops::ScalarType::INT32, -2)});
    EXPECT_TRUE(
        Has(Section(typed),
            "output0.initValue={ \"is_list\" : true, \"float32\": { \"type\": \"float32\", \"value\": 1.000000 }, "
            "\"int32\": { \"type\": \"int32\", \"value\": -2 }}"));
}

TEST(GertOpDef, op_def_attribute_defaults)
{
    OpDef op = Good();
    op.Attr("b").AttrType(ops::OPTIONAL).Bool(true);
    op.Attr("s").AttrType(ops::OPTIONAL).String("none");
    op.Attr("lf").AttrType(ops::OPTIONAL).ListFloat({0.5F, 2});
    op.Attr("lb").AttrType(ops::OPTIONAL).ListBool({true, false});
    op.Attr("lli").AttrType(ops::OPTIONAL).ListListInt({{1, 2}, {3}});
    op.Attr("li").AttrType(ops::OPTIONAL).ListInt();
    const std::string text = Section(op);
    EXPECT_TRUE(Has(text, "attr_b.defaultValue=true"));
    EXPECT_TRUE(Has(text, "attr_s.type=str"));
    EXPECT_TRUE(Has(text, "attr_s.defaultValue=none"));
    EXPECT_TRUE(Has(text, "attr_lf.defaultValue=[0.5,2]"));
    EXPECT_TRUE(Has(text, "attr_lb.defaultValue=[true,false]"));
    EXPECT_TRUE(Has(text, "attr_lli.defaultValue=[[1,2],[3]]"));
    EXPECT_TRUE(Has(text, "attr_li.defaultValue=[]"));
}

TEST(GertOpDef, op_def_soc_overrides_by_name)
{
    OpDef op = Good();
    ops::OpAICoreConfig config("ascend910b");
    config.Input("x").DataType({ge::DT_FLOAT}).Format({ge::FORMAT_NHWC});
    config.Output("y").DataType({ge::DT_FLOAT});
    op.AICore().AddConfig("ascend910b", config);
    const std::string text = Section(op);
    EXPECT_TRUE(Has(text, "input0.dtype=float32\ninput0.format=NHWC"));
    EXPECT_TRUE(Has(text, "output0.dtype=float32"));
}

TEST(GertOpDef, op_def_references_stay_valid)
{
    OpDef op("Many");
    ops::OpParamDef& first = op.Input("p0");
    for (int i = 1; i < 50; ++i) {
        (void)op.Input(("p" + std::to_string(i)).c_str());
    }
    first.ParamType(ops::DYNAMIC);
    EXPECT_EQ(OpDefAccess::Param(OpDefAccess::Inputs(op)[0]).param_type, ops::DYNAMIC);
    EXPECT_EQ(&op.Input("p0"), &first);
}

TEST(GertOpDef, op_def_refusals)
{
    EXPECT_EQ(FirstError(Good()), std::string());

    OpDef unequal = Good();
    unequal.Input("z").DataType({ge::DT_FLOAT});
    EXPECT_TRUE(Refused(unequal, "x.DataType has 2 entries, z.DataType has 1"));

    OpDef both_types = Good();
    both_types.Input("x").DataTypeList({ge::DT_FLOAT});
    EXPECT_TRUE(Refused(both_types, "parameter x: DataType and DataTypeList are both set"));

    OpDef both_formats = Good();
    both_formats.Input("x").FormatList({ge::FORMAT_ND});
    EXPECT_TRUE(Refused(both_formats, "Format and FormatList are both set"));

    OpDef empty = Good();
    empty.Input("x").DataType({});
    EXPECT_TRUE(Refused(empty, "data type list is empty"));

    OpDef twice("Twice");
    twice.Input("x").DataTypeList({ge::DT_FLOAT, ge::DT_FLOAT});
    twice.Output("y").Follow("x");
    twice.AICore().AddConfig("ascend910b");
    EXPECT_TRUE(Refused(twice, "names a data type twice"));

    // Upstream holds only data types and formats to one length (metadef op_def_impl.cc).
    OpDef unknown_format = Good();
    unknown_format.Input("x").UnknownShapeFormat({ge::FORMAT_ND});
    EXPECT_EQ(FirstError(unknown_format), std::string());

    OpDef untyped = Good();
    untyped.Input("z");
    EXPECT_TRUE(Refused(untyped, "parameter z: it has no data types"));

    OpDef lost = Good();
    lost.Input("z").Follow("nobody");
    EXPECT_TRUE(Refused(lost, "follows 'nobody'"));

    OpDef no_attr_type = Good();
    (void)no_attr_type.Attr("a");
    EXPECT_TRUE(Refused(no_attr_type, "attribute a has no type"));

    OpDef keyword = Good();
    keyword.Attr("lambda").Int(0);
    EXPECT_TRUE(Refused(keyword, "attribute lambda"));

    OpDef input_init = Good();
    input_init.Input("x").InitValue(0);
    EXPECT_TRUE(Refused(input_init, "InitValue is for outputs"));

    OpDef no_soc("NoSoc");
    no_soc.Output("y").DataType({ge::DT_FLOAT});
    EXPECT_TRUE(Refused(no_soc, "no soc"));

    OpDef nameless = Good();
    nameless.Input("x").DataType({ge::DT_FLOAT, ge::DT_VARIANT});
    EXPECT_TRUE(Refused(nameless, "has no name in the op info"));

    EXPECT_EQ(ops::MakeOpInfoIni({Good(), Good()}).errors.size(), 1U);
}

// An op that writes its inputs has no output, one that waits has no tensor at all.
TEST(GertOpDef, op_def_without_output)
{
    OpDef in_place("ZeroInplace");
    in_place.Input("x").DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    in_place.AICore().AddConfig("ascend910b");
    OpDef waits("Wait");
    waits.Attr("cycles").AttrType(ops::REQUIRED).Int();
    waits.AICore().AddConfig("ascend910b");
    const ops::OpInfoIni made = ops::MakeOpInfoIni({in_place, waits});
    EXPECT_TRUE(made.errors.empty());
    const std::string& text = made.text_of_soc.at("ascend910b");
    EXPECT_NE(text.find("[ZeroInplace]\ninput0.name=x\n"), std::string::npos);
    EXPECT_NE(text.find("[Wait]\nattr.list=cycles\n"), std::string::npos);
    EXPECT_EQ(text.find("output0"), std::string::npos);
}

TEST(GertOpDef, op_def_snake_case)
{
    EXPECT_EQ(ops::SnakeCase("Fmod"), std::string("fmod"));
    EXPECT_EQ(ops::SnakeCase("AddExample"), std::string("add_example"));
    EXPECT_EQ(ops::SnakeCase("SoftmaxV2"), std::string("softmax_v2"));
    EXPECT_EQ(ops::SnakeCase("IsNAN"), std::string("is_nan"));
    EXPECT_EQ(ops::SnakeCase("MC2Group"), std::string("mc2_group"));
    EXPECT_EQ(ops::SnakeCase("ABCDef"), std::string("abc_def"));
}
