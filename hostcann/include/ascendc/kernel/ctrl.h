// The control register: saturation modes.
#ifndef HOSTCANN_ASCENDC_KERNEL_CTRL_H
#define HOSTCANN_ASCENDC_KERNEL_CTRL_H

#include "ascendc/kernel/macros.h"
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

#endif // HOSTCANN_ASCENDC_KERNEL_CTRL_H
