// Identity of a core, its clock, its workspace and its control register: saturation modes.
#ifndef HOSTCANN_ASCENDC_KERNEL_SYSTEM_H
#define HOSTCANN_ASCENDC_KERNEL_SYSTEM_H

#include "ascendc/kernel/constants.h"
#include "ascendc/kernel/macros.h"
#include "ascendc/kernel/std.h"
#include "ascendc/kernel/tensor.h"
#include "hostcann/aicore_abi.h"

namespace AscendC {

enum class SaturationMode : uint8_t { FLOAT, FLOAT8, INT, CAST };

namespace hostcann {

template <int8_t startBit, int8_t endBit>
constexpr bool IsCtrlBit = startBit == 48 && endBit == 48;

// The bit of a mode, and whether a set bit saturates.
struct SaturationBit {
    uint64_t mask;
    bool saturates;
};
constexpr SaturationBit BitOf(SaturationMode mode)
{
    switch (mode) {
        case SaturationMode::FLOAT:
            return {uint64_t{1} << 48, false};
        case SaturationMode::INT:
            return {uint64_t{1} << 53, true};
        default:
            return {uint64_t{1} << 59, false};
    }
}

} // namespace hostcann

template <int8_t startBit, int8_t endBit>
HOSTCANN_API void SetCtrlSpr(int64_t value)
{
    static_assert(hostcann::IsCtrlBit<startBit, endBit>, "SetCtrlSpr: bit 48 only on A2");
    const uint64_t bit = uint64_t{1} << startBit;
    aic_set_ctrl((aic_ctrl() & ~bit) | (static_cast<uint64_t>(value) << startBit & bit));
}
template <int8_t startBit, int8_t endBit>
HOSTCANN_API int64_t GetCtrlSpr()
{
    static_assert(hostcann::IsCtrlBit<startBit, endBit>, "GetCtrlSpr: bit 48 only on A2");
    return static_cast<int64_t>(aic_ctrl() >> startBit & 1);
}

template <SaturationMode mode>
HOSTCANN_API void SetSaturationFlag(bool enableSat)
{
    static_assert(mode != SaturationMode::FLOAT8, "SetSaturationFlag: FLOAT, INT or CAST on A2");
    constexpr hostcann::SaturationBit bit = hostcann::BitOf(mode);
    const uint64_t rest = aic_ctrl() & ~bit.mask;
    aic_set_ctrl(enableSat == bit.saturates ? rest | bit.mask : rest);
}
template <SaturationMode mode>
HOSTCANN_API bool GetSaturationFlag()
{
    static_assert(mode != SaturationMode::FLOAT8, "GetSaturationFlag: FLOAT, INT or CAST on A2");
    constexpr hostcann::SaturationBit bit = hostcann::BitOf(mode);
    return ((aic_ctrl() & bit.mask) != 0) == bit.saturates;
}

} // namespace AscendC

namespace AscendC {

HOSTCANN_API int64_t GetBlockIdx() { return aic_block_idx(); }
HOSTCANN_API int64_t GetBlockNum() { return aic_block_num(); }
// The vector cores of a block: two in KERNEL_TYPE_MIX_AIC_1_2, else one.
HOSTCANN_API int64_t GetSubBlockIdx() { return aic_sub_block(); }
HOSTCANN_API int64_t GetSubBlockNum() { return aic_is_cube() != 0 ? 1 : aic_task_ratio(); }
HOSTCANN_API int64_t GetTaskRatio() { return aic_is_cube() != 0 ? 1 : aic_task_ratio(); }
HOSTCANN_API int64_t GetTaskRation() { return GetTaskRatio(); }
HOSTCANN_API constexpr int16_t GetDataBlockSizeInBytes() { return 32; }
// Known on later chips only; the header gives 0 on A2.
HOSTCANN_API constexpr uint32_t GetUBSizeInBytes() { return 0; }
// A 50 MHz counter, as on A2; it measures the host.
HOSTCANN_API int64_t GetSystemCycle() { return aic_system_cycle(); }

// Never null, as on A2, whose header does not look at the pointer: kernels return when it is.
HOSTCANN_API GM_ADDR GetUserWorkspace(GM_ADDR workspace)
{
    return reinterpret_cast<GM_ADDR>(reinterpret_cast<uintptr_t>(workspace) + RESERVED_WORKSPACE);
}

// The three digits of the core in __NPU_ARCH__ (2201); the page gives no number.
HOSTCANN_API void GetArchVersion(uint32_t& coreVersion) { coreVersion = 0x220; }

// The kernel's line, as an address of the host.
HOSTCANN_API int64_t GetProgramCounter() { return aic_program_counter(); }

// Runs a function on its kind of core.
template <EngineType engine, auto funPtr, class... Args>
HOSTCANN_API void Async(Args... args)
{
    if ((engine == EngineType::AIC) == (aic_is_cube() != 0)) {
        funPtr(args...);
    }
}

// The first call of a kernel counts; null before it.
HOSTCANN_API void SetSysWorkspace(GM_ADDR workspace) { aic_set_sys_workspace(workspace, 0); }
HOSTCANN_API void SetSysWorkspaceForce(GM_ADDR workspace) { aic_set_sys_workspace(workspace, 1); }
HOSTCANN_API GM_ADDR GetSysWorkSpacePtr() { return static_cast<GM_ADDR>(aic_sys_workspace()); }

template <typename T, typename U>
struct IsSameType {
    static constexpr bool value = std::is_same<T, U>::value;
};
template <bool condition, typename T, typename U>
using Conditional = std::conditional<condition, T, U>;

} // namespace AscendC

// Upstream reaches these from both scopes.
using AscendC::GetSysWorkSpacePtr;
using AscendC::GetUserWorkspace;
using AscendC::SetSysWorkspace;

#endif // HOSTCANN_ASCENDC_KERNEL_SYSTEM_H
