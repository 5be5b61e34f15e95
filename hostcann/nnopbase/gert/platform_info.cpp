// fe::PlatformInfo: the items of fe::PlatFormInfos as structs.
#include <cstdlib>

#include "platform/platform_info.h"

namespace fe {
namespace {
class Section {
public:
    Section(PlatFormInfos& infos, const char* name) : infos_(infos), name_(name) {}

    const Section& operator()(const char* key, std::string& value) const
    {
        (void)infos_.GetPlatformRes(name_, key, value);
        return *this;
    }
    // An item that is missing or empty leaves the field as it is.
    template <typename T>
    const Section& operator()(const char* key, T& value) const
    {
        std::string text;
        if (infos_.GetPlatformRes(name_, key, text) && !text.empty()) {
            value = static_cast<T>(std::strtod(text.c_str(), nullptr));
        }
        return *this;
    }

private:
    PlatFormInfos& infos_;
    const char* name_;
};

void Fill(PlatFormInfos& infos, PlatformInfo& info)
{
    info = PlatformInfo();
    Section(infos, "version")("AIC_version", info.str_info.aic_version)(
        "CCEC_AIC_version", info.str_info.ccec_aic_version)("CCEC_AIV_version", info.str_info.ccec_aiv_version)(
        "Compiler_aicpu_support_os", info.str_info.is_support_ai_cpu_compiler)(
        "Short_SoC_version", info.str_info.short_soc_version)("Arch_type", info.soc_info.arch_type);
    SoCInfo& soc = info.soc_info;
    Section(infos, "SoCInfo")("ai_core_cnt", soc.ai_core_cnt)("vector_core_cnt", soc.vector_core_cnt)(
        "ai_cpu_cnt", soc.ai_cpu_cnt)("memory_size", soc.memory_size)("l2_type", soc.l2_type)("l2_size", soc.l2_size)(
        "l2PageNum", soc.l2PageNum);
    AiCoreSpec& core = info.ai_core_spec;
    Section(infos, "AICoreSpec")("cube_freq", core.cube_freq)("cube_m_size", core.cube_m_size)(
        "cube_n_size", core.cube_n_size)("cube_k_size", core.cube_k_size)("vec_calc_size", core.vec_calc_size)(
        "l0_a_size", core.l0_a_size)("l0_b_size", core.l0_b_size)("l0_c_size", core.l0_c_size)("l1_size", core.l1_size)(
        "smask_buffer", core.smask_buffer)("ub_size", core.ub_size)("ubblock_size", core.ubblock_size)(
        "ubbank_size", core.ubbank_size)("ubbank_num", core.ubbank_num)(
        "ubburst_in_one_block", core.ubburst_in_one_block)("ubbank_group_num", core.ubbank_group_num)(
        "unzip_engines", core.unzip_engines)("unzip_max_ratios", core.unzip_max_ratios)(
        "unzip_channels", core.unzip_channels)("unzip_is_tight", core.unzip_is_tight)("sparsity", core.sparsity);
    std::string combined;
    Section(infos, "SoCInfo")("cube_vector_combine", combined);
    core.cube_vector_split = combined == "split" ? 1 : 0;
    AiCoreMemoryRates& rates = info.ai_core_memory_rates;
    Section(infos, "AICoreMemoryRates")("ddr_rate", rates.ddr_rate)("ddr_read_rate", rates.ddr_read_rate)(
        "ddr_write_rate", rates.ddr_write_rate)("l2_rate", rates.l2_rate)("l2_read_rate", rates.l2_read_rate)(
        "l2_write_rate", rates.l2_write_rate)("l1_to_l0_a_rate", rates.l1_to_l0_a_rate)(
        "l1_to_l0_b_rate", rates.l1_to_l0_b_rate)("l1_to_ub_rate", rates.l1_to_ub_rate)(
        "l0_c_to_ub_rate", rates.l0_c_to_ub_rate)("ub_to_l2_rate", rates.ub_to_l2_rate)(
        "ub_to_ddr_rate", rates.ub_to_ddr_rate)("ub_to_l1_rate", rates.ub_to_l1_rate);
}
} // namespace

uint32_t PlatformInfoManager::GetPlatformInfo(const std::string SoCVersion, PlatformInfo& platform_info,
                                              OptionalInfo& opti_compilation_info)
{
    PlatFormInfos infos;
    OptionalInfos optional;
    const uint32_t status = GetPlatformInfos(SoCVersion, infos, optional);
    if (status != 0) {
        return status;
    }
    Fill(infos, platform_info);
    opti_compilation_info = {optional.GetSocVersion(), optional.GetCoreType(), optional.GetAICoreNum(),
                             optional.GetL1FusionFlag()};
    return 0;
}

uint32_t PlatformInfoManager::GetPlatformInfoWithOutSocVersion(PlatformInfo& platform_info,
                                                               OptionalInfo& opti_compilation_info)
{
    PlatFormInfos infos;
    OptionalInfos optional;
    const uint32_t status = GetPlatformInfoWithOutSocVersion(infos, optional);
    return status != 0 ? status : GetPlatformInfo(optional.GetSocVersion(), platform_info, opti_compilation_info);
}
} // namespace fe
