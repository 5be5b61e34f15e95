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
 * \brief What tiling function and kernel share: the tiling data, the UB budget, the limits of the exact precision.
 */
#ifndef FMOD_TILING_DATA_H
#define FMOD_TILING_DATA_H

#include <cstdint>

// precision_mode, and a template argument of the kernel.
#define FMOD_PRECISION_TBE 0   // the rounding steps of the built-in Mod
#define FMOD_PRECISION_EXACT 1 // C fmodf bit for bit

constexpr uint32_t FMOD_MAX_DIM = 8;
constexpr uint32_t FMOD_ROW_AXIS = FMOD_MAX_DIM - 2;
constexpr uint32_t FMOD_COLUMN_AXIS = FMOD_MAX_DIM - 1;
constexpr uint32_t FMOD_BLOCK_BYTES = 32;
// GM addresses on 512 bytes get the full bandwidth: Ascend C programming guide, on aligning addresses in GM.
constexpr uint32_t FMOD_LINE_BYTES = 512;

// Divisor of the scalar modes in the forms the compute classes take.
struct FmodScalar {
    float divisor;       // |divisor| in exact precision; max(|divisor|, 1) for int16, int8 and uint8
    float reciprocal;    // -1 / divisor; biased for int16, int8 and uint8; 1 / negative for int32
    float top;           // top 12 significant bits of divisor
    float rest;          // divisor - top
    float dividendLimit; // the short way is exact for dividends below it
    int32_t negative;    // -max(|divisor|, 1) for int32
};

// How an input moves along the rows and columns of a tile: TILE along both. The others come to UB in short form: ROW as
// one row for all rows, COLUMN as one value a row, VALUE as one value for all.
enum class FmodForm : int32_t { NONE, TILE, ROW, COLUMN, VALUE };

// UB of COLUMN and VALUE: a value as it comes, in the type of the computation, and in a block of its own. Brcb fills
// eight blocks at a time.
constexpr uint32_t FMOD_BRCB_VALUES = 8;
constexpr uint32_t FMOD_SHORT_VALUE_BYTES = 2 * sizeof(float) + FMOD_BLOCK_BYTES;

// Lengths and strides are elements. The first formerNum cores take formerLength units of work, the others tailLength,
// the last one stops at totalLength. A unit is one element of contiguous tensors, which a core walks in tiles of
// tileLength, and one tile of rowTile x colTile elements in the row modes.
struct FmodTilingData {
    int64_t totalLength;
    int64_t formerLength;
    int64_t tailLength;
    int32_t formerNum;
    int32_t tileLength;
    FmodScalar scalar;
    // Shape after adjacent axes are merged: up to six outer axes, rows and columns; unused axes are 1.
    int64_t dims[FMOD_MAX_DIM];
    // The columns are dense: by the form of an input they have stride 1 or 0, and 1 in y.
    int64_t x1Stride[FMOD_COLUMN_AXIS];
    int64_t x2Stride[FMOD_COLUMN_AXIS];
    int64_t yStride[FMOD_COLUMN_AXIS];
    FmodForm x1Form;
    FmodForm x2Form;
    int32_t rowTile;
    int32_t colTile;
    int32_t columnsFirst; // tiles of the same rows follow each other, not those of the same columns
    int32_t x1ShortBytes; // UB for an input in short form, before it is spread over a tile
    int32_t x2ShortBytes;
};

// Exact precision: one rounded quotient and one repair are exact below these quotients and dividends and from this
// divisor on. float splits its products in halves of 12 bits, and an ulp of its quotient must stay far below 1; the
// significands of half (11 bits) and bfloat16 (8 bits) leave the rest of 24 bits for a quotient.
constexpr float FMOD_FLOAT_QUOTIENT_LIMIT = 0x1p22f;
constexpr float FMOD_FLOAT_SCALAR_QUOTIENT_LIMIT = 0x1p21f; // the product with a reciprocal is one ulp less exact
constexpr float FMOD_FLOAT_NARROW_LIMIT = 0x1p12f;          // quotients of float that have no lower half
constexpr float FMOD_HALF_QUOTIENT_LIMIT = 0x1p13f;
constexpr float FMOD_BFLOAT16_QUOTIENT_LIMIT = 0x1p16f;
constexpr float FMOD_DIVIDEND_LIMIT = 0x1p127f; // rint(quotient) * divisor may overflow from here on
constexpr float FMOD_DIVISOR_LIMIT = 0x1p-100f; // below it Div may meet subnormal numbers
constexpr float FMOD_LARGEST_FLOAT = 0x1.fffffep127f;

// Quotients of integers before they are truncated.
constexpr float FMOD_INT16_QUOTIENT_BIAS = 1.0f + 0x1p-22f; // in float
constexpr float FMOD_INT8_QUOTIENT_BIAS = 1.0f + 0x1p-9f;   // in half

// Two sources of one vector instruction that start in one half of the sixteen bank groups (address bits 8..5) are read
// at half rate: Ascend C programming guide, on bank conflicts in UB. Every buffer is a multiple of 512 bytes; one gap
// of 256 bytes separates those that start in the lower half (x1 and "low" work memory) from those that start in the
// upper half (x2 and "high" work memory). y is low where there is an x2 and high where there is none.
constexpr uint32_t FMOD_BANK_GAP_BYTES = 256;
constexpr uint32_t FMOD_BUFFER_NUM = 2;     // double buffering
constexpr uint32_t FMOD_CONST_BYTES = 3072; // results of reductions and mask rows
constexpr uint32_t FMOD_FIXED_BYTES = FMOD_BANK_GAP_BYTES + FMOD_CONST_BYTES;

// The compute classes of the kernel. FLOAT16 stands for half and bfloat16, INT8 for int8 and uint8.
enum class FmodFormula { FLOAT, FLOAT_EXACT, FLOAT16, FLOAT16_EXACT, INT16, INT32, INT8 };

struct FmodWork {
    uint32_t low;
    uint32_t high;
};

// Work memory of a compute class in bytes per element.
constexpr FmodWork FmodWorkOf(FmodFormula compute, bool isScalar, bool isRows)
{
    switch (compute) {
        case FmodFormula::FLOAT:
            return isScalar ? FmodWork{0, 4} : FmodWork{0, isRows ? 4U : 0U};
        case FmodFormula::FLOAT_EXACT:
            return isScalar ? FmodWork{4, 4} : FmodWork{8, 8};
        case FmodFormula::FLOAT16:
            return isScalar ? FmodWork{4, 8} : FmodWork{8, 4};
        case FmodFormula::FLOAT16_EXACT:
            return isScalar ? FmodWork{4, 4} : FmodWork{4, 8};
        case FmodFormula::INT16:
            return isScalar ? FmodWork{4, 4} : FmodWork{8, 4};
        case FmodFormula::INT32:
            return isScalar ? FmodWork{4, 4} : FmodWork{4, 12};
        default:
            return isScalar ? FmodWork{2, 2} : FmodWork{4, 2};
    }
}

// Bytes of the type that a class computes in, in which operands are spread over a tile: float or half
// where it widens them, else their own.
constexpr uint32_t FmodWideBytes(FmodFormula compute, uint32_t elementBytes)
{
    switch (compute) {
        case FmodFormula::FLOAT16:
        case FmodFormula::INT16:
            return sizeof(float);
        case FmodFormula::INT8:
            return sizeof(int16_t);
        default:
            return elementBytes;
    }
}

// Bytes per element in UB but for the inputs.
constexpr uint32_t FmodUbBytesOf(FmodFormula compute, uint32_t elementBytes, bool isScalar, bool isRows)
{
    const FmodWork work = FmodWorkOf(compute, isScalar, isRows);
    return elementBytes * FMOD_BUFFER_NUM + work.low + work.high;
}
#endif // FMOD_TILING_DATA_H
