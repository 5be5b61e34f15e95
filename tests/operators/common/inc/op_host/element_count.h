#ifndef COMMON_ELEMENT_COUNT_H
#define COMMON_ELEMENT_COUNT_H

#include <cstddef>
#include <cstdint>

#include "register/op_impl_registry.h"

namespace optiling {
int64_t ElementCount(gert::TilingContext* context, size_t input);
} // namespace optiling

#endif
