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
 * \file fmod.h
 * \brief The pipeline of each tiling key.
 */
#ifndef FMOD_H
#define FMOD_H

#include <type_traits>
#include "fmod_contiguous.h"
#include "fmod_rows.h"
#include "fmod_tiling_key.h"

namespace NsFmod {
template <typename T, uint32_t MODE, uint32_t PRECISION>
using FmodPipeline = std::conditional_t<MODE == FMOD_MODE_SCALAR || MODE == FMOD_MODE_TENSOR,
                                        FmodContiguous<T, PRECISION, MODE == FMOD_MODE_SCALAR>,
                                        FmodRows<T, PRECISION, MODE == FMOD_MODE_SCALAR_STRIDED>>;
} // namespace NsFmod
#endif // FMOD_H
