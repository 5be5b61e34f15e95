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
#include <vector>
#include "../../../op_host/fmod_split.h"

namespace {
// The share of the last core, which stops at the end.
int64_t LastLength(const optiling::FmodSplit& split)
{
    const int64_t formers = std::min(split.formerNum, split.coreNum - 1);
    int64_t left = split.totalLength - formers * split.formerLength - (split.coreNum - 1 - formers) * split.tailLength;
    for (int64_t core = 0; core + 1 < split.coreNum; core++) {
        left -= (split.coreNum - 1 - core) * split.stepLength;
    }
    return left;
}

// Every element is somebody's, nobody reads beyond the end.
void ExpectCover(const optiling::FmodSplit& split)
{
    ASSERT_GT(LastLength(split), 0);
    ASSERT_LE(LastLength(split), split.coreNum <= split.formerNum ? split.formerLength : split.tailLength);
}
} // namespace

class FmodSplitTest : public testing::Test {};

// 32 cores, blocks of 16 elements: the shapes of the multi-core tiling tutorial.
TEST_F(FmodSplitTest, split_of_the_tutorial_shapes)
{
    struct Row {
        int64_t total;
        int64_t cores;
        int64_t formerNum;
        int64_t formerLength;
        int64_t tailLength;
        int64_t lastLength;
    };
    const std::vector<Row> rows = {
        {96 * 2048, 32, 0, 6144, 6144, 6144}, // 96 tiles a core
        {32 * 80, 32, 0, 80, 80, 80},         // 64 + 16
        {31 * 64 + 48, 32, 31, 64, 48, 48},   // 127 blocks
        {96 + 31 * 80, 32, 1, 96, 80, 80},    // 161 blocks
        {32 * 64 - 3, 32, 0, 64, 64, 61},     // the last block is not full
        {48, 1, 0, 48, 48, 48},               // less than one tile
        {8 * 64, 8, 0, 64, 64, 64},           // one tile a core
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.total);
        const optiling::FmodSplit split = optiling::SplitFmod({row.total, 16, 4, 32});
        EXPECT_EQ(split.coreNum, row.cores);
        EXPECT_EQ(split.formerNum, row.formerNum);
        EXPECT_EQ(split.formerLength, row.formerLength);
        EXPECT_EQ(split.tailLength, row.tailLength);
        EXPECT_EQ(LastLength(split), row.lastLength);
        ExpectCover(split);
    }
}

TEST_F(FmodSplitTest, split_covers_every_length_once)
{
    for (int64_t cores : {1, 2, 7, 32, 48}) {
        for (int64_t total = 1; total < 4500; total++) {
            const optiling::FmodSplit split = optiling::SplitFmod({total, 16, 4, cores});
            ASSERT_NO_FATAL_FAILURE(ExpectCover(split)) << total << " elements on " << cores << " cores";
            ASSERT_LE(split.formerLength - split.tailLength, 16);
        }
    }
    ExpectCover(optiling::SplitFmod({(1LL << 40) + 1, 128, 8, 48}));
}

// From so many units a core on, each takes one more than the next.
TEST_F(FmodSplitTest, shares_that_fall)
{
    for (int64_t cores : {1, 2, 7, 32, 48}) {
        for (int64_t units = 1; units < 100 * cores; units += 3) {
            const optiling::FmodSplit split = optiling::SplitFmod({units * 16 - 5, 16, 1, cores, 48});
            ASSERT_NO_FATAL_FAILURE(ExpectCover(split)) << units << " units on " << cores << " cores";
            ASSERT_EQ(split.stepLength, units / split.coreNum >= 48 ? 16 : 0);
            ASSERT_EQ(split.Largest(), split.formerLength + split.stepLength * (split.coreNum - 1));
        }
    }
}
