// hostcann has no Pad kernel, so l0op::Pad is not declared here.
#ifndef HOSTCANN_ACLNN_KERNELS_PAD_H
#define HOSTCANN_ACLNN_KERNELS_PAD_H

#include "opdev/make_op_executor.h"
#include "opdev/op_executor.h"

#endif // HOSTCANN_ACLNN_KERNELS_PAD_H
