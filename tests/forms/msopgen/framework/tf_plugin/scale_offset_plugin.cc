#include "register/register.h"

namespace domi {
REGISTER_CUSTOM_OP("ScaleOffset")
    .FrameworkType(TENSORFLOW)
    .OriginOpType("ScaleOffset")
    .ParseParamsByOperatorFn(AutoMappingByOpFn);
} // namespace domi
