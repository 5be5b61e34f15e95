// All of the high-level kernel functions.
#pragma once
#include "adv_api/normalization/batchnorm.h"
#include "adv_api/normalization/deepnorm.h"
#include "adv_api/normalization/groupnorm.h"
#include "adv_api/normalization/layernorm.h"
#include "adv_api/normalization/layernormgrad.h"
#include "adv_api/normalization/layernormgradbeta.h"
#include "adv_api/normalization/normalize.h"
#include "adv_api/normalization/rmsnorm.h"
#include "adv_api/normalization/welfordfinalize.h"
#include "adv_api/reduce/reduce.h"
#include "adv_api/reduce/reduce_xor_sum.h"
#include "kernel_operator.h"
