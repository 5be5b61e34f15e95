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
 * \brief Tiling key = mode: where the divisor comes from and how the tensors lie in GM.
 */
#ifndef FMOD_TILING_KEY_H
#define FMOD_TILING_KEY_H

#include "ascendc/host_api/tiling/template_argument.h"

#define FMOD_MODE_SCALAR 0
#define FMOD_MODE_TENSOR 1

ASCENDC_TPL_ARGS_DECL(Fmod, ASCENDC_TPL_UINT_DECL(mode, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, FMOD_MODE_SCALAR,
                                                  FMOD_MODE_TENSOR));

ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_LIST, FMOD_MODE_SCALAR,
                                                          FMOD_MODE_TENSOR)));
#endif // FMOD_TILING_KEY_H
