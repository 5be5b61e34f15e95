#ifndef HOSTCANN_OP_COMMON_TILING_BASE_UTIL_H
#define HOSTCANN_OP_COMMON_TILING_BASE_UTIL_H

#include "platform/soc_spec.h"
#include "register/op_impl_registry.h"

namespace Ops {
namespace Base {
// Whether the vector unit works on registers (NpuArch 3510 and its kin); false on DAV_2201.
bool IsRegbaseSocVersion(const gert::TilingParseContext* context);
bool IsRegbaseSocVersion(const gert::TilingContext* context);
// The shape itself, {1} for a scalar.
const gert::Shape& EnsureNotScalar(const gert::Shape& inShape);
} // namespace Base
} // namespace Ops

#endif
