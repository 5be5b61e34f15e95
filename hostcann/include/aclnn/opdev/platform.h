#ifndef HOSTCANN_OPDEV_PLATFORM_H
#define HOSTCANN_OPDEV_PLATFORM_H

#include <cstdint>
#include <string>

#include "aclnn/aclnn_base.h"
#include "graph/ascend_string.h"
#include "platform/platform_info.h"
#include "platform/soc_spec.h"

namespace op {

enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND910_93,
    ASCEND910_95,
    ASCEND950 = ASCEND910_95,
    ASCEND910E,
    ASCEND310,
    ASCEND310P,
    ASCEND310B,
    ASCEND310C,
    ASCEND610LITE,
    KIRINX90,
    KIRIN9030,
    ASCEND350,
    RESERVED_VERSION = 99999
};

enum class SocSpec { INST_MMAD = 0, RESERVED_SPEC = 99999 };

enum class SocSpecAbility {
    INST_MMAD_F162F16 = 0,
    INST_MMAD_F162F32,
    INST_MMAD_H322F32,
    INST_MMAD_F322F32,
    INST_MMAD_U32U8U8,
    INST_MMAD_S32S8S8,
    INST_MMAD_S32U8S8,
    INST_MMAD_F16F16F16,
    INST_MMAD_F32F16F16,
    INST_MMAD_F16F16U2,
    INST_MMAD_U8,
    INST_MMAD_S8,
    INST_MMAD_U8S8,
    INST_MMAD_F16U2,
};

// The modelled SoC (HOSTCANN_SOC).
class PlatformInfo {
public:
    PlatformInfo(const PlatformInfo&) = delete;
    PlatformInfo& operator=(const PlatformInfo&) = delete;

    bool Valid() const { return valid_; }
    SocVersion GetSocVersion() const { return socVersion_; }
    const std::string& GetSocLongVersion() const { return socLongVersion_; }
    int32_t GetDeviceId() const { return 0; }
    int64_t GetBlockSize() const { return 32; }
    uint32_t GetCubeCoreNum() const { return cubeCoreNum_; }
    uint32_t GetVectorCoreNum() const { return vectorCoreNum_; }
    bool GetFftsPlusMode() const { return valid_; }
    NpuArch GetCurNpuArch() const;
    fe::PlatFormInfos* GetPlatformInfos() const { return platformInfos_; }
    // Cube-unit abilities: hostcann models the vector core only, so always false.
    bool CheckSupport(SocSpec socSpec, SocSpecAbility ability) const;

private:
    friend const PlatformInfo& GetCurrentPlatformInfo();
    PlatformInfo();

    bool valid_{false};
    SocVersion socVersion_{SocVersion::RESERVED_VERSION};
    std::string socLongVersion_;
    uint32_t cubeCoreNum_{0};
    uint32_t vectorCoreNum_{0};
    fe::PlatFormInfos* platformInfos_{nullptr};
};

const PlatformInfo& GetCurrentPlatformInfo();
ge::AscendString ToString(SocVersion socVersion);

} // namespace op
#endif // HOSTCANN_OPDEV_PLATFORM_H
