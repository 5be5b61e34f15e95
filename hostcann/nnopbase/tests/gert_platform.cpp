// Platform answers from the numbers of the platform files (hicann/runtime platform_config), set by hand.
#include "check.h"
#include "hostcann/host_abi.h"
#include "platform/platform_info.h"
#include "tiling/platform/platform_ascendc.h"

using platform_ascendc::CoreMemType;
using platform_ascendc::PlatformAscendC;

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

HC_TEST(platform_of_910b_and_910_93)
{
    const Soc socs[] = {{"Ascend910B", "24", "48", "201326592", "196608", "2201"},
                        {"Ascend910B", "20", "40", "100663296", "196608", "2201"},
                        {"Ascend910_93", "24", "48", "201326592", "196608", "2201"}};
    for (const Soc& soc : socs) {
        fe::PlatFormInfos infos = Infos(soc);
        const PlatformAscendC platform(&infos);
        CHECK_EQ(std::to_string(platform.GetCoreNumAiv()), std::string(soc.vector));
        CHECK_EQ(std::to_string(platform.GetCoreNumAic()), std::string(soc.cube));
        CHECK_EQ(std::to_string(platform.GetCoreNum()), std::string(soc.cube));
        CHECK_EQ(std::to_string(MemSize(platform, CoreMemType::L2)), std::string(soc.l2));
        CHECK_EQ(platform.GetCoreNumVector(), 0U);
        CHECK_EQ(MemSize(platform, CoreMemType::UB), 196352U);
        CHECK_EQ(MemSize(platform, CoreMemType::L1), 524032U);
        CHECK_EQ(MemSize(platform, CoreMemType::L0_A), 65536U);
        CHECK_EQ(MemSize(platform, CoreMemType::L0_C), 131072U);
        CHECK_EQ(MemSize(platform, CoreMemType::HBM), 68719476736U);
        CHECK_EQ(MemSize(platform, CoreMemType::FB), 2048U);
        CHECK_EQ(MemSize(platform, CoreMemType::BT), 1024U);
        CHECK_EQ(platform.GetSocVersion(), platform_ascendc::SocVersion::ASCEND910B);
        CHECK_EQ(platform.GetCurNpuArch(), NpuArch::DAV_2201);
        CHECK_EQ(platform.GetLibApiWorkSpaceSize(), 16777216U);
        CHECK_EQ(platform.GetResCubeGroupWorkSpaceSize(), 1048576U);
        CHECK_EQ(platform.GetVecRegLen(), 0U);
    }
}

HC_TEST(platform_bandwidth)
{
    fe::PlatFormInfos infos = Infos({"Ascend910B", "20", "40", "1", "196608", "2201"});
    const PlatformAscendC platform(&infos);
    uint64_t rate = 0;
    platform.GetCoreMemBw(CoreMemType::L2, rate);
    CHECK_EQ(rate, 110U);
    platform.GetCoreMemBw(CoreMemType::HBM, rate);
    CHECK_EQ(rate, 32U);
    platform.GetCoreMemBw(CoreMemType::UB, rate);
    CHECK_EQ(rate, 32U);
}

HC_TEST(platform_reserve_last_call_counts)
{
    fe::PlatFormInfos infos = Infos({"Ascend910B", "20", "40", "1", "196608", "2201"});
    PlatformAscendC platform(&infos);
    platform.ReserveLocalMemory(platform_ascendc::ReservedSize::RESERVED_SIZE_32K);
    platform.ReserveLocalMemory(platform_ascendc::ReservedSize::RESERVED_SIZE_8K);
    CHECK_EQ(MemSize(platform, CoreMemType::UB), 188160U);
    CHECK_EQ(MemSize(platform, CoreMemType::L1), 524032U);
}

HC_TEST(platform_of_other_chips)
{
    fe::PlatFormInfos infos = Infos({"Ascend950", "32", "64", "1", "253952", "3510"});
    const PlatformAscendC platform(&infos);
    CHECK_EQ(MemSize(platform, CoreMemType::UB), 253952U);
    CHECK_EQ(platform.GetCurNpuArch(), NpuArch::DAV_3510);
    fe::PlatFormInfos old = Infos({"Ascend910", "32", "32", "1", "262144", "1001"});
    CHECK_EQ(PlatformAscendC(&old).GetLibApiWorkSpaceSize(), 2097152U);
    CHECK_EQ(PlatformAscendC(&old).GetSocVersion(), platform_ascendc::SocVersion::ASCEND910);
    fe::PlatFormInfos empty;
    CHECK_EQ(PlatformAscendC(&empty).GetLibApiWorkSpaceSize(), UINT32_MAX);
    CHECK_EQ(PlatformAscendC(&empty).GetCoreNumAiv(), 0U);
    CHECK_EQ(PlatformAscendC(&empty).GetSocVersion(), platform_ascendc::SocVersion::RESERVED_VERSION);
}

HC_TEST(platform_coupled_cores_count_as_ai_cores)
{
    fe::PlatFormInfos infos = Infos({"Ascend910B", "30", "60", "1", "196608", "2201"});
    std::map<std::string, std::string> info = {{"ai_core_cnt", "64"}, {"core_type_list", "AICore"}};
    infos.SetPlatformRes("SoCInfo", info);
    CHECK_EQ(PlatformAscendC(&infos).GetCoreNumAiv(), 64U);
    CHECK_EQ(PlatformAscendC(&infos).GetCoreNumAic(), 64U);
}

HC_TEST(platform_mixed_blocks)
{
    fe::PlatFormInfos infos = Infos({"Ascend910B", "20", "40", "1", "196608", "2201"});
    const PlatformAscendC platform(&infos);
    CHECK_EQ(platform.CalcTschNumBlocks(5, 20, 40), 3U);
    CHECK_EQ(platform.CalcTschNumBlocks(41, 20, 40), 0U);
    CHECK_EQ(platform.CalcTschNumBlocks(5, 0, 40), 5U);
}

HC_TEST(platform_of_the_modelled_soc)
{
    const char* vector_cores = hc_soc_value("SoCInfo", "vector_core_cnt");
    if (vector_cores == nullptr) {
        return; // no SoC behind this run
    }
    fe::PlatFormInfos infos;
    CHECK(infos.Init());
    CHECK_EQ(std::to_string(PlatformAscendC(&infos).GetCoreNumAiv()), std::string(vector_cores));
    // A section can be taken, changed and set again.
    std::map<std::string, std::string> section;
    CHECK(infos.GetPlatformRes("SoCInfo", section));
    section["vector_core_cnt"] = "3";
    infos.SetPlatformRes("SoCInfo", section);
    CHECK_EQ(PlatformAscendC(&infos).GetCoreNumAiv(), 3U);
    fe::OptionalInfos optional;
    CHECK(fe::PlatformInfoManager::Instance().GetPlatformInfos("Ascend310", infos, optional) != 0U);
}
