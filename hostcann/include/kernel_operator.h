// The Ascend C kernel interface of a vector core (A2/A3), executed on the host.
#ifndef HOSTCANN_KERNEL_OPERATOR_H
#define HOSTCANN_KERNEL_OPERATOR_H

#include "ascendc/kernel/macros.h"
#include "ascendc/kernel/kernel_type.h"
#include "ascendc/kernel/enums.h"
#include "ascendc/kernel/scalar_types.h"
#include "ascendc/kernel/scalar.h"
#include "ascendc/kernel/structs.h"
#include "ascendc/kernel/tensor.h"
#include "ascendc/kernel/sync.h"
#include "ascendc/kernel/pipe.h"
#include "ascendc/kernel/data_copy.h"
#include "ascendc/kernel/vec_arith.h"
#include "ascendc/kernel/vec_cast.h"
#include "ascendc/kernel/vec_compare.h"
#include "ascendc/kernel/vec_fill.h"
#include "ascendc/kernel/vec_gather.h"
#include "ascendc/kernel/vec_reduce.h"
#include "ascendc/kernel/vec_sort.h"
#include "ascendc/kernel/vec_transpose.h"
#include "ascendc/kernel/tensor_ops.h"
#include "ascendc/kernel/system.h"
#include "ascendc/kernel/debug.h"
#include "ascendc/kernel/gm_fill.h"
#include "ascendc/kernel/list_tensor.h"
#include "ascendc/kernel/adv_round.h"
#include "ascendc/kernel/adv_math.h"
#include "ascendc/kernel/adv_shape.h"
#include "ascendc/kernel/tiling.h"

#endif // HOSTCANN_KERNEL_OPERATOR_H
