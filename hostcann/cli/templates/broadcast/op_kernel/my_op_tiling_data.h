/**
 * Copyright (c) 2026 The MyOp operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

/*!
 * \file my_op_tiling_data.h
 * \brief What the tiling function tells the kernel. Lengths and strides are elements.
 */
#ifndef MY_OP_TILING_DATA_H
#define MY_OP_TILING_DATA_H

#include <cstdint>

constexpr uint32_t MY_OP_MAX_DIM = 8;

// y is walked row by row, a row is its last axis. Neighbouring axes are merged where no operand broadcasts between
// them, so that same shapes are one long row. Core i computes the tiles from i * coreTiles on; a tile is tileLength
// elements of one row.
struct MyOpTilingData {
    int64_t totalTiles;
    int64_t coreTiles;
    int64_t rowTiles; // tiles of one row
    int64_t tileLength;
    int64_t dims[MY_OP_MAX_DIM];     // of y; 1 in front of the axes that there are
    int64_t x1Stride[MY_OP_MAX_DIM]; // 0 along an axis that x1 does not have
    int64_t x2Stride[MY_OP_MAX_DIM];
};

// Double buffering: one tile is copied while another is computed.
constexpr int32_t MY_OP_BUFFER_NUM = 2;
#endif // MY_OP_TILING_DATA_H
