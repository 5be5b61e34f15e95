#include "tiling/platform/platform_ascendc.h"

#include <cstdlib>
#include <map>

#include "hostcann/host_abi.h"
#include "op_common/log/log.h"

namespace platform_ascendc {
namespace {
constexpr uint64_t kKfcReserve = 256;
constexpr uint32_t kMiB = 1024U * 1024U;
constexpr uint32_t kUnknownSize = static_cast<uint32_t>(-1);

const std::map<std::string, SocVersion>& ShortNames()
{
    static const std::map<std::string, SocVersion> kNames = {
        {"Ascend910", SocVersion::ASCEND910},         {"Ascend910B", SocVersion::ASCEND910B},
        {"Ascend910_93", SocVersion::ASCEND910B},     {"Ascend310P", SocVersion::ASCEND310P},
        {"Ascend310B", SocVersion::ASCEND310B},       {"Ascend310", SocVersion::ASCEND310},
        {"Ascend350", SocVersion::ASCEND350},         {"Ascend610", SocVersion::ASCEND610},
        {"Ascend610Lite", SocVersion::ASCEND610Lite}, {"Ascend950", SocVersion::ASCEND950},
    };
    return kNames;
}

// The item as a number; 0 with an error log when it is missing or no number.
uint64_t Number(fe::PlatFormInfos* infos, const char* section, const char* key)
{
    std::string text;
    char* end = nullptr;
    const bool found = infos != nullptr && infos->GetPlatformResWithLock(section, key, text);
    const unsigned long long number = std::strtoull(text.c_str(), &end, 10);
    if (!found || end == text.c_str()) {
        OP_LOGE("PlatformAscendC", "platform item %s of [%s] is %s%s, expected a number", key, section,
                found ? "" : "missing", text.c_str());
        return 0;
    }
    return number;
}

uint32_t Cores(fe::PlatFormInfos* infos, const char* splitKey)
{
    std::string types;
    const bool split = infos != nullptr && infos->GetPlatformResWithLock("SoCInfo", "core_type_list", types) &&
                       types == "CubeCore,VectorCore";
    return static_cast<uint32_t>(Number(infos, "SoCInfo", split ? splitKey : "ai_core_cnt"));
}
} // namespace

uint32_t PlatformAscendC::GetCoreNum(void) const { return platformInfo_ == nullptr ? 0 : platformInfo_->GetCoreNum(); }
uint32_t PlatformAscendC::GetCoreNumAic(void) const { return Cores(platformInfo_, "cube_core_cnt"); }
uint32_t PlatformAscendC::GetCoreNumAiv(void) const { return Cores(platformInfo_, "vector_core_cnt"); }
uint32_t PlatformAscendC::GetCoreNumVector(void) const
{
    return GetSocVersion() == SocVersion::ASCEND310P ?
               static_cast<uint32_t>(Number(platformInfo_, "SoCInfo", "vector_core_cnt")) :
               0;
}

uint32_t PlatformAscendC::CalcTschBlockDim(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const
{
    return CalcTschNumBlocks(sliceNum, aicCoreNum, aivCoreNum);
}

uint32_t PlatformAscendC::CalcTschNumBlocks(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const
{
    if (aicCoreNum == 0 || aivCoreNum < aicCoreNum) {
        return sliceNum;
    }
    const uint32_t vectorPerCube = aivCoreNum / aicCoreNum;
    const uint32_t blocks = sliceNum / vectorPerCube + (sliceNum % vectorPerCube != 0 ? 1 : 0);
    if (vectorPerCube == 2 && blocks > aicCoreNum) {
        OP_LOGE("PlatformAscendC", "%u slices need %u blocks, there are %u cube cores", sliceNum, blocks, aicCoreNum);
        return 0;
    }
    return blocks;
}

uint32_t PlatformAscendC::GetLibApiWorkSpaceSize(void) const
{
    switch (GetCurNpuArch()) {
        case NpuArch::DAV_RESV:
            return kUnknownSize;
        case NpuArch::DAV_2201:
        case NpuArch::DAV_3510:
            return 16U * kMiB;
        default:
            return 2U * kMiB;
    }
}

uint32_t PlatformAscendC::GetResCubeGroupWorkSpaceSize(void) const
{
    return GetSocVersion() == SocVersion::ASCEND910B ? kMiB : kUnknownSize;
}
uint32_t PlatformAscendC::GetResGroupBarrierWorkSpaceSize(void) const { return GetResCubeGroupWorkSpaceSize(); }

void PlatformAscendC::GetCoreMemSize(const CoreMemType& memType, uint64_t& size) const
{
    size = 0;
    if (platformInfo_ == nullptr) {
        OP_LOGE("PlatformAscendC", "memory size asked for without platform info");
        return;
    }
    if (memType == CoreMemType::FB || memType == CoreMemType::BT) {
        size = Number(platformInfo_, "AICoreSpec", memType == CoreMemType::FB ? "fb0_size" : "bt_size");
        return;
    }
    platformInfo_->GetLocalMemSize(static_cast<fe::LocalMemType>(memType), size);
    uint64_t hidden = memType == CoreMemType::UB ? reservedMemSize_ : 0;
    if ((memType == CoreMemType::UB || memType == CoreMemType::L1) && GetSocVersion() == SocVersion::ASCEND910B) {
        hidden += kKfcReserve;
    }
    size = size > hidden ? size - hidden : 0;
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType& memType, uint64_t& bwSize) const
{
    if (platformInfo_ != nullptr) {
        platformInfo_->GetLocalMemBw(static_cast<fe::LocalMemType>(memType), bwSize);
    }
}

void PlatformAscendC::ReserveLocalMemory(ReservedSize size)
{
    switch (size) {
        case ReservedSize::RESERVED_SIZE_8K:
            reservedMemSize_ = 8U * 1024U;
            break;
        case ReservedSize::RESERVED_SIZE_16K:
            reservedMemSize_ = 16U * 1024U;
            break;
        case ReservedSize::RESERVED_SIZE_32K:
            reservedMemSize_ = 32U * 1024U;
            break;
        default:
            OP_LOGE("PlatformAscendC", "ReserveLocalMemory: %d is none of 8K, 16K and 32K", static_cast<int>(size));
    }
}

SocVersion PlatformAscendC::GetSocVersion(void) const
{
    std::string name;
    if (platformInfo_ != nullptr && platformInfo_->GetPlatformResWithLock("version", "Short_SoC_version", name)) {
        const auto known = ShortNames().find(name);
        if (known != ShortNames().end()) {
            return known->second;
        }
    }
    OP_LOGE("PlatformAscendC", "Short_SoC_version '%s' of [version] names no known chip", name.c_str());
    return SocVersion::RESERVED_VERSION;
}

NpuArch PlatformAscendC::GetCurNpuArch(void) const
{
    const uint64_t arch = Number(platformInfo_, "version", "NpuArch");
    return arch == 0 ? NpuArch::DAV_RESV : static_cast<NpuArch>(arch);
}

uint32_t PlatformAscendC::GetVecRegLen(void) const
{
    std::string text;
    const bool found = platformInfo_ != nullptr &&
                       platformInfo_->GetPlatformResWithLock("AICoreSpec", "vector_reg_width", text);
    return found ? static_cast<uint32_t>(std::strtoul(text.c_str(), nullptr, 10)) : 0;
}

PlatformAscendC* PlatformAscendCManager::GetInstance()
{
    static fe::PlatFormInfos infos;
    static const bool ready = infos.Init();
    static PlatformAscendC platform(&infos);
    return ready ? &platform : nullptr;
}

PlatformAscendC* PlatformAscendCManager::GetInstance(const char* customSocVersion)
{
    const char* name = hc_soc_name();
    if (customSocVersion != nullptr && (name == nullptr || std::string(customSocVersion) != name)) {
        OP_LOGE("PlatformAscendCManager", "SoC '%s' was asked for, the modelled one is '%s' (HOSTCANN_SOC)",
                customSocVersion, name == nullptr ? "none" : name);
        return nullptr;
    }
    return GetInstance();
}
} // namespace platform_ascendc
