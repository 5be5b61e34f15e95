/**
 * Copyright (c) 2026 The Fmod operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

#include <gtest/gtest.h>
#include <cstdint>
#include <random>
#include <string>
#include <vector>
#include "../../../op_host/fmod_rows_plan.h"

namespace {
using optiling::FmodForm;
using optiling::FmodRowsPlan;
using optiling::FmodRowsPlanner;
using optiling::FmodRowsPrice;
using optiling::FmodRowsRequest;

constexpr int64_t UB_BYTES = 184832; // what the tiling function leaves for tiles

FmodRowsRequest Request(FmodFormula compute, int64_t elementBytes, FmodForm x1, FmodForm x2)
{
    FmodRowsRequest request;
    request.compute = compute;
    request.elementBytes = elementBytes;
    request.forms[0] = x1;
    request.forms[1] = x2;
    request.ubBytes = UB_BYTES;
    request.coreNum = 40;
    return request;
}

FmodRowsPlan Plan(const FmodRowsRequest& request, int64_t rowTile, int64_t colTile, bool columnsFirst)
{
    FmodRowsPlan plan;
    plan.rowTile = rowTile;
    plan.colTile = colTile;
    plan.maxTileLength = optiling::FmodMaxTileLength(request, colTile);
    plan.rowTiles = optiling::FmodCeilDiv(request.rows, rowTile);
    plan.colTiles = optiling::FmodCeilDiv(request.columns, colTile);
    plan.columnsFirst = columnsFirst;
    return plan;
}
} // namespace

class FmodRowsPlanTest : public testing::Test {};

// 16 rows of fp32 for 16 cores, each of which has one value of the column.
TEST_F(FmodRowsPlanTest, price_of_one_tile_a_core)
{
    FmodRowsRequest request = Request(FmodFormula::FLOAT, 4, FmodForm::TILE, FmodForm::COLUMN);
    request.rows = 16;
    request.columns = 1024;
    const int64_t starts = 15 * 26;
    const int64_t read = 4096 / 110 + 8;                                // a row, and a burst for the value
    const int64_t calculated = 1024 / 64 + 13 + 1024 / 64 * 5 + 4 * 23; // spread, and four instructions
    const int64_t written = 4096 / 64;
    EXPECT_EQ(FmodRowsPrice(request, Plan(request, 1, 1024, false)).Cycles(), starts + read + calculated + written);
}

// Both vector cores of an AI core: they start later and share its way to the memory. The first four cores have two
// tiles, but start long before the last one.
TEST_F(FmodRowsPlanTest, price_of_pairs)
{
    FmodRowsRequest request = Request(FmodFormula::FLOAT, 4, FmodForm::TILE, FmodForm::TILE);
    request.rows = 44;
    request.columns = 1024;
    const int64_t calculated = 1024 / 64 * 5 + 4 * 23;
    const int64_t reads = 2 * (4096 / 67);
    const int64_t last = 39 * 26 + reads + calculated + 4096 / 64;
    EXPECT_EQ(FmodRowsPrice(request, Plan(request, 1, 1024, false)).Cycles(), last + 520);
    request.rows = 79; // now 39 cores have two: the second one's operands arrive after those of the first
    const int64_t former = 38 * 26 + reads + (reads + 150) + calculated + 4096 / 64;
    EXPECT_EQ(FmodRowsPrice(request, Plan(request, 1, 1024, false)).Cycles(), former + 520);
}

// What a column costs is paid once for all tiles of its rows, if these follow each other and have one width.
TEST_F(FmodRowsPlanTest, price_of_a_column_that_is_kept)
{
    FmodRowsRequest request = Request(FmodFormula::FLOAT16, 2, FmodForm::TILE, FmodForm::COLUMN);
    request.rows = 40 * 32;
    request.columns = 1024;
    const int64_t kept = FmodRowsPrice(request, Plan(request, 32, 128, true)).Cycles();
    const int64_t fresh = FmodRowsPrice(request, Plan(request, 32, 128, false)).Cycles();
    // 4096 elements in repeats of 64; one call for every 64 columns, Brcb and a cast: 13 cycles each, of eight tiles
    EXPECT_EQ(fresh - kept, 7 * (64 + 4 * 13));
    request.columns = 1000; // the last tile has 104 columns
    const int64_t uneven = FmodRowsPrice(request, Plan(request, 32, 128, true)).Cycles();
    EXPECT_EQ(uneven - kept, 64 + 4 * 13);
}

// The tiles of shapes in which whole rows, or as many as fit, are not what takes the least time.
TEST_F(FmodRowsPlanTest, chosen_tiles)
{
    struct Row {
        FmodFormula compute;
        int64_t elementBytes;
        FmodForm x1;
        int64_t outer;
        int64_t rows;
        int64_t cores;
        int64_t rowTile;
        int64_t colTile;
        bool columnsFirst;
    };
    const std::vector<Row> shapes = {
        // one tile each for 20 cores, which start sooner than 40 with 2 x 1024 or 32 with 4 x 1024
        {FmodFormula::INT8, 1, FmodForm::TILE, 1, 128, 40, 13, 512, true},
        // 21.3 rows a core: four tiles of 22 x 256 in which the column is kept
        {FmodFormula::FLOAT16, 2, FmodForm::TILE, 1, 1024, 48, 22, 256, true},
        // cores that start first have two tiles of two rows
        {FmodFormula::INT32, 4, FmodForm::ROW, 8, 16, 48, 2, 1024, true},
    };
    for (const Row& row : shapes) {
        FmodRowsRequest request = Request(row.compute, row.elementBytes, row.x1, FmodForm::COLUMN);
        request.outer = row.outer;
        request.rows = row.rows;
        request.columns = 1024;
        request.coreNum = row.cores;
        const FmodRowsPlan plan = FmodRowsPlanner(request).Best();
        SCOPED_TRACE(std::to_string(plan.rowTile) + " x " + std::to_string(plan.colTile));
        EXPECT_EQ(plan.rowTile, row.rowTile);
        EXPECT_EQ(plan.colTile, row.colTile);
        EXPECT_EQ(plan.columnsFirst, row.columnsFirst);
    }
}

// 41 tiles of whole buffers would leave one core with two and 39 with one.
TEST_F(FmodRowsPlanTest, tiles_even_out_over_the_cores)
{
    FmodRowsRequest request = Request(FmodFormula::FLOAT, 4, FmodForm::TILE, FmodForm::ROW);
    request.rows = 4100;
    request.columns = 64;
    const FmodRowsPlan plan = FmodRowsPlanner(request).Best();
    EXPECT_EQ(plan.colTile, 64);
    EXPECT_LE(optiling::FmodCeilDiv(plan.rowTiles, 40) * plan.rowTile * 40, 4100 * 107 / 100);
}

// Whatever is asked for: tiles fit UB and what a copy and Brcb can move, cover the rows and columns, start on half a
// line, and whole rows end on a block where a tile has enough of them.
TEST_F(FmodRowsPlanTest, every_plan_can_be_run)
{
    struct Type {
        FmodFormula compute;
        int64_t elementBytes;
    };
    const std::vector<Type> types = {{FmodFormula::FLOAT, 4},   {FmodFormula::FLOAT_EXACT, 4},
                                     {FmodFormula::FLOAT16, 2}, {FmodFormula::FLOAT16_EXACT, 2},
                                     {FmodFormula::INT16, 2},   {FmodFormula::INT32, 4},
                                     {FmodFormula::INT8, 1}};
    const std::vector<FmodForm> forms = {FmodForm::TILE, FmodForm::ROW, FmodForm::COLUMN, FmodForm::VALUE,
                                         FmodForm::NONE};
    std::mt19937_64 random(1);
    const auto pick = [&](int64_t most) { return static_cast<int64_t>(random() % static_cast<uint64_t>(most)); };
    const auto size = [&](int bits) { return 1 + pick(int64_t{1} << pick(bits + 1)); };
    for (int i = 0; i < 4000; i++) {
        const Type& type = types[static_cast<size_t>(pick(static_cast<int64_t>(types.size())))];
        const FmodForm x1 = forms[static_cast<size_t>(pick(4))];
        FmodRowsRequest request = Request(type.compute, type.elementBytes, x1, forms[static_cast<size_t>(pick(5))]);
        request.isDense[2] = pick(2) == 0;
        request.outer = size(10);
        request.rows = size(20);
        request.columns = size(20);
        request.coreNum = 1 + pick(48);
        const FmodRowsPlan plan = FmodRowsPlanner(request).Best();
        SCOPED_TRACE(std::to_string(request.outer) + " x " + std::to_string(request.rows) + " x " +
                     std::to_string(request.columns) + " in tiles of " + std::to_string(plan.rowTile) + " x " +
                     std::to_string(plan.colTile));
        ASSERT_GE(plan.rowTile, 1);
        ASSERT_LE(plan.rowTile, std::min(request.rows, optiling::FMOD_MAX_TILE_ROWS));
        ASSERT_GE(plan.colTile, 1);
        ASSERT_LE(plan.colTile, request.columns);
        ASSERT_TRUE(plan.colTile == request.columns || plan.colTile % (request.LineLength() / 2) == 0);
        // A line of 512 bytes that two tiles share: these follow each other.
        ASSERT_TRUE(plan.columnsFirst || plan.colTiles == 1 || plan.colTile % request.LineLength() == 0);
        const int64_t pitch = optiling::FmodCeilAlign(plan.colTile, request.BlockLength());
        ASSERT_EQ(plan.maxTileLength, optiling::FmodMaxTileLength(request, plan.colTile));
        ASSERT_LE(plan.rowTile * pitch, plan.maxTileLength);
        ASSERT_GE(plan.rowTiles * plan.rowTile, request.rows);
        ASSERT_LT((plan.rowTiles - 1) * plan.rowTile, request.rows);
        ASSERT_GE(plan.colTiles * plan.colTile, request.columns);
        ASSERT_LT((plan.colTiles - 1) * plan.colTile, request.columns);
        const int64_t blockRows = request.BlockLength() / std::gcd(request.columns, request.BlockLength());
        if (plan.colTile == request.columns && plan.rowTile > blockRows && plan.rowTile < request.rows) {
            ASSERT_EQ(plan.rowTile % blockRows, 0);
        }
    }
}
