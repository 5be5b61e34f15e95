// The time stamp of a core, under the name the toolkit gives its header.
#pragma once
#include "kernel_operator.h"

namespace __asc_aicore {
// The system counter: it measures the host.
HOSTCANN_API uint64_t clock() { return static_cast<uint64_t>(AscendC::GetSystemCycle()); }
} // namespace __asc_aicore
// The C library has a clock of its own: a declaration of this one in the same scope would clash with it.
using namespace __asc_aicore;
