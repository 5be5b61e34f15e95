#include <cstdint>

namespace optiling {
uint32_t BlocksOf(int64_t elements) { return 1; }
} // namespace optiling
