// Tiling data classes -> the plain structs a kernel reads.
#include "../gert/tiling_struct_source.h"
#include "adv_api/activation/softmax_tilingdata.h"
#include "ascendc/tiling_structs.h"
#include "gtest/gtest.h"
#include "ascendc/host_api/tiling/tiling_classes.h"
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(StructTestInner)
TILING_DATA_FIELD_DEF(uint8_t, flag);
TILING_DATA_FIELD_DEF_ARR(int32_t, 3, sizes);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(StructTestInnerOp, StructTestInner)

BEGIN_TILING_DATA_DEF(StructTestData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF_STRUCT(StructTestInner, inner);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(StructTest, StructTestData)

BEGIN_TILING_DATA_DEF(StructTestNorm)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF_STRUCT(RmsNormTiling, norm);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(StructTestLibrary, StructTestNorm)

BEGIN_TILING_DATA_DEF(StructTestLost)
TILING_DATA_FIELD_DEF(int64_t, x);
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(StructTestOuter)
TILING_DATA_FIELD_DEF_STRUCT(StructTestLost, lost);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(StructTestBroken, StructTestOuter)

BEGIN_TILING_DATA_DEF(StructTestApiData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF_STRUCT(SoftMaxTiling, softmax);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(StructTestApi, StructTestApiData)

BEGIN_TILING_DATA_DEF(StructTestSmall)
TILING_DATA_FIELD_DEF(int64_t, x);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(StructTestKeys, StructTestInner)
REGISTER_TILING_DATA_CLASS(StructTestKeys_1000, StructTestSmall)
REGISTER_TILING_DATA_CLASS(StructTestKeys_1001, StructTestSmall)
REGISTER_TILING_DATA_CLASS(StructTestKeys_2000, StructTestOuter)
REGISTER_TILING_DATA_CLASS(StructTestKeys_V2, StructTestData)
} // namespace optiling

// A function may return one.
TEST(GertTilingStruct, TilingDataIsCopiedWithItsBuffer)
{
    optiling::StructTestLost first;
    first.set_x(7);
    optiling::StructTestLost second(first);
    second.set_x(8);
    int64_t saved[2] = {0, 0};
    first.SaveToBuffer(&saved[0], sizeof(saved[0]));
    second.SaveToBuffer(&saved[1], sizeof(saved[1]));
    EXPECT_EQ(saved[0], 7);
    EXPECT_EQ(saved[1], 8);
}

TEST(GertTilingStruct, TilingStructsHaveTheLayoutOfTheClass)
{
    std::string error;
    const std::string text = optiling::TilingStructSource("StructTest", error);
    EXPECT_EQ(error, "");
    const std::string want =
        "// Generated from the tiling data classes of StructTest; do not change it.\n"
        "#ifndef HOSTCANN_TILING_STRUCTS_StructTest\n"
        "#define HOSTCANN_TILING_STRUCTS_StructTest\n\n"
        "#include <cstdint>\n\n"
        "struct StructTestInner {\n"
        "    uint8_t flag;\n"
        "    uint8_t sizesPH[3];\n"
        "    int32_t sizes[3];\n"
        "};\n"
        "static_assert(sizeof(StructTestInner) == 16, \"layout of StructTestInner\");\n\n"
        "struct StructTestData {\n"
        "    uint32_t rows;\n"
        "    uint8_t innerPH[4];\n"
        "    StructTestInner inner;\n"
        "    float scale;\n"
        "    uint8_t StructTestDataPH[4];\n"
        "};\n"
        "static_assert(sizeof(StructTestData) == 32, \"layout of StructTestData\");\n\n"
        "using HostcannTilingDefault = StructTestData;\n\n"
        "#endif\n";
    EXPECT_EQ(text, want);
}

TEST(GertTilingStruct, TilingStructsLeaveTheHighLevelFunctionsToTheToolkit)
{
    std::string error;
    const std::string text = optiling::TilingStructSource("StructTestApi", error);
    EXPECT_EQ(error, "");
    EXPECT_TRUE(text.find("#include \"kernel_tiling/kernel_tiling.h\"") != std::string::npos);
    EXPECT_TRUE(text.find("    SoftMaxTiling softmax;\n") != std::string::npos);
    EXPECT_TRUE(text.find("struct SoftMaxTiling") == std::string::npos);
    EXPECT_TRUE(text.find("sizeof(StructTestApiData) == 72") != std::string::npos);
    optiling::SoftMaxTiling tiling;
    tiling.set_splitM(7);
    tiling.set_tailReduceSize(9);
    SoftMaxTiling plain{};
    tiling.SaveToBuffer(&plain, sizeof(plain));
    EXPECT_EQ(plain.splitM, 7u);
    EXPECT_EQ(plain.tailReduceSize, 9u);
}

// ops-nn norm/batch_norm_v3: kernels name the struct of each key.
TEST(GertTilingStruct, TilingStructsOfKeys)
{
    EXPECT_EQ(optiling::TilingDataNamesOfKeys("StructTestKeys").size(), 3u);
    std::string error;
    const std::string text = optiling::TilingStructSource("StructTestKeys", error);
    EXPECT_EQ(error, "");
    const size_t small = text.find("struct StructTestSmall {\n    int64_t x;\n};\n");
    EXPECT_TRUE(small != std::string::npos && text.find("struct StructTestSmall", small + 1) == std::string::npos);
    EXPECT_TRUE(text.find("StructTestOuter") == std::string::npos); // cannot be written
    EXPECT_TRUE(text.find("StructTestData") == std::string::npos);  // another op's
    EXPECT_TRUE(text.find("using HostcannTilingDefault = StructTestInner;") != std::string::npos);
}

TEST(GertTilingStruct, TilingStructsOfNothingAndOfALostClass)
{
    std::string error;
    EXPECT_EQ(optiling::TilingStructSource("NoSuchOp", error), "");
    EXPECT_EQ(error, "");
    EXPECT_EQ(optiling::TilingStructSource("StructTestBroken", error), "");
    EXPECT_EQ(error, "StructTestOuter.lost: expected REGISTER_TILING_DATA_CLASS(StructTestLostOp, StructTestLost)");
}

TEST(GertTilingStruct, HighLevelFunctionsHaveAHeader)
{
    std::string error;
    const std::string text = optiling::TilingStructSource("StructTestLibrary", error);
    EXPECT_EQ(error, "");
    const std::string want =
        "#include \"kernel_tiling/kernel_tiling.h\"\n\n"
        "struct StructTestNorm {\n"
        "    uint32_t rows;\n"
        "    uint8_t normPH[4];\n"
        "    RmsNormTiling norm;\n"
        "};\n"
        "static_assert(sizeof(StructTestNorm) == 56, \"layout of StructTestNorm\");\n\n";
    EXPECT_EQ(text.find(want) != std::string::npos, true);
#define SAME_SIZE(Name) EXPECT_EQ(optiling::Name().GetDataSize(), sizeof(AscendC::tiling::Name));
    HOSTCANN_TILING_STRUCTS(SAME_SIZE)
#undef SAME_SIZE
    optiling::GroupNormTiling group;
    group.set_factor(0.5f);
    group.set_smallShape(true);
    AscendC::tiling::GroupNormTiling plain;
    group.SaveToBuffer(&plain, sizeof(plain));
    EXPECT_EQ(plain.factor, 0.5f);
    EXPECT_EQ(plain.smallShape, true);
}

TEST(GertTilingStruct, aCopyOfAPartSharesItsValuesAndAnyOtherHasItsOwn)
{
    optiling::StructTestInner first;
    first.set_flag(3);
    optiling::StructTestInner second = first;
    second.set_flag(4);
    EXPECT_EQ(first.get_flag(), 3);
    optiling::StructTestData outer;
    outer.inner = second;
    EXPECT_EQ(outer.inner.get_flag(), 4);
    optiling::StructTestInner part = outer.inner;
    part.set_flag(5);
    EXPECT_EQ(outer.inner.get_flag(), 5);
    uint8_t bytes[64] = {};
    outer.SaveToBuffer(bytes, sizeof(bytes));
    EXPECT_EQ(bytes[8], 5);
}
