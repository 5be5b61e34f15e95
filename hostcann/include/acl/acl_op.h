// The host toolkit has no single-operator interface; operators are called through aclnn.
#ifndef HOSTCANN_ACL_ACL_OP_H
#define HOSTCANN_ACL_ACL_OP_H

#include "acl/acl_base.h"

#endif
