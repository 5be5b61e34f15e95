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

constexpr uint32_t FMOD_MAX_DIM = 8;

// Lengths and strides are elements. The first formerNum cores take formerLength units of work, the others tailLength,
// the last one stops at totalLength. A unit is one element in the contiguous modes, where a core walks its share in
// tiles of tileLength, and one tile of rowTile x colTile elements in the others.
struct FmodTilingData {
    int64_t totalLength;
    int64_t formerNum;
    int64_t formerLength;
    int64_t tailLength;
    int64_t tileLength;
    // Divisor of the scalar modes in the forms the policies use.
    float scalar;      // the divisor; |divisor| in exact mode
    float reciprocal;  // of the divisor, biased or negated as the policy asks
    float scalarHigh;  // top 12 significant bits of |divisor|
    float scalarLow;   // the rest of |divisor|
    float probeLimit;  // dividends of at least this magnitude take the long way
    int32_t scalarInt; // -max(|divisor|, 1)
    // Shape after adjacent axes are merged: dims[6] rows, dims[7] columns, the rest outer axes; unused outer axes
    // are 1.
    int64_t dims[FMOD_MAX_DIM];
    int64_t x1Stride[FMOD_MAX_DIM];
    int64_t x2Stride[FMOD_MAX_DIM];
    int64_t yStride[FMOD_MAX_DIM];
    int64_t rowTile;
    int64_t colTile;
};

constexpr uint32_t FMOD_BUFFER_NUM = 2; // double buffering
// Two sources of one vector instruction read at half rate when they start in the same bank group: address bits 8..5.
// Every buffer is a multiple of 512 bytes and one gap of 256 bytes separates those that start in the lower eight groups
// (x1 and the "low" work buffers) from those that start in the upper eight (x2 and the "high" work buffers).
constexpr uint32_t FMOD_BANK_ROW_BYTES = 512;
constexpr uint32_t FMOD_BANK_GAP_BYTES = 256;
constexpr uint32_t FMOD_CONST_BYTES = 4608; // ten scratch areas of the probe and six pairs of mask rows

enum class FmodKind { FLOAT32, FLOAT16, INT16, INT32, INT8 }; // FLOAT16: half and bfloat16

// Work bytes per element of one policy, on either side of the gap.
struct FmodWork {
    uint32_t low;
    uint32_t high;
};

constexpr FmodWork FmodWorkBytes(FmodKind kind, bool exact, bool scalar, bool rows)
{
    switch (kind) {
        case FmodKind::FLOAT32:
            if (exact) {
                return scalar ? FmodWork{4, 4} : FmodWork{4, 12};
            }
            return scalar ? FmodWork{0, 4} : FmodWork{0, rows ? 4U : 0U};
        case FmodKind::FLOAT16:
            if (exact) {
                return scalar ? FmodWork{4, 4} : FmodWork{8, 4};
            }
            return scalar ? FmodWork{4, 8} : FmodWork{8, 4};
        case FmodKind::INT16:
            return scalar ? FmodWork{4, 4} : FmodWork{8, 4};
        case FmodKind::INT32:
            return scalar ? FmodWork{4, 4} : FmodWork{4, 12};
        default:
            return scalar ? FmodWork{2, 4} : FmodWork{4, 2};
    }
}

constexpr uint32_t FmodUbBytesPerElement(FmodKind kind, uint32_t elementBytes, bool exact, bool scalar, bool rows)
{
    const FmodWork work = FmodWorkBytes(kind, exact, scalar, rows);
    return FMOD_BUFFER_NUM * elementBytes * (scalar ? 2 : 3) + work.low + work.high;
}
#endif // FMOD_TILING_DATA_H
