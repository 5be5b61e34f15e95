#ifndef KEPT_ELEMENTS_TILING_H
#define KEPT_ELEMENTS_TILING_H

#include <cstdint>

namespace optiling {
uint32_t BlocksOf(int64_t elements);
} // namespace optiling

#endif
