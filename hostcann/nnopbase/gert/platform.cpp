// fe::PlatFormInfos from the modelled SoC, and PlatformAscendC on top of it.
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <mutex>

#include "hostcann/host_abi.h"
#include "op_common/log/log.h"
#include "platform/platform_info.h"
#include "tiling/platform/platform_ascendc.h"

namespace fe {
namespace {
constexpr uint32_t kOk = 0;
constexpr uint32_t kFailed = 0xFFFFFFFF;
constexpr const char* kSocInfo = "SoCInfo";
using DtypeMap = std::map<std::string, std::vector<std::string>>;

// The items of the modelled SoC a whole section is listed with.
constexpr const char* kListedKeys[] = {
    "SoC_version",
    "Short_SoC_version",
    "AIC_version",
    "NpuArch",
    "Arch_type",
    "ai_core_cnt",
    "cube_core_cnt",
    "vector_core_cnt",
    "core_type_list",
    "memory_size",
    "l2_size",
    "cube_freq",
    "ub_size",
    "l1_size",
    "l0_a_size",
    "l0_b_size",
    "l0_c_size",
    "fb0_size",
    "bt_size",
    "ubblock_size",
    "ubbank_size",
    "ubbank_num",
    "vec_calc_size",
    "ddr_rate",
    "ddr_read_rate",
    "ddr_write_rate",
    "l2_rate",
    "l2_read_rate",
    "l2_write_rate",
    "ub_to_l2_rate",
    "ub_to_ddr_rate",
    "Intrinsic_mmad",
    "Intrinsic_data_move_l12bt",
    "Intrinsic_fix_pipe_l0c2out",
    "Intrinsic_data_move_out2l1_nd2nz",
};

// The number in front of anything else; false when there is none.
bool ToNumber(const std::string& text, uint64_t& number)
{
    char* end = nullptr;
    errno = 0;
    const unsigned long long parsed = std::strtoull(text.c_str(), &end, 10);
    if (end == text.c_str() || errno != 0) {
        return false;
    }
    number = parsed;
    return true;
}
} // namespace

class PlatFormInfosImpl {
public:
    std::mutex lock;
    bool modelled = false;
    std::map<std::string, std::map<std::string, std::string>> sections;
    DtypeMap aicore_dtypes, vector_core_dtypes, fixpipe_dtypes;
    uint32_t core_num = 0;

    bool Find(const std::string& label, const std::string& key, std::string& value)
    {
        const std::lock_guard<std::mutex> guard(lock);
        const auto section = sections.find(label);
        if (section != sections.end()) {
            const auto item = section->second.find(key);
            if (item != section->second.end()) {
                value = item->second;
                return true;
            }
        }
        const char* text = modelled ? hc_soc_value(label.c_str(), key.c_str()) : nullptr;
        if (text == nullptr) {
            return false;
        }
        value = text;
        return true;
    }
};

PlatFormInfos::PlatFormInfos() : impl_(std::make_shared<PlatFormInfosImpl>()) {}

bool PlatFormInfos::Init()
{
    impl_ = std::make_shared<PlatFormInfosImpl>();
    impl_->modelled = hc_soc_name() != nullptr;
    if (impl_->modelled) {
        SetCoreNumByCoreType("AiCore");
    }
    return impl_->modelled;
}

bool PlatFormInfos::GetPlatformRes(const std::string& label, const std::string& key, std::string& val)
{
    return impl_->Find(label, key, val);
}
bool PlatFormInfos::GetPlatformResWithLock(const std::string& label, const std::string& key, std::string& val)
{
    return impl_->Find(label, key, val);
}

bool PlatFormInfos::GetPlatformRes(const std::string& label, std::map<std::string, std::string>& res)
{
    res.clear();
    for (const char* key : kListedKeys) {
        const char* text = impl_->modelled ? hc_soc_value(label.c_str(), key) : nullptr;
        if (text != nullptr) {
            res[key] = text;
        }
    }
    const std::lock_guard<std::mutex> guard(impl_->lock);
    const auto section = impl_->sections.find(label);
    if (section != impl_->sections.end()) {
        for (const auto& [key, value] : section->second) {
            res[key] = value;
        }
    }
    return !res.empty();
}
bool PlatFormInfos::GetPlatformResWithLock(const std::string& label, std::map<std::string, std::string>& res)
{
    return GetPlatformRes(label, res);
}

void PlatFormInfos::SetPlatformRes(const std::string& label, std::map<std::string, std::string>& res)
{
    const std::lock_guard<std::mutex> guard(impl_->lock);
    impl_->sections[label] = res;
}
void PlatFormInfos::SetPlatformResWithLock(const std::string& label, std::map<std::string, std::string>& res)
{
    SetPlatformRes(label, res);
}

DtypeMap PlatFormInfos::GetAICoreIntrinsicDtype() { return impl_->aicore_dtypes; }
DtypeMap PlatFormInfos::GetVectorCoreIntrinsicDtype() { return impl_->vector_core_dtypes; }
DtypeMap PlatFormInfos::GetFixPipeDtypeMap() { return impl_->fixpipe_dtypes; }
void PlatFormInfos::SetAICoreIntrinsicDtype(DtypeMap& intrinsic_dtypes) { impl_->aicore_dtypes = intrinsic_dtypes; }
void PlatFormInfos::SetVectorCoreIntrinsicDtype(DtypeMap& intrinsic_dtypes)
{
    impl_->vector_core_dtypes = intrinsic_dtypes;
}
void PlatFormInfos::SetFixPipeDtypeMap(const DtypeMap& fixpipe_dtype_map) { impl_->fixpipe_dtypes = fixpipe_dtype_map; }

uint32_t PlatFormInfos::GetCoreNum() const { return impl_->core_num; }
uint32_t PlatFormInfos::GetCoreNumWithLock() const { return impl_->core_num; }
void PlatFormInfos::SetCoreNum(const uint32_t& core_num) { impl_->core_num = core_num; }

uint32_t PlatFormInfos::GetCoreNumByType(const std::string& core_type)
{
    const char* key = core_type == "VectorCore" ? "vector_core_cnt" : "ai_core_cnt";
    std::string text;
    uint64_t number = 0;
    if (!GetPlatformRes(kSocInfo, key, text) || !ToNumber(text, number)) {
        OP_LOGE("PlatFormInfos", "%s of [%s] is missing or no number: '%s'", key, kSocInfo, text.c_str());
        return 0;
    }
    return static_cast<uint32_t>(number);
}

void PlatFormInfos::SetCoreNumByCoreType(const std::string& core_type)
{
    impl_->core_num = GetCoreNumByType(core_type);
}

void PlatFormInfos::GetLocalMemSize(const LocalMemType& mem_type, uint64_t& size)
{
    struct Item {
        LocalMemType type;
        const char* section;
        const char* key;
    };
    static constexpr Item kItems[] = {
        {LocalMemType::L0_A, "AICoreSpec", "l0_a_size"}, {LocalMemType::L0_B, "AICoreSpec", "l0_b_size"},
        {LocalMemType::L0_C, "AICoreSpec", "l0_c_size"}, {LocalMemType::L1, "AICoreSpec", "l1_size"},
        {LocalMemType::L2, kSocInfo, "l2_size"},         {LocalMemType::UB, "AICoreSpec", "ub_size"},
        {LocalMemType::HBM, kSocInfo, "memory_size"},
    };
    size = 0;
    for (const Item& item : kItems) {
        std::string text;
        if (item.type == mem_type && GetPlatformRes(item.section, item.key, text)) {
            (void)ToNumber(text, size);
        }
    }
}

void PlatFormInfos::GetLocalMemBw(const LocalMemType& mem_type, uint64_t& bw_size)
{
    const char* key = mem_type == LocalMemType::L2 ? "l2_rate" : mem_type == LocalMemType::HBM ? "ddr_rate" : nullptr;
    std::string text;
    if (key != nullptr && GetPlatformRes("AICoreMemoryRates", key, text)) {
        (void)ToNumber(text, bw_size);
    }
}

PlatformInfoManager& PlatformInfoManager::Instance()
{
    static PlatformInfoManager manager;
    return manager;
}
PlatformInfoManager& PlatformInfoManager::GeInstance() { return Instance(); }

uint32_t PlatformInfoManager::InitializePlatformInfo() { return hc_soc_name() == nullptr ? kFailed : kOk; }
uint32_t PlatformInfoManager::Finalize() { return kOk; }

uint32_t PlatformInfoManager::GetPlatformInfos(const std::string SoCVersion, PlatFormInfos& platform_info,
                                               OptionalInfos& opti_compilation_info)
{
    const char* name = hc_soc_name();
    if (name == nullptr || SoCVersion != name) {
        OP_LOGE("PlatformInfoManager", "platform of '%s' was asked for, the modelled SoC is '%s' (HOSTCANN_SOC)",
                SoCVersion.c_str(), name == nullptr ? "none" : name);
        return kFailed;
    }
    return GetPlatformInfoWithOutSocVersion(platform_info, opti_compilation_info);
}

uint32_t PlatformInfoManager::GetPlatformInfoWithOutSocVersion(PlatFormInfos& platform_info,
                                                               OptionalInfos& opti_compilation_info)
{
    if (!platform_info.Init()) {
        return kFailed;
    }
    opti_compilation_info.SetSocVersion(hc_soc_name());
    opti_compilation_info.SetCoreType("AiCore");
    opti_compilation_info.SetAICoreNum(platform_info.GetCoreNum());
    return kOk;
}

uint32_t PlatformInfoManager::GetPlatformInstanceByDevice(const uint32_t& device_id, PlatFormInfos& platform_infos)
{
    (void)device_id;
    return platform_infos.Init() ? kOk : kFailed;
}

uint32_t PlatformInfoManager::GetRuntimePlatformInfosByDevice(const uint32_t& device_id, PlatFormInfos& platform_infos,
                                                              bool need_deep_copy)
{
    (void)need_deep_copy;
    return GetPlatformInstanceByDevice(device_id, platform_infos);
}

uint32_t PlatformInfoManager::InitRuntimePlatformInfos(const std::string& SoCVersion)
{
    PlatFormInfos infos;
    OptionalInfos optional;
    return GetPlatformInfos(SoCVersion, infos, optional);
}
} // namespace fe
