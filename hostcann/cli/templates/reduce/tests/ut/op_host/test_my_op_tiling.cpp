/**
 * Copyright (c) 2026 The MyOp operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

#include <cstring>
#include <gtest/gtest.h>
#include "tiling_case_executor.h"
#include "../../../op_kernel/my_op_tiling_data.h"

namespace {
using Dims = std::vector<int64_t>;
using Tensors = std::vector<gert::TilingContextPara::TensorDescription>;

//@shape_of.cpp

struct MyOpCompileInfo {};

// On 48 cores with 192 KiB of UB.
bool RunTiling(ge::DataType dtype, const Dims& x, const Dims& y, TilingInfo& info)
{
    static MyOpCompileInfo compileInfo;
    const Tensors inputs = {{ShapeOf(x), dtype, ge::FORMAT_ND}};
    const Tensors outputs = {{ShapeOf(y), dtype, ge::FORMAT_ND}};
    const gert::TilingContextPara para("MyOp", inputs, outputs, &compileInfo, 48, 196608);
    return ExecuteTiling(para, info);
}

struct Tiles {
    size_t cores;
    int64_t coreRows;
    int64_t tileRows;
    int64_t tileColumns;
};

void ExpectTiles(ge::DataType dtype, int64_t rows, int64_t columns, const Tiles& expected)
{
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
    TilingInfo info;
    ASSERT_TRUE(RunTiling(dtype, {rows, columns}, {rows}, info));
    ASSERT_EQ(info.tilingDataSize, sizeof(MyOpTilingData));
    MyOpTilingData data;
    std::memcpy(&data, info.tilingData.get(), sizeof(data));
    EXPECT_EQ(data.rows, rows);
    EXPECT_EQ(data.columns, columns);
    EXPECT_EQ(info.blockNum, expected.cores);
    EXPECT_EQ(data.coreRows, expected.coreRows);
    EXPECT_EQ(data.tileRows, expected.tileRows);
    EXPECT_EQ(data.tileColumns, expected.tileColumns);
}
} // namespace

TEST(MyOpTilingTest, cores_share_no_block_of_y)
{
    ExpectTiles(ge::DT_FLOAT, 1, 100, {1, 8, 8, 100});
    ExpectTiles(ge::DT_FLOAT, 100, 100, {13, 8, 8, 100});
    ExpectTiles(ge::DT_FLOAT16, 100, 100, {7, 16, 16, 100});
    ExpectTiles(ge::DT_FLOAT, 4800, 16, {47, 104, 104, 16});
}

TEST(MyOpTilingTest, a_tile_is_at_most_8192_elements_long)
{
    // Rows of 9 elements take 16 in UB: 8192 / 16 rows.
    ExpectTiles(ge::DT_FLOAT, 48000, 9, {48, 1000, 512, 9});
    ExpectTiles(ge::DT_FLOAT, 8, 5000, {1, 8, 1, 5000});
    ExpectTiles(ge::DT_FLOAT, 8, 20011, {1, 8, 1, 8192});
}

TEST(MyOpTilingTest, empty_tensors)
{
    ExpectTiles(ge::DT_FLOAT, 0, 5, {1, 8, 8, 5});
    ExpectTiles(ge::DT_FLOAT, 8, 0, {1, 8, 8, 1});
}

TEST(MyOpTilingTest, nothing_to_reduce)
{
    TilingInfo info;
    EXPECT_FALSE(RunTiling(ge::DT_FLOAT, {}, {}, info));
}
