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
constexpr size_t ROW_AXIS = MY_OP_MAX_DIM - 2;
constexpr size_t COLUMN_AXIS = MY_OP_MAX_DIM - 1;

//@shape_of.cpp

struct MyOpCompileInfo {};

struct Result {
    bool isGood = false;
    size_t cores = 0;
    MyOpTilingData data;
};

// On 48 cores with 192 KiB of UB.
Result RunTiling(const Dims& x1, const Dims& x2, const Dims& y)
{
    static MyOpCompileInfo compileInfo;
    const Tensors inputs = {{ShapeOf(x1), ge::DT_FLOAT, ge::FORMAT_ND}, {ShapeOf(x2), ge::DT_FLOAT, ge::FORMAT_ND}};
    const Tensors outputs = {{ShapeOf(y), ge::DT_FLOAT, ge::FORMAT_ND}};
    const gert::TilingContextPara para("MyOp", inputs, outputs, &compileInfo, 48, 196608);
    Result result;
    TilingInfo info;
    result.isGood = ExecuteTiling(para, info);
    if (result.isGood && info.tilingDataSize == sizeof(MyOpTilingData)) {
        std::memcpy(&result.data, info.tilingData.get(), sizeof(MyOpTilingData));
        result.cores = info.blockNum;
    }
    return result;
}

void ExpectTiles(const Result& result, int64_t tileLength, int64_t rowTiles, int64_t totalTiles, size_t cores)
{
    ASSERT_TRUE(result.isGood);
    EXPECT_EQ(result.data.tileLength, tileLength);
    EXPECT_EQ(result.data.rowTiles, rowTiles);
    EXPECT_EQ(result.data.totalTiles, totalTiles);
    EXPECT_EQ(result.cores, cores);
}
} // namespace

TEST(MyOpTilingTest, same_shapes_are_one_row)
{
    const Result result = RunTiling({2, 3, 1000}, {2, 3, 1000}, {2, 3, 1000});
    ExpectTiles(result, 1024, 6, 6, 6);
    EXPECT_EQ(result.data.dims[ROW_AXIS], 1);
    EXPECT_EQ(result.data.dims[COLUMN_AXIS], 6000);
    EXPECT_EQ(result.data.x1Stride[COLUMN_AXIS], 1);
}

TEST(MyOpTilingTest, one_row_is_shared_by_all_cores)
{
    // 1000000 / 48 = 20833.3 is more than a tile of UB: 188160 / (3 tensors * 2 buffers * 4 bytes), in lines of 128.
    ExpectTiles(RunTiling({1000000}, {1000000}, {1000000}), 7808, 129, 129, 43);
    // 100000 / 48 = 2083.3, 17 lines.
    ExpectTiles(RunTiling({100000}, {100000}, {100000}), 2176, 46, 46, 46);
}

TEST(MyOpTilingTest, many_rows_are_not_cut)
{
    const Result result = RunTiling({60, 700}, {700}, {60, 700});
    ExpectTiles(result, 1024, 1, 60, 30);
    EXPECT_EQ(result.data.coreTiles, 2);
    EXPECT_EQ(result.data.dims[ROW_AXIS], 60);
    EXPECT_EQ(result.data.x1Stride[ROW_AXIS], 700);
    EXPECT_EQ(result.data.x2Stride[ROW_AXIS], 0);
    EXPECT_EQ(result.data.x2Stride[COLUMN_AXIS], 1);
}

TEST(MyOpTilingTest, a_column_has_stride_0)
{
    const Result result = RunTiling({60, 1}, {60, 700}, {60, 700});
    ExpectTiles(result, 1024, 1, 60, 30);
    EXPECT_EQ(result.data.x1Stride[ROW_AXIS], 1);
    EXPECT_EQ(result.data.x1Stride[COLUMN_AXIS], 0);
    EXPECT_EQ(result.data.x2Stride[ROW_AXIS], 700);
}

TEST(MyOpTilingTest, axes_of_length_1_go)
{
    const Result result = RunTiling({1, 1}, {1}, {1, 1});
    ExpectTiles(result, 1024, 1, 1, 1);
    EXPECT_EQ(result.data.x1Stride[COLUMN_AXIS], 1);
    ExpectTiles(RunTiling({5, 1, 9}, {1, 1, 1}, {5, 1, 9}), 1024, 1, 1, 1);
}

TEST(MyOpTilingTest, an_empty_tensor_has_no_tiles) { ExpectTiles(RunTiling({0, 4}, {4}, {0, 4}), 1024, 1, 0, 1); }

TEST(MyOpTilingTest, shapes_that_do_not_fit_y)
{
    EXPECT_FALSE(RunTiling({3}, {4}, {4}).isGood);
    EXPECT_FALSE(RunTiling({2, 4}, {4}, {4}).isGood);
}
