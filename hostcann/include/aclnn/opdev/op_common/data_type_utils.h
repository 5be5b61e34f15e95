// The older home of the type predicates.
#ifndef HOSTCANN_OPDEV_OP_COMMON_DATA_TYPE_UTILS_H
#define HOSTCANN_OPDEV_OP_COMMON_DATA_TYPE_UTILS_H

#include "opdev/data_type_utils.h"

namespace opcommon {

using op::CanCast;
using op::IsComplexType;
using op::IsFloatingType;
using op::IsIntegralType;
using op::PromoteType;

} // namespace opcommon
#endif // HOSTCANN_OPDEV_OP_COMMON_DATA_TYPE_UTILS_H
