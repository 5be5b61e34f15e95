// Registration of operator functions, in this program and from loaded libraries.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

#include "base/context_builder/op_infer_datatype_context_builder.h"
#include "base/registry/op_impl_space_registry_v2.h"
#include "gtest/gtest.h"

namespace {
UINT32 Infer(gert::InferShapeContext*) { return 11; }
UINT32 Tile(gert::TilingContext*) { return 22; }
UINT32 TileOther(gert::TilingContext*) { return 33; }
UINT32 Parse(gert::TilingParseContext*) { return 44; }
struct CompileInfo {
    int cores = 7;
};
} // namespace

IMPL_OP_INFERSHAPE(GertTestOp).InferShape(Infer).InputsDataDependency({1});
IMPL_OP_OPTILING(GertTestOp).Tiling(Tile, 4096).TilingParse<CompileInfo>(Parse).TilingInputsDataDependency({0, 2});
IMPL_OP(GertTestOther).InferOutDataTypeSameWithFirstInput().PrivateAttr("kind", int64_t{3}).NullableOutputs({1});

TEST(GertRegistry, registry_merges_by_op_type)
{
    const auto registry = gert::DefaultOpImplSpaceRegistryV2::GetInstance().GetSpaceRegistry();
    const auto* functions = registry->GetOpImpl("GertTestOp");
    EXPECT_TRUE(functions != nullptr);
    EXPECT_EQ(functions->infer_shape(nullptr), 11U);
    EXPECT_EQ(functions->tiling(nullptr), 22U);
    EXPECT_EQ(functions->max_tiling_data_size, 4096U);
    EXPECT_TRUE(functions->tiling_parse != nullptr);
    void* info = functions->compile_info_creator();
    EXPECT_EQ(static_cast<CompileInfo*>(info)->cores, 7);
    functions->compile_info_deleter(info);
    EXPECT_TRUE(functions->IsInputDataDependency(1));
    EXPECT_FALSE(functions->IsInputDataDependency(0));
    EXPECT_TRUE(functions->IsTilingInputDataDependency(2));
    EXPECT_TRUE(functions->IsSupportTilingDependencyPlacement(gert::TILING_ON_HOST));
    EXPECT_TRUE(registry->GetOpImpl("NoSuchOp") == nullptr);
    EXPECT_TRUE(registry->GetOpImpl(nullptr) == nullptr);
}

TEST(GertRegistry, registry_keeps_the_first_function)
{
    static const auto later = gert::OpImplRegisterV2("GertTestOp").Tiling(TileOther);
    const auto registry = std::make_shared<gert::OpImplSpaceRegistryV2>();
    EXPECT_EQ(registry->GetOpImpl("GertTestOp")->tiling(nullptr), 22U);
}

TEST(GertRegistry, registry_same_data_type_and_attributes)
{
    const auto registry = std::make_shared<gert::OpImplSpaceRegistryV2>();
    const auto* functions = registry->GetOpImpl("GertTestOther");
    gert::OpInferDataTypeContextBuilder builder;
    (void)builder.OpType("GertTestOther").OpName("n").IONum(1, 2);
    auto holder = builder.InputTensorDesc(0, ge::DT_INT16, ge::FORMAT_ND, ge::FORMAT_ND).Build();
    EXPECT_EQ(functions->infer_datatype(holder.GetContext()), ge::GRAPH_SUCCESS);
    EXPECT_EQ(holder.GetContext()->GetOutputDataType(1), ge::DT_INT16);
    EXPECT_EQ(functions->private_attrs.size(), 1U);
    EXPECT_TRUE(functions->private_attrs[0].second == "3");
    EXPECT_TRUE(functions->IsNullableOutput(1));
}

TEST(GertRegistry, registry_constructor_alone_registers_nothing)
{
    {
        const gert::OpImplRegisterV2 lonely("GertTestLonely");
    }
    EXPECT_TRUE(gert::OpImplSpaceRegistryV2().GetOpImpl("GertTestLonely") == nullptr);
}

TEST(GertRegistry, registry_refuses_a_library_that_is_not_there)
{
    gert::OpImplSpaceRegistryV2 registry;
    EXPECT_EQ(registry.AddSoToRegistry(gert::OppSoDesc({"/no/such/library.so"}, "test")), ge::GRAPH_FAILED);
}

#if defined(HOSTCANN_TEST_COMPILER) && defined(HOSTCANN_TEST_INCLUDE_ROOT)
namespace {
// A scratch directory that is gone at the end of the case.
class Scratch {
public:
    Scratch()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "gert_test_XXXXXX").string();
        path_ = mkdtemp(pattern.data()) == nullptr ? "" : pattern;
    }
    ~Scratch()
    {
        for (const std::string& file : files_) {
            (void)std::remove(file.c_str());
        }
        (void)rmdir(path_.c_str());
    }
    std::string File(const std::string& name, const std::string& text = "")
    {
        files_.push_back(path_ + "/" + name);
        std::ofstream(files_.back()) << text;
        return files_.back();
    }

private:
    std::string path_;
    std::vector<std::string> files_;
};

std::string Compile(const std::string& arguments)
{
    const std::string root = HOSTCANN_TEST_INCLUDE_ROOT;
    const std::string command = std::string(HOSTCANN_TEST_COMPILER) + " -std=c++17 -D_GLIBCXX_USE_CXX11_ABI=0 -I" +
                                root + " -I" + root + "/op_common -I" + root + "/op_common/op_host " + arguments +
                                " 2>&1";
    std::string output;
    FILE* pipe = popen(command.c_str(), "r");
    char buffer[512];
    while (pipe != nullptr && std::fgets(buffer, sizeof(buffer), pipe) != nullptr) {
        output += buffer;
    }
    if (pipe == nullptr || pclose(pipe) != 0) {
        ADD_FAILURE() << command + ": " + output;
    }
    return output;
}

// A library that registers GertTestLib with a tiling function giving `number`.
std::string MakeLibrary(Scratch& scratch, int number)
{
    const std::string name = "lib" + std::to_string(number);
    const std::string source = scratch.File(name + ".cpp",
                                            "#include \"register/op_impl_registry.h\"\n"
                                            "static UINT32 Tile(gert::TilingContext*) { return " +
                                                std::to_string(number) +
                                                "; }\n"
                                                "IMPL_OP_OPTILING(GertTestLib).Tiling(Tile);\n");
    const std::string library = scratch.File(name + ".so");
    (void)Compile("-shared -fPIC -fvisibility=hidden -o " + library + " " + source);
    return library;
}
} // namespace

TEST(GertRegistry, registry_knows_which_library_registered_what)
{
    Scratch scratch;
    const std::string one = MakeLibrary(scratch, 1);
    const std::string two = MakeLibrary(scratch, 2);
    gert::OpImplSpaceRegistryV2 first;
    gert::OpImplSpaceRegistryV2 second;
    std::thread other(
        [&] { EXPECT_EQ(first.AddSoToRegistry(gert::OppSoDesc({one.c_str()}, "one")), ge::GRAPH_SUCCESS); });
    EXPECT_EQ(second.AddSoToRegistry(gert::OppSoDesc({two.c_str(), one.c_str()}, "two")), ge::GRAPH_SUCCESS);
    other.join();
    EXPECT_EQ(first.GetOpImpl("GertTestLib")->tiling(nullptr), 1U);
    EXPECT_EQ(second.GetOpImpl("GertTestLib")->tiling(nullptr), 2U);
    // The library is loaded already; a new registry still gets its registrations.
    gert::OpImplSpaceRegistryV2 third;
    EXPECT_EQ(third.AddSoToRegistry(gert::OppSoDesc({two.c_str()}, "two")), ge::GRAPH_SUCCESS);
    EXPECT_EQ(third.GetOpImpl("GertTestLib")->tiling(nullptr), 2U);
}

TEST(GertRegistry, tpl_preprocessed_tokens)
{
    Scratch scratch;
    const std::string source = scratch.File(
        "pre.cpp",
        "#include \"ascendc/host_api/tiling/template_argument.h\"\n"
        "#define LAST 4\n"
        "ASCENDC_TPL_ARGS_DECL(Fmod,\n"
        "    ASCENDC_TPL_UINT_DECL(mode, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_MIX, 1, 0, 2, 3, LAST),\n"
        "    ASCENDC_TPL_DATATYPE_DECL(T, C_DT_FLOAT, C_DT_BF16), ASCENDC_TPL_BOOL_DECL(flag, 0, 1));\n"
        "ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_LIST, 0, LAST),\n"
        "    ASCENDC_TPL_BOOL_SEL(flag, 1)), "
        "ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY)));\n");
    std::string text = Compile("-E -DASCENDC_TPL_PRE " + source);
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
        const size_t end = text.find('\n', at);
        std::string line;
        for (const char c : text.substr(at, end - at)) {
            line += c == ' ' ? "" : std::string(1, c);
        }
        if (line.rfind("@@HC_TPL_", 0) == 0) {
            lines.push_back(line);
        }
        at = end == std::string::npos ? text.size() : end + 1U;
    }
    EXPECT_EQ(lines.size(), 2U);
    if (lines.size() == 2U) {
        EXPECT_EQ(lines[0], std::string("@@HC_TPL_DECL@@(Fmod,{mode,UINT,8,2,1,0,2,3,4},{T,DATATYPE,8,1,0,27},"
                                        "{flag,BOOL,1,1,0,1})@@END@@"));
        EXPECT_EQ(lines[1], std::string("@@HC_TPL_SEL@@({{mode,UINT,1,0,4},{flag,BOOL,1,1}},"
                                        "{{kernel_type,KERNEL_TYPE,1,0}})@@END@@"));
    }
}
#endif
