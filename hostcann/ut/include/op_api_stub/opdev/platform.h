// The toolkit's header and the two functions that tests use to choose a chip.
#ifndef HOSTCANN_UT_OPDEV_PLATFORM_H
#define HOSTCANN_UT_OPDEV_PLATFORM_H

#include_next "opdev/platform.h"

namespace op {
// The host toolkit models one chip (HOSTCANN_SOC); the running test fails when another one is asked for.
void SetPlatformSocVersion(SocVersion socVersion);
void SetPlatformNpuArch(NpuArch npuArch);
} // namespace op

#endif // HOSTCANN_UT_OPDEV_PLATFORM_H
