// Tiling data of the high-level functions as kernels see it.
#ifndef HOSTCANN_ASCENDC_ADV_TILING_STRUCTS_H
#define HOSTCANN_ASCENDC_ADV_TILING_STRUCTS_H

#include <cstdint>

#include "ascendc/adv_tiling_fields.h"

namespace AscendC {
namespace tiling {

#define HOSTCANN_FIELD(name) uint32_t name = 0;
struct SoftMaxTiling {
    HOSTCANN_SOFTMAX_FIELDS(HOSTCANN_FIELD)
};
struct LogSoftMaxTiling {
    HOSTCANN_SOFTMAX_FIELDS(HOSTCANN_FIELD)
};
#undef HOSTCANN_FIELD

} // namespace tiling
} // namespace AscendC

using AscendC::tiling::LogSoftMaxTiling;
using AscendC::tiling::SoftMaxTiling;

#endif // HOSTCANN_ASCENDC_ADV_TILING_STRUCTS_H
