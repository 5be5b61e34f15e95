#include "register/register.h"

namespace domi {
REGISTER_CUSTOM_OP("Fma").FrameworkType(TENSORFLOW).OriginOpType("Fma").ParseParamsByOperatorFn(AutoMappingByOpFn);
} // namespace domi
