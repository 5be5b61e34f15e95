// The acl API: devices, streams, events and memory. Every function returns ACL_SUCCESS (0) or a status code of
// acl_base_rt.h / error_codes/rt_error_codes.h; aclGetRecentErrMsg has the text.
#ifndef INC_EXTERNAL_ACL_ACL_H_
#define INC_EXTERNAL_ACL_ACL_H_

#include "acl/acl_rt.h"
#include "acl/acl_op.h"

#endif
