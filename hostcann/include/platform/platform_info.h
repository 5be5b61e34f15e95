#ifndef HOSTCANN_PLATFORM_PLATFORM_INFO_H
#define HOSTCANN_PLATFORM_PLATFORM_INFO_H

#include <string>

#include "platform/platform_info_def.h"
#include "platform/platform_infos_def.h"

namespace fe {
// The platform of the process. Calls return 0 on success.
class PlatformInfoManager {
public:
    PlatformInfoManager(const PlatformInfoManager&) = delete;
    PlatformInfoManager& operator=(const PlatformInfoManager&) = delete;
    static PlatformInfoManager& Instance();
    static PlatformInfoManager& GeInstance();

    uint32_t InitializePlatformInfo();
    uint32_t Finalize();
    // Only the modelled SoC is known; another name fails with an error that says so.
    uint32_t GetPlatformInfos(const std::string SoCVersion, PlatFormInfos& platform_info,
                              OptionalInfos& opti_compilation_info);
    uint32_t GetPlatformInfoWithOutSocVersion(PlatFormInfos& platform_info, OptionalInfos& opti_compilation_info);
    // The same as structs.
    uint32_t GetPlatformInfo(const std::string SoCVersion, PlatformInfo& platform_info,
                             OptionalInfo& opti_compilation_info);
    uint32_t GetPlatformInfoWithOutSocVersion(PlatformInfo& platform_info, OptionalInfo& opti_compilation_info);
    uint32_t GetPlatformInstanceByDevice(const uint32_t& device_id, PlatFormInfos& platform_infos);
    uint32_t GetRuntimePlatformInfosByDevice(const uint32_t& device_id, PlatFormInfos& platform_infos,
                                             bool need_deep_copy = false);
    uint32_t InitRuntimePlatformInfos(const std::string& SoCVersion);

private:
    PlatformInfoManager() = default;
    ~PlatformInfoManager() = default;
};
} // namespace fe

#endif
