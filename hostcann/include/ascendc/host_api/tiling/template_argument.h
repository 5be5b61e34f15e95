// Template parameters of kernels and the tiling keys made from them (asc-devkit "tiling template programming").
// One header is read in three ways:
//   ASCENDC_TPL_PRE      only preprocessed: DECL and SEL become marked text that the kernel compiler parses
//   ASCENDC_TPL_KERNEL   in the kernel: the macros vanish, TypeFromId is there
//   otherwise            on the host: DECL becomes the list GET_TPL_TILING_KEY encodes with
#ifndef HOSTCANN_ASCENDC_TILING_TEMPLATE_ARGUMENT_H
#define HOSTCANN_ASCENDC_TILING_TEMPLATE_ARGUMENT_H

#define ASCENDC_TPL_AIV_ONLY 0
#define ASCENDC_TPL_AIC_ONLY 1
#define ASCENDC_TPL_MIX_AIV_1_0 4
#define ASCENDC_TPL_MIX_AIC_1_0 5
#define ASCENDC_TPL_MIX_AIC_1_1 6
#define ASCENDC_TPL_MIX_AIC_1_2 7
#define ASCENDC_TPL_AICORE 8
#define ASCENDC_TPL_VECTORCORE 9
#define ASCENDC_TPL_MIX_AICORE 10
#define ASCENDC_TPL_MIX_VECTOR_CORE 11
#define ASCENDC_TPL_MAX 12

#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_8_BW 8

#define ASCENDC_TPL_DTYPE 0
#define ASCENDC_TPL_FORMAT 1
#define ASCENDC_TPL_UINT 2
#define ASCENDC_TPL_BOOL 3

#define ASCENDC_TPL_UI_RANGE 0
#define ASCENDC_TPL_UI_LIST 1
#define ASCENDC_TPL_UI_MIX 2

#define ASCENDC_TPL_INPUT_BIAS 100000000
#define ASCENDC_TPL_OUTPUT_BIAS 900000000
#define ASCENDC_TPL_INPUT(x) (ASCENDC_TPL_INPUT_BIAS + (x))
#define ASCENDC_TPL_OUTPUT(x) (ASCENDC_TPL_OUTPUT_BIAS + (x))

#if defined(ASCENDC_TPL_PRE)
#include "ascendc/host_api/tiling/template_argument_pre.h"
#elif defined(ASCENDC_TPL_KERNEL)
#include "ascendc/host_api/tiling/template_argument_kernel.h"
#else
#include "ascendc/host_api/tiling/template_argument_host.h"
#endif

#endif
