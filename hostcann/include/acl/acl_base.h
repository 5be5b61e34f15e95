#ifndef HOSTCANN_ACL_ACL_BASE_H
#define HOSTCANN_ACL_ACL_BASE_H

#include "acl/acl_base_rt.h"
#include "acl/error_codes/rt_error_codes.h"
#include "acl/error_codes/ge_error_codes.h"

#endif
