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

struct Result {
    size_t cores = 0;
    MyOpTilingData data;
};

// On 48 cores with 192 KiB of UB.
Result RunTiling(ge::DataType dtype, const Dims& x)
{
    static MyOpCompileInfo compileInfo;
    const Tensors inputs = {{ShapeOf(x), dtype, ge::FORMAT_ND}};
    const Tensors outputs = {{ShapeOf(x), dtype, ge::FORMAT_ND}};
    const gert::TilingContextPara para("MyOp", inputs, outputs, &compileInfo, 48, 196608);
    Result result;
    TilingInfo info;
    EXPECT_TRUE(ExecuteTiling(para, info));
    EXPECT_EQ(info.tilingKey, 0);
    EXPECT_EQ(info.workspaceSizes, std::vector<int64_t>{0});
    EXPECT_EQ(info.tilingDataSize, sizeof(MyOpTilingData));
    if (info.tilingDataSize == sizeof(MyOpTilingData)) {
        std::memcpy(&result.data, info.tilingData.get(), sizeof(MyOpTilingData));
        result.cores = info.blockNum;
    }
    return result;
}

void ExpectTiling(ge::DataType dtype, const Dims& x, size_t cores, int64_t coreLength, int64_t tileLength)
{
    SCOPED_TRACE(testing::PrintToString(x));
    const Result result = RunTiling(dtype, x);
    EXPECT_EQ(result.cores, cores);
    EXPECT_EQ(result.data.coreLength, coreLength);
    EXPECT_EQ(result.data.tileLength, tileLength);
}
} // namespace

TEST(MyOpTilingTest, one_core_for_little_work)
{
    ExpectTiling(ge::DT_FLOAT, {1}, 1, 1024, 1024);
    ExpectTiling(ge::DT_FLOAT, {1024}, 1, 1024, 1024);
    ExpectTiling(ge::DT_FLOAT, {1025}, 2, 1024, 1024);
    ExpectTiling(ge::DT_FLOAT16, {2, 1024}, 1, 2048, 2048);
    ExpectTiling(ge::DT_FLOAT, {0}, 1, 1024, 1024);
}

TEST(MyOpTilingTest, shares_are_whole_lines)
{
    // 1000000 / 48 = 20833.3; whole lines of 512 bytes: 163 * 128 and 82 * 256.
    ExpectTiling(ge::DT_FLOAT, {1000, 1000}, 48, 20864, 11648);
    ExpectTiling(ge::DT_FLOAT16, {1000, 1000}, 48, 20992, 20992);
}

TEST(MyOpTilingTest, a_tile_fits_into_ub)
{
    // The platform keeps 256 bytes of UB, the tiling function 8192: 188160 / (2 tensors * 2 buffers * element), in
    // lines.
    ExpectTiling(ge::DT_FLOAT, {1 << 24}, 48, 349568, 11648);
    ExpectTiling(ge::DT_INT32, {1 << 24}, 48, 349568, 11648);
    ExpectTiling(ge::DT_FLOAT16, {1 << 24}, 48, 349696, 23296);
}
