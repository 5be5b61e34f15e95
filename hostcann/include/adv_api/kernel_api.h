// All of the high-level kernel functions.
#pragma once
#include "adv_api/reduce/reduce.h"
#include "adv_api/reduce/reduce_xor_sum.h"
#include "kernel_operator.h"
