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
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>
#include "../../../op_host/fmod_tiling_rules.h"

namespace {
using optiling::FmodRowsRequest;
using optiling::FmodRowsTile;
using optiling::FmodSplit;

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

// The share of the last core, which stops at the end.
int64_t LastLength(int64_t total, const FmodSplit& split)
{
    const int64_t formers = std::min(split.formerNum, split.coreNum - 1);
    return total - formers * split.formerLength - (split.coreNum - 1 - formers) * split.tailLength;
}
} // namespace

class FmodRulesTest : public testing::Test {};

// Every element is somebody's, nobody reads beyond the end.
TEST_F(FmodRulesTest, split_covers_every_length_once)
{
    for (int64_t cores : {1, 2, 7, 32, 48}) {
        for (int64_t total = 1; total < 4500; total++) {
            SCOPED_TRACE(std::to_string(total) + " elements on " + std::to_string(cores) + " cores");
            const FmodSplit split = optiling::SplitFmod(total, 16, cores);
            ASSERT_LE(split.coreNum, cores);
            ASSERT_LE(split.formerLength - split.tailLength, 16);
            ASSERT_GT(LastLength(total, split), 0);
            ASSERT_LE(LastLength(total, split),
                      split.coreNum <= split.formerNum ? split.formerLength : split.tailLength);
        }
    }
}

TEST_F(FmodRulesTest, split_of_the_tutorial_shapes)
{
    struct Row {
        int64_t total;
        int64_t cores;
        int64_t formerNum;
        int64_t formerLength;
        int64_t tailLength;
    };
    // 32 cores, blocks of 16 elements: the shapes of the multi-core tiling tutorial.
    const std::vector<Row> rows = {{96 * 2048, 32, 0, 6144, 6144},
                                   {31 * 64 + 48, 32, 31, 64, 48},
                                   {96 + 31 * 80, 32, 1, 96, 80},
                                   {48, 3, 0, 16, 16}};
    for (const Row& row : rows) {
        SCOPED_TRACE(row.total);
        const FmodSplit split = optiling::SplitFmod(row.total, 16, 32);
        EXPECT_EQ(split.coreNum, row.cores);
        EXPECT_EQ(split.formerNum, row.formerNum);
        EXPECT_EQ(split.formerLength, row.formerLength);
        EXPECT_EQ(split.tailLength, row.tailLength);
    }
}

TEST_F(FmodRulesTest, tiles_of_rows)
{
    struct Row {
        FmodForm x1;
        FmodForm x2;
        int64_t rows;
        int64_t columns;
        int64_t rowTile;
        int64_t colTile;
        bool columnsFirst;
    };
    const std::vector<Row> shapes = {
        {FmodForm::TILE, FmodForm::ROW, 4096, 1024, 7, 1024, false},   // whole rows
        {FmodForm::TILE, FmodForm::TILE, 4096, 1024, 6, 1024, true},   // the same, two buffers for x2
        {FmodForm::TILE, FmodForm::COLUMN, 4096, 1024, 59, 128, true}, // a core's 103 rows do not fit even in one line
        {FmodForm::TILE, FmodForm::COLUMN, 800, 1024, 27, 256,
         true},                                                     // 20 rows of a core fit in two lines: 3 tiles each
        {FmodForm::TILE, FmodForm::ROW, 4, 100000, 1, 5120, false}, // fewer rows than cores: parts of rows
    };
    for (const Row& row : shapes) {
        FmodRowsRequest request = Request(FmodFormula::FLOAT, 4, row.x1, row.x2);
        request.rows = row.rows;
        request.columns = row.columns;
        const FmodRowsTile tile = optiling::TileFmodRows(request);
        SCOPED_TRACE(std::to_string(row.rows) + " x " + std::to_string(row.columns));
        EXPECT_EQ(tile.rowTile, row.rowTile);
        EXPECT_EQ(tile.colTile, row.colTile);
        EXPECT_EQ(tile.columnsFirst, row.columnsFirst);
    }
}

// 41 tiles of whole buffers would leave one core with two and 39 with one.
TEST_F(FmodRulesTest, tiles_even_out_over_the_cores)
{
    FmodRowsRequest request = Request(FmodFormula::FLOAT, 4, FmodForm::TILE, FmodForm::ROW);
    request.rows = 4100;
    request.columns = 64;
    const FmodRowsTile tile = optiling::TileFmodRows(request);
    EXPECT_EQ(tile.colTile, 64);
    EXPECT_LE(optiling::FmodCeilDiv(tile.rowTiles, 40) * tile.rowTile * 40, 4100 * 107 / 100);
}

// Whatever is asked for: tiles fit UB and what a copy and Brcb can move, cover the rows and columns, start on a line,
// and whole rows end on a block where a tile has enough of them.
TEST_F(FmodRulesTest, every_tile_can_be_run)
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
        request.outer = size(10);
        request.rows = size(20);
        request.columns = size(20);
        request.rowStride = size(36);
        request.coreNum = 1 + pick(48);
        const FmodRowsTile tile = optiling::TileFmodRows(request);
        SCOPED_TRACE(std::to_string(request.outer) + " x " + std::to_string(request.rows) + " x " +
                     std::to_string(request.columns) + " in tiles of " + std::to_string(tile.rowTile) + " x " +
                     std::to_string(tile.colTile));
        ASSERT_GE(tile.rowTile, 1);
        ASSERT_LE(tile.rowTile, std::min(request.rows, optiling::FMOD_MAX_TILE_ROWS));
        ASSERT_TRUE(tile.rowTile == 1 || request.rowStride * type.elementBytes <= int64_t{UINT32_MAX});
        ASSERT_GE(tile.colTile, 1);
        ASSERT_LE(tile.colTile, request.columns);
        ASSERT_TRUE(tile.colTile == request.columns || tile.colTile % request.LineLength() == 0);
        ASSERT_TRUE(optiling::FmodFitsUb(request, tile.rowTile, tile.colTile));
        ASSERT_GE(tile.rowTiles * tile.rowTile, request.rows);
        ASSERT_LT((tile.rowTiles - 1) * tile.rowTile, request.rows);
        ASSERT_GE(tile.colTiles * tile.colTile, request.columns);
        ASSERT_LT((tile.colTiles - 1) * tile.colTile, request.columns);
        const int64_t blockRows = request.BlockLength() / std::gcd(request.columns, request.BlockLength());
        if (tile.colTiles == 1 && tile.rowTile > blockRows && tile.rowTile < request.rows) {
            ASSERT_EQ(tile.rowTile % blockRows, 0);
        }
    }
}
