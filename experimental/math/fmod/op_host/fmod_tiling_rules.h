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
 * \file fmod_tiling_rules.h
 * \brief Shares of cores, tiles of rows and columns, and forms of a scalar divisor. Pure arithmetic, no context.
 */
#ifndef FMOD_TILING_RULES_H
#define FMOD_TILING_RULES_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include "../op_kernel/fmod_tiling_data.h"

namespace optiling {
constexpr int64_t FMOD_MIN_TILE_LENGTH = 512; // the long division of the exact precision needs this much work memory
constexpr int64_t FMOD_MAX_TILE_ROWS = 2040;  // 255 repeats of Brcb

inline int64_t FmodCeilDiv(int64_t value, int64_t divisor) { return value / divisor + (value % divisor != 0 ? 1 : 0); }

inline int64_t FmodCeilAlign(int64_t value, int64_t unit) { return FmodCeilDiv(value, unit) * unit; }

// The first formerNum cores take formerLength elements each, the others tailLength; the last core stops at totalLength.
struct FmodSplit {
    int64_t totalLength;
    int64_t coreNum;
    int64_t formerNum;
    int64_t formerLength;
    int64_t tailLength;
};

// In units of unitLength elements.
inline FmodSplit SplitFmod(int64_t totalLength, int64_t unitLength, int64_t maxCores)
{
    const int64_t units = FmodCeilDiv(totalLength, unitLength);
    FmodSplit split{};
    split.totalLength = totalLength;
    split.coreNum = std::max<int64_t>(1, std::min(maxCores, units));
    split.formerNum = units % split.coreNum;
    split.tailLength = units / split.coreNum * unitLength;
    split.formerLength = split.tailLength + (split.formerNum != 0 ? unitLength : 0);
    return split;
}

// Rows and columns to be cut into tiles.
struct FmodRowsRequest {
    FmodFormula compute = FmodFormula::FLOAT;
    int64_t elementBytes = sizeof(float);
    FmodForm forms[2] = {FmodForm::TILE, FmodForm::TILE}; // of x1 and x2; NONE is a scalar
    int64_t outer = 1;                                    // product of the outer axes
    int64_t rows = 1;
    int64_t columns = 1;
    int64_t rowStride = 0; // elements between rows in GM, the most of all tensors
    int64_t ubBytes = 0;   // for tiles
    int64_t coreNum = 1;   // that the number of elements deserves

    int64_t WideBytes() const { return FmodWideBytes(compute, static_cast<uint32_t>(elementBytes)); }
    int64_t BlockLength() const { return FMOD_BLOCK_BYTES / elementBytes; }
    int64_t LineLength() const { return FMOD_LINE_BYTES / elementBytes; }
    bool Has(FmodForm form) const { return forms[0] == form || forms[1] == form; }
};

// Bytes of an input in short form for a tile: a row, or values as they come, values in the type of the computation, and
// a block of each.
inline int64_t FmodShortBytes(const FmodRowsRequest& request, size_t input, int64_t rows, int64_t columns)
{
    int64_t bytes = FmodCeilAlign(columns, request.BlockLength()) * request.elementBytes;
    if (request.forms[input] != FmodForm::ROW) {
        const int64_t values = request.forms[input] == FmodForm::COLUMN ? rows : 1;
        bytes = FmodCeilAlign(values, FMOD_BRCB_VALUES) * FMOD_SHORT_VALUE_BYTES;
    }
    return FmodCeilAlign(bytes, FMOD_LINE_BYTES);
}

// Elements of a tile in UB: rows start on blocks, buffers on lines.
inline int64_t FmodTileLength(const FmodRowsRequest& request, int64_t rows, int64_t columns)
{
    const int64_t length = rows * FmodCeilAlign(columns, request.BlockLength());
    return std::max(FmodCeilAlign(length, request.LineLength()), FMOD_MIN_TILE_LENGTH);
}

inline bool FmodFitsUb(const FmodRowsRequest& request, int64_t rows, int64_t columns)
{
    const bool isScalar = request.forms[1] == FmodForm::NONE;
    const int64_t length = FmodTileLength(request, rows, columns);
    int64_t bytes = FmodUbBytesOf(request.compute, static_cast<uint32_t>(request.elementBytes), isScalar, true) *
                    length;
    for (size_t input = 0; input < (isScalar ? 1U : 2U); input++) {
        bytes += request.forms[input] == FmodForm::TILE ?
                     FMOD_BUFFER_NUM * request.elementBytes * length :
                     request.WideBytes() * length + FmodShortBytes(request, input, rows, columns);
    }
    return bytes <= request.ubBytes;
}

// The largest number of rows of so many columns that fits UB; 0 if one row does not. A copy of several rows has 32 bits
// for the gap between them.
inline int64_t FmodMostRows(const FmodRowsRequest& request, int64_t columns)
{
    const bool isFar = request.rowStride * request.elementBytes > static_cast<int64_t>(UINT32_MAX);
    const int64_t limit = isFar ? 1 : std::min(request.rows, FMOD_MAX_TILE_ROWS);
    int64_t most = 0;
    for (int64_t step = FMOD_MAX_TILE_ROWS; step > 0; step /= 2) {
        while (most + step <= limit && FmodFitsUb(request, most + step, columns)) {
            most += step;
        }
    }
    return most;
}

struct FmodRowsTile {
    int64_t rowTile;
    int64_t colTile;
    int64_t rowTiles;
    int64_t colTiles;
    bool columnsFirst; // tiles of the same rows follow each other, not those of the same columns
};

// Tiles of whole rows; of parts of rows, in lines of 512 bytes, where a row does not fit UB or there are fewer rows
// than cores. A row is spread once for all tiles of its columns, which follow each other. A column is spread once for
// all tiles of its rows: these follow each other where there is no row as well, and are narrow enough to have all rows
// of a core. Then the heights are such that every core has the same number of tiles, and as few as fit UB.
inline FmodRowsTile TileFmodRows(const FmodRowsRequest& request)
{
    const int64_t line = request.LineLength();
    const int64_t allRows = request.outer * request.rows;
    int64_t parts = std::max<int64_t>(1, request.coreNum / allRows);
    const auto partOf = [&request, line](int64_t count) {
        return std::min(request.columns, FmodCeilAlign(FmodCeilDiv(request.columns, count), line));
    };
    const int64_t rowsOfCore = std::min(request.rows, FmodCeilDiv(allRows, request.coreNum));
    FmodRowsTile tile{};
    tile.columnsFirst = !request.Has(FmodForm::ROW);
    const int64_t wanted = tile.columnsFirst && request.Has(FmodForm::COLUMN) ? rowsOfCore : 1;
    while (partOf(parts) > line && FmodMostRows(request, partOf(parts)) < wanted) {
        parts *= 2;
    }
    tile.colTile = partOf(parts);
    tile.colTiles = FmodCeilDiv(request.columns, tile.colTile);
    const int64_t highest = std::max<int64_t>(1, FmodMostRows(request, tile.colTile));
    const int64_t ofRow = request.outer * tile.colTiles; // tiles of one row of tiles
    const int64_t rounds = FmodCeilDiv(ofRow * FmodCeilDiv(request.rows, highest), request.coreNum);
    tile.rowTile = FmodCeilDiv(request.rows, std::max<int64_t>(1, rounds * request.coreNum / ofRow));
    // Rows that are no whole blocks: let a tile end on a block, so that cores do not share one.
    const int64_t blockRows = request.BlockLength() / std::gcd(request.columns, request.BlockLength());
    if (tile.colTiles == 1 && tile.rowTile > blockRows && tile.rowTile < request.rows) {
        const int64_t more = FmodCeilAlign(tile.rowTile, blockRows);
        tile.rowTile = more <= highest ? more : highest / blockRows * blockRows;
    }
    tile.rowTile = std::min(tile.rowTile, highest);
    tile.rowTiles = FmodCeilDiv(request.rows, tile.rowTile);
    return tile;
}

// The divisor of the scalar modes in the forms that the compute classes take.
inline float FmodTop12(float value)
{
    union {
        float number;
        uint32_t bits;
    } word{value};
    word.bits &= 0xFFFFF000U;
    return word.number;
}

// quotientLimit: the largest quotient that the short way takes.
inline FmodScalar ExactScalar(float divisor, float quotientLimit)
{
    const bool isInvalid = divisor == 0.0f || std::isnan(divisor);
    const float magnitude = isInvalid ? NAN : std::fabs(divisor);
    FmodScalar scalar{};
    scalar.reciprocal = -1.0f / magnitude;
    scalar.divisor = std::isinf(magnitude) ? FMOD_LARGEST_FLOAT : magnitude; // its quotients are 0 by the reciprocal
    scalar.top = FmodTop12(scalar.divisor);
    scalar.rest = scalar.divisor - scalar.top;
    if (isInvalid || std::isinf(magnitude)) {
        scalar.dividendLimit = INFINITY; // every result is NaN, or the dividend
    } else if (magnitude >= 0x1p-100f && magnitude <= 0x1p100f) {
        scalar.dividendLimit = quotientLimit * magnitude; // below FMOD_DIVIDEND_LIMIT
    } // else the reciprocal or a product leaves the normal numbers: the long way for all
    return scalar;
}

// int16, int8 and uint8
inline FmodScalar ShortScalar(int64_t divisor, float quotientBias)
{
    constexpr int64_t BEYOND = 49152; // leaves every dividend as it is, and half can hold it
    const int64_t magnitude = std::abs(std::clamp(divisor, -BEYOND, BEYOND));
    FmodScalar scalar{};
    scalar.divisor = static_cast<float>(std::max<int64_t>(magnitude, 1)); // x mod 1 = 0 is what a zero divisor gives
    scalar.reciprocal = (-1.0f / scalar.divisor) * quotientBias;
    return scalar;
}

inline FmodScalar Int32Scalar(int64_t divisor)
{
    const int64_t negative = divisor < 0 ? divisor : -divisor;
    FmodScalar scalar{};
    scalar.negative = static_cast<int32_t>(std::min<int64_t>(negative, -1));
    scalar.reciprocal = 1.0f / static_cast<float>(scalar.negative);
    return scalar;
}

// isHalf: half, not bfloat16.
inline FmodScalar MakeScalar(FmodFormula compute, bool isHalf, float real, int64_t integer)
{
    switch (compute) {
        case FmodFormula::FLOAT_EXACT:
            return ExactScalar(real, FMOD_FLOAT_SCALAR_QUOTIENT_LIMIT);
        case FmodFormula::FLOAT16_EXACT:
            return ExactScalar(real, isHalf ? FMOD_HALF_QUOTIENT_LIMIT : FMOD_BFLOAT16_QUOTIENT_LIMIT);
        case FmodFormula::INT32:
            return Int32Scalar(integer);
        case FmodFormula::INT16:
            return ShortScalar(integer, FMOD_INT16_QUOTIENT_BIAS);
        case FmodFormula::INT8:
            return ShortScalar(integer, FMOD_INT8_QUOTIENT_BIAS);
        default: {
            FmodScalar scalar{};
            scalar.divisor = real;
            return scalar;
        }
    }
}
} // namespace optiling
#endif // FMOD_TILING_RULES_H
