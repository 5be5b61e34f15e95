// What tiling functions ask about the chip (asc-devkit tiling/platform/platform_ascendc.h).
#ifndef HOSTCANN_TILING_PLATFORM_PLATFORM_ASCENDC_H
#define HOSTCANN_TILING_PLATFORM_PLATFORM_ASCENDC_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "platform/platform_infos_def.h"
#include "platform/soc_spec.h"

#ifndef ASCENDC_ASSERT
#define ASCENDC_ASSERT(cond, behavior) \
    do {                               \
        if (!(cond)) {                 \
            behavior;                  \
        }                              \
    } while (0)
#endif

namespace platform_ascendc {
enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, FB = 7, BT = 8, RESERVED };

enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND310P,
    ASCEND310B,
    ASCEND950,
    ASCEND910_55,
    ASCEND910_95 = ASCEND950,
    AS31XM1,
    ASCEND031,
    ASCEND035,
    ASCEND310,
    ASCEND610,
    ASCEND610Lite,
    ASCEND910_93,
    BS9SX1A,
    BS9SX2A,
    HI3796CV300CS,
    HI3796CV300ES,
    MC61AM21A,
    MC62,
    SD3403,
    KIRINX90,
    KIRIN9030,
    MC32DM11A,
    ASCEND350,
    RESERVED_VERSION = 99999
};

enum class ReservedSize { RESERVED_SIZE_8K, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

class PlatformAscendC {
public:
    PlatformAscendC() = delete;
    ~PlatformAscendC() = default;
    explicit PlatformAscendC(fe::PlatFormInfos* platformInfo) : platformInfo_(platformInfo) {}

    uint32_t GetCoreNum(void) const;
    // Cube and vector cores where they are separate (core_type_list "CubeCore,VectorCore"), else the AI cores.
    uint32_t GetCoreNumAic(void) const;
    uint32_t GetCoreNumAiv(void) const;
    uint32_t GetCoreNumVector(void) const; // extra vector cores of Ascend310P, 0 elsewhere
    uint32_t CalcTschBlockDim(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const;
    // Blocks of a mixed kernel whose vector part is cut into sliceNum slices; 0 when that is more than the cube cores.
    uint32_t CalcTschNumBlocks(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const;
    uint32_t GetLibApiWorkSpaceSize(void) const;
    uint32_t GetResCubeGroupWorkSpaceSize(void) const;
    uint32_t GetResGroupBarrierWorkSpaceSize(void) const;
    // UB and L1 of Ascend910B and Ascend910_93 are 256 bytes smaller than the hardware; UB also by ReserveLocalMemory.
    void GetCoreMemSize(const CoreMemType& memType, uint64_t& size) const;
    void GetCoreMemBw(const CoreMemType& memType, uint64_t& bwSize) const;
    void ReserveLocalMemory(ReservedSize size); // the last call counts
    SocVersion GetSocVersion(void) const;       // ASCEND910B for Ascend910_93 too
    NpuArch GetCurNpuArch(void) const;
    uint32_t GetVecRegLen(void) const; // 0 on chips without vector registers

private:
    fe::PlatFormInfos* platformInfo_;
    uint32_t reservedMemSize_ = 0;
};

// For code that launches kernels without a tiling context.
class PlatformAscendCManager {
public:
    static PlatformAscendC* GetInstance();
    // nullptr when customSocVersion is not the modelled SoC.
    static PlatformAscendC* GetInstance(const char* customSocVersion);

private:
    PlatformAscendCManager();
    ~PlatformAscendCManager() = default;
};
} // namespace platform_ascendc

#endif
