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
 * \file fmod_tiling_data.h
 * \brief Tiling data of Fmod and the UB budget that tiling and kernel share.
 */
#ifndef FMOD_TILING_DATA_H
#define FMOD_TILING_DATA_H

#include <cstdint>

// Lengths are elements. Cores below formerNum take formerLength elements, the others tailLength; the last one stops at
// totalLength. A core walks its share in tiles of tileLength.
struct FmodTilingData {
    int64_t totalLength;
    int64_t formerNum;
    int64_t formerLength;
    int64_t tailLength;
    int64_t tileLength;
    float scalar;      // divisor of the scalar modes
    uint32_t reserved; // keeps the size a multiple of 8
};

constexpr uint32_t FMOD_DOUBLE_BUFFER = 2;
// Two source operands of one vector instruction read at half rate when they start in the same bank group, i.e. when
// their addresses agree in bits 8..5. A gap of half a group row puts the divisor into the other eight groups.
constexpr uint32_t FMOD_BANK_GAP_BYTES = 256;
constexpr uint32_t FMOD_BANK_GAP_NUM = 2;

// UB bytes per element: double-buffered x1, x2 and y, or x1, y and a resident tile of the scalar.
constexpr uint32_t FMOD_TENSOR_BYTES = 3 * FMOD_DOUBLE_BUFFER * sizeof(float);
constexpr uint32_t FMOD_SCALAR_BYTES = 2 * FMOD_DOUBLE_BUFFER * sizeof(float) + sizeof(float);
#endif // FMOD_TILING_DATA_H
