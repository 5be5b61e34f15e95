// The tiling structs of the high-level functions as classes of the host.
#ifndef HOSTCANN_ASCENDC_HOST_API_TILING_TILING_CLASSES_H
#define HOSTCANN_ASCENDC_HOST_API_TILING_TILING_CLASSES_H

#include "ascendc/tiling_structs.h"
#include "register/tilingdata_base.h"

namespace optiling {
#define HOSTCANN_TILING_CLASS(Name) \
    BEGIN_TILING_DATA_DEF(Name)     \
    HOSTCANN_FIELDS_##Name(TILING_DATA_FIELD_DEF) END_TILING_DATA_DEF
HOSTCANN_TILING_STRUCTS(HOSTCANN_TILING_CLASS)
#undef HOSTCANN_TILING_CLASS
} // namespace optiling

namespace AscendC {
namespace hostcann {
#define HOSTCANN_SET_FIELD(type, name) to.set_##name(from.name);
#define HOSTCANN_SET_FIELDS(Name) \
    inline void ToClass(const tiling::Name& from, optiling::Name& to) { HOSTCANN_FIELDS_##Name(HOSTCANN_SET_FIELD) }
HOSTCANN_TILING_STRUCTS(HOSTCANN_SET_FIELDS)
#undef HOSTCANN_SET_FIELDS
#undef HOSTCANN_SET_FIELD
} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_HOST_API_TILING_TILING_CLASSES_H
