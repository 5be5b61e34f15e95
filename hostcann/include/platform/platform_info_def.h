// Another name of platform_infos_def.h.
#ifndef HOSTCANN_PLATFORM_PLATFORM_INFO_DEF_H
#define HOSTCANN_PLATFORM_PLATFORM_INFO_DEF_H

#include "platform/platform_infos_def.h"

#endif
