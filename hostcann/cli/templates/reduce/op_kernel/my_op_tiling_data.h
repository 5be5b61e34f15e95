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
 * \brief What the tiling function tells the kernel.
 */
#ifndef MY_OP_TILING_DATA_H
#define MY_OP_TILING_DATA_H

#include <cstdint>

// x is rows x columns, y has one element for every row. Core i reduces the rows from i * coreRows on, tileRows of them
// at a time. A row longer than tileColumns comes in several tiles of one row each.
struct MyOpTilingData {
    int64_t rows;
    int64_t columns;
    int64_t coreRows;
    int64_t tileRows;
    int64_t tileColumns;
};

// Double buffering: one tile is copied while another is computed.
constexpr int32_t MY_OP_BUFFER_NUM = 2;
constexpr int32_t MY_OP_BLOCK_BYTES = 32; // UB is addressed in blocks: every row of a tile starts at one
#endif                                    // MY_OP_TILING_DATA_H
