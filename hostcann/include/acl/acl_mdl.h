// The host toolkit runs no models.
#ifndef HOSTCANN_ACL_ACL_MDL_H
#define HOSTCANN_ACL_ACL_MDL_H

#include "acl/acl_base.h"

#endif
