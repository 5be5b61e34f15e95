/**
 * Copyright (c) 2026 The Fmod operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

/*!
 * \file fmod_tiling_key.h
 * \brief Tiling key: bits 0..7 where the divisor comes from and how the tensors lie in GM, bits 8..15 the precision.
 */
#ifndef FMOD_TILING_KEY_H
#define FMOD_TILING_KEY_H

#include "ascendc/host_api/tiling/template_argument.h"
#include "fmod_tiling_data.h"

#define FMOD_MODE_SCALAR 0
#define FMOD_MODE_TENSOR 1
#define FMOD_MODE_BROADCAST 2
#define FMOD_MODE_SCALAR_STRIDED 3
#define FMOD_MODE_TENSOR_STRIDED 4

ASCENDC_TPL_ARGS_DECL(Fmod,
                      ASCENDC_TPL_UINT_DECL(mode, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, FMOD_MODE_SCALAR,
                                            FMOD_MODE_TENSOR, FMOD_MODE_BROADCAST, FMOD_MODE_SCALAR_STRIDED,
                                            FMOD_MODE_TENSOR_STRIDED),
                      ASCENDC_TPL_UINT_DECL(precision, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, FMOD_PRECISION_TBE,
                                            FMOD_PRECISION_EXACT));

// Integers are exact in either precision and need the kernels of one. The kernel build defines the data type; the
// tiling function does not, and asks for a key of the longer list, of which an integer never uses the second half.
#if defined(ORIG_DTYPE_X1) && ORIG_DTYPE_X1 != DT_FLOAT && ORIG_DTYPE_X1 != DT_FLOAT16 && ORIG_DTYPE_X1 != DT_BF16
#define FMOD_PRECISIONS FMOD_PRECISION_TBE
#else
#define FMOD_PRECISIONS FMOD_PRECISION_TBE, FMOD_PRECISION_EXACT
#endif

ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_LIST, FMOD_MODE_SCALAR, FMOD_MODE_TENSOR,
                                                          FMOD_MODE_BROADCAST, FMOD_MODE_SCALAR_STRIDED,
                                                          FMOD_MODE_TENSOR_STRIDED),
                                     ASCENDC_TPL_UINT_SEL(precision, ASCENDC_TPL_UI_LIST, FMOD_PRECISIONS)));
#endif // FMOD_TILING_KEY_H
