#include "opdev/platform.h"

#include <cstdlib>
#include <cstring>

#include "hostcann/host_abi.h"
#include "opdev/op_log.h"

namespace op {
namespace {

SocVersion VersionOfFolder(const char* folder)
{
    if (folder == nullptr) {
        return SocVersion::RESERVED_VERSION;
    }
    if (std::strcmp(folder, "ascend910b") == 0) {
        return SocVersion::ASCEND910B;
    }
    if (std::strcmp(folder, "ascend910_93") == 0) {
        return SocVersion::ASCEND910_93;
    }
    return SocVersion::RESERVED_VERSION;
}

// GetPlatformRes labels and keys of the platform configuration files.
uint32_t CoreCount(fe::PlatFormInfos* infos, const char* key)
{
    std::string text;
    if (infos == nullptr || !infos->GetPlatformResWithLock("SoCInfo", key, text)) {
        return 0;
    }
    return static_cast<uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
}

fe::PlatFormInfos* LoadPlatformInfos()
{
    static fe::PlatFormInfos infos;
    fe::PlatformInfoManager& manager = fe::PlatformInfoManager::GeInstance();
    (void)manager.InitializePlatformInfo();
    if (manager.GetRuntimePlatformInfosByDevice(0, infos) != 0) {
        return nullptr;
    }
    return &infos;
}

} // namespace

PlatformInfo::PlatformInfo()
{
    const char* name = hc_soc_name();
    if (name == nullptr) {
        return; // the reason has been reported
    }
    socLongVersion_ = name;
    socVersion_ = VersionOfFolder(hc_soc_folder());
    platformInfos_ = LoadPlatformInfos();
    cubeCoreNum_ = CoreCount(platformInfos_, "cube_core_cnt");
    vectorCoreNum_ = CoreCount(platformInfos_, "vector_core_cnt");
    valid_ = platformInfos_ != nullptr;
    if (!valid_) {
        OP_LOGE(ACLNN_ERR_INNER, "no platform information for SoC %s", name);
    }
}

NpuArch PlatformInfo::GetCurNpuArch() const
{
    switch (socVersion_) {
        case SocVersion::ASCEND910B:
        case SocVersion::ASCEND910_93:
            return NpuArch::DAV_2201;
        default:
            return NpuArch::DAV_RESV;
    }
}

bool PlatformInfo::CheckSupport(SocSpec, SocSpecAbility) const { return false; }

const PlatformInfo& GetCurrentPlatformInfo()
{
    static const PlatformInfo info;
    return info;
}

ge::AscendString ToString(SocVersion socVersion)
{
    switch (socVersion) {
        case SocVersion::ASCEND910:
            return "Ascend910";
        case SocVersion::ASCEND910B:
            return "Ascend910B";
        case SocVersion::ASCEND910_93:
            return "Ascend910_93";
        case SocVersion::ASCEND950:
            return "Ascend950";
        case SocVersion::ASCEND910E:
            return "Ascend910E";
        case SocVersion::ASCEND310:
            return "Ascend310";
        case SocVersion::ASCEND310P:
            return "Ascend310P";
        case SocVersion::ASCEND310B:
            return "Ascend310B";
        case SocVersion::ASCEND310C:
            return "Ascend310C";
        case SocVersion::ASCEND610LITE:
            return "Ascend610Lite";
        default:
            return "UnknownSoc";
    }
}

} // namespace op
