// Platform answers from the numbers of the platform files (hicann/runtime platform_config), set by hand.
#include "gtest/gtest.h"
#include "hostcann/host_abi.h"
#include "platform/platform_info.h"
#include "tiling/platform/platform_ascendc.h"

using platform_ascendc::CoreMemType;
using platform_ascendc::PlatformAscendC;

// hicann/runtime platform_info_def.h has these names for everybody, and tiling functions of ops-nn use them so.
static_assert(std::is_same<::string, std::string>::value && std::is_same<::vector<int>, std::vector<int>>::value &&
              std::is_same<::map<int, int>, std::map<int, int>>::value);

namespace {
struct Soc {
    const char* short_name;
    const char* cube;
    const char* vector;
    const char* l2;
    const char* ub;
    const char* arch;
};

fe::PlatFormInfos Infos(const Soc& soc)
{
    fe::PlatFormInfos infos;
    std::map<std::string, std::string> info = {{"ai_core_cnt", soc.cube},
                                               {"cube_core_cnt", soc.cube},
                                               {"vector_core_cnt", soc.vector},
                                               {"core_type_list", "CubeCore,VectorCore"},
                                               {"l2_size", soc.l2},
                                               {"memory_size", "68719476736"}};
    infos.SetPlatformRes("SoCInfo", info);
    std::map<std::string, std::string> spec = {{"ub_size", soc.ub},    {"l1_size", "524288"},   {"l0_a_size", "65536"},
                                               {"l0_b_size", "65536"}, {"l0_c_size", "131072"}, {"bt_size", "1024"},
                                               {"fb0_size", "2048"}};
    infos.SetPlatformRes("AICoreSpec", spec);
    std::map<std::string, std::string> rates = {{"l2_rate", "110"}, {"ddr_rate", "32"}};
    infos.SetPlatformRes("AICoreMemoryRates", rates);
    std::map<std::string, std::string> version = {{"Short_SoC_version", soc.short_name}, {"NpuArch", soc.arch}};
    infos.SetPlatformRes("version", version);
    infos.SetCoreNumByCoreType("AiCore");
    return infos;
}

uint64_t MemSize(const PlatformAscendC& platform, CoreMemType type)
{
    uint64_t size = 1;
    platform.GetCoreMemSize(type, size);
    return size;
}
} // namespace

TEST(GertPlatform, platform_of_910b_and_910_93)
{
    const Soc socs[] = {{"Ascend910B", "24", "48", "201326592", "196608", "2201"},
                        {"Ascend910B", "20", "40", "100663296", "196608", "2201"},
                        {"Ascend910_93", "24", "48", "201326592", "196608", "2201"}};
    for (const Soc& soc : socs) {
        fe::PlatFormInfos infos = Infos(soc);
        const PlatformAscendC platform(&infos);
        EXPECT_EQ(std::to_string(platform.GetCoreNumAiv()), std::string(soc.vector));
        EXPECT_EQ(std::to_string(platform.GetCoreNumAic()), std::string(soc.cube));
        EXPECT_EQ(std::to_string(platform.GetCoreNum()), std::string(soc.cube));
        EXPECT_EQ(std::to_string(MemSize(platform, CoreMemType::L2)), std::string(soc.l2));
        EXPECT_EQ(platform.GetCoreNumVector(), 0U);
        EXPECT_EQ(MemSize(platform, CoreMemType::UB), 196352U);
        EXPECT_EQ(MemSize(platform, CoreMemType::L1), 524032U);
        EXPECT_EQ(MemSize(platform, CoreMemType::L0_A), 65536U);
        EXPECT_EQ(MemSize(platform, CoreMemType::L0_C), 131072U);
        EXPECT_EQ(MemSize(platform, CoreMemType::HBM), 68719476736U);
        EXPECT_EQ(MemSize(platform, CoreMemType::FB), 2048U);
        EXPECT_EQ(MemSize(platform, CoreMemType::BT), 1024U);
        EXPECT_EQ(platform.GetSocVersion(), platform_ascendc::SocVersion::ASCEND910B);
        EXPECT_EQ(platform.GetCurNpuArch(), NpuArch::DAV_2201);
        EXPECT_EQ(platform.GetLibApiWorkSpaceSize(), 16777216U);
        EXPECT_EQ(platform.GetResCubeGroupWorkSpaceSize(), 1048576U);
        EXPECT_EQ(platform.GetVecRegLen(), 0U);
    }
}

TEST(GertPlatform, platform_bandwidth)
{
    fe::PlatFormInfos infos = Infos({"Ascend910B", "20", "40", "1", "196608", "2201"});
    const PlatformAscendC platform(&infos);
    uint64_t rate = 0;
    platform.GetCoreMemBw(CoreMemType::L2, rate);
    EXPECT_EQ(rate, 110U);
    platform.GetCoreMemBw(CoreMemType::HBM, rate);
    EXPECT_EQ(rate, 32U);
    platform.GetCoreMemBw(CoreMemType::UB, rate);
    EXPECT_EQ(rate, 32U);
}

TEST(GertPlatform, platform_reserve_last_call_counts)
{
    fe::PlatFormInfos infos = Infos({"Ascend910B", "20", "40", "1", "196608", "2201"});
    PlatformAscendC platform(&infos);
    platform.ReserveLocalMemory(platform_ascendc::ReservedSize::RESERVED_SIZE_32K);
    platform.ReserveLocalMemory(platform_ascendc::ReservedSize::RESERVED_SIZE_8K);
    EXPECT_EQ(MemSize(platform, CoreMemType::UB), 188160U);
    EXPECT_EQ(MemSize(platform, CoreMemType::L1), 524032U);
}

TEST(GertPlatform, platform_of_other_chips)
{
    fe::PlatFormInfos infos = Infos({"Ascend950", "32", "64", "1", "253952", "3510"});
    const PlatformAscendC platform(&infos);
    EXPECT_EQ(MemSize(platform, CoreMemType::UB), 253952U);
    EXPECT_EQ(platform.GetCurNpuArch(), NpuArch::DAV_3510);
    fe::PlatFormInfos old = Infos({"Ascend910", "32", "32", "1", "262144", "1001"});
    EXPECT_EQ(PlatformAscendC(&old).GetLibApiWorkSpaceSize(), 2097152U);
    EXPECT_EQ(PlatformAscendC(&old).GetSocVersion(), platform_ascendc::SocVersion::ASCEND910);
    fe::PlatFormInfos empty;
    EXPECT_EQ(PlatformAscendC(&empty).GetLibApiWorkSpaceSize(), UINT32_MAX);
    EXPECT_EQ(PlatformAscendC(&empty).GetCoreNumAiv(), 0U);
    EXPECT_EQ(PlatformAscendC(&empty).GetSocVersion(), platform_ascendc::SocVersion::RESERVED_VERSION);
}

TEST(GertPlatform, platform_coupled_cores_count_as_ai_cores)
{
    fe::PlatFormInfos infos = Infos({"Ascend910B", "30", "60", "1", "196608", "2201"});
    std::map<std::string, std::string> info = {{"ai_core_cnt", "64"}, {"core_type_list", "AICore"}};
    infos.SetPlatformRes("SoCInfo", info);
    EXPECT_EQ(PlatformAscendC(&infos).GetCoreNumAiv(), 64U);
    EXPECT_EQ(PlatformAscendC(&infos).GetCoreNumAic(), 64U);
}

TEST(GertPlatform, platform_mixed_blocks)
{
    fe::PlatFormInfos infos = Infos({"Ascend910B", "20", "40", "1", "196608", "2201"});
    const PlatformAscendC platform(&infos);
    EXPECT_EQ(platform.CalcTschNumBlocks(5, 20, 40), 3U);
    EXPECT_EQ(platform.CalcTschNumBlocks(41, 20, 40), 0U);
    EXPECT_EQ(platform.CalcTschNumBlocks(5, 0, 40), 5U);
}

TEST(GertPlatform, platform_of_the_modelled_soc)
{
    const char* vector_cores = hc_soc_value("SoCInfo", "vector_core_cnt");
    if (vector_cores == nullptr) {
        return; // no SoC behind this run
    }
    fe::PlatFormInfos infos;
    EXPECT_TRUE(infos.Init());
    EXPECT_EQ(std::to_string(PlatformAscendC(&infos).GetCoreNumAiv()), std::string(vector_cores));
    // A section can be taken, changed and set again.
    std::map<std::string, std::string> section;
    EXPECT_TRUE(infos.GetPlatformRes("SoCInfo", section));
    section["vector_core_cnt"] = "3";
    infos.SetPlatformRes("SoCInfo", section);
    EXPECT_EQ(PlatformAscendC(&infos).GetCoreNumAiv(), 3U);
    fe::OptionalInfos optional;
    EXPECT_TRUE(fe::PlatformInfoManager::Instance().GetPlatformInfos("Ascend310", infos, optional) != 0U);
    // The same as structs.
    fe::PlatformInfo info;
    fe::OptionalInfo more;
    EXPECT_TRUE(fe::PlatformInfoManager::Instance().GetPlatformInfo("Ascend310", info, more) != 0U);
    EXPECT_EQ(fe::PlatformInfoManager::Instance().GetPlatformInfoWithOutSocVersion(info, more), 0U);
    EXPECT_EQ(std::to_string(info.soc_info.vector_core_cnt), std::string(vector_cores));
    EXPECT_EQ(std::to_string(info.ai_core_spec.ub_size), std::string(hc_soc_value("AICoreSpec", "ub_size")));
    EXPECT_EQ(info.str_info.short_soc_version, std::string(hc_soc_value("version", "Short_SoC_version")));
    EXPECT_EQ(info.ai_core_memory_rates.l2_rate, 110.0);
    EXPECT_EQ(info.ai_core_spec.cube_vector_split, 1U);
    EXPECT_EQ(more.soc_version, std::string(hc_soc_name()));
    EXPECT_EQ(more.ai_core_num, info.soc_info.ai_core_cnt);
}
