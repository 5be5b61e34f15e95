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
 * \file fmod_rows_plan.h
 * \brief Which tiles rows and columns are cut into: each candidate has a price, the cheapest is taken.
 */
#ifndef FMOD_ROWS_PLAN_H
#define FMOD_ROWS_PLAN_H

#include <algorithm>
#include <cstdint>
#include <numeric>
#include "fmod_rows_price.h"

namespace optiling {
// Tries tiles of whole and of parts of rows, which give the cores one tile each, or a few.
class FmodRowsPlanner {
public:
    explicit FmodRowsPlanner(const FmodRowsRequest& request) : request_(request) {}

    FmodRowsPlan Best()
    {
        const int64_t widest = std::min(request_.columns, FmodMaxTileLength(request_, request_.columns));
        TryWidth(widest);
        for (int64_t parts = 2; parts <= MAX_PARTS; parts++) {
            TryParts(parts, widest);
        }
        const int64_t ofColumn = request_.outer * request_.rows;
        const int64_t rounds = FmodCeilDiv(ofColumn * FmodCeilDiv(request_.columns, widest), request_.coreNum);
        for (int64_t more = 0; more < MAX_ROUNDS; more++) {
            TryParts((rounds + more) * request_.coreNum / ofColumn, widest);
        }
        const int64_t narrowest = request_.LineLength() / 2;
        for (int64_t width = narrowest; width < widest && width <= MAX_PARTS * narrowest; width *= 2) {
            TryWidth(width);
        }
        return best_;
    }

private:
    static constexpr int64_t MAX_PARTS = 8;
    static constexpr int64_t MAX_ROUNDS = 4; // tiles of a core more than it needs

    // Of a row.
    void TryParts(int64_t parts, int64_t widest)
    {
        if (parts > 1) {
            const int64_t width = FmodCeilAlign(FmodCeilDiv(request_.columns, parts), request_.LineLength() / 2);
            if (width < widest) {
                TryWidth(width);
            }
        }
    }

    void TryWidth(int64_t width)
    {
        FmodRowsPlan plan;
        plan.rowTile = 0; // none yet
        plan.colTile = width;
        plan.maxTileLength = FmodMaxTileLength(request_, width);
        plan.colTiles = FmodCeilDiv(request_.columns, width);
        const int64_t pitch = FmodCeilAlign(width, request_.BlockLength());
        const int64_t highest = std::max<int64_t>(
            1, std::min({request_.rows, plan.maxTileLength / pitch, FMOD_MAX_TILE_ROWS}));
        TryHeight(plan, highest, highest);
        const int64_t ofRow = request_.outer * plan.colTiles;
        const int64_t rounds = FmodCeilDiv(ofRow * FmodCeilDiv(request_.rows, highest), request_.coreNum);
        for (int64_t more = 0; more < MAX_ROUNDS; more++) {
            TryRowTiles(plan, (rounds + more) * request_.coreNum / ofRow, highest);
        }
        if (rounds == 1) {
            TryRowTiles(plan, request_.coreNum / 2 / ofRow, highest);
            TryRowTiles(plan, request_.coreNum / 4 / ofRow, highest);
        }
    }

    void TryRowTiles(FmodRowsPlan& plan, int64_t rowTiles, int64_t highest)
    {
        if (rowTiles > 0) {
            TryHeight(plan, FmodCeilDiv(request_.rows, rowTiles), highest);
        }
    }

    void TryHeight(FmodRowsPlan& plan, int64_t height, int64_t highest)
    {
        // Rows that are not whole blocks: let a tile end on a block, so that cores do not share one.
        const int64_t blockRows = request_.BlockLength() / std::gcd(request_.columns, request_.BlockLength());
        if (plan.colTile == request_.columns && height > blockRows) {
            const int64_t more = FmodCeilAlign(height, blockRows);
            height = more <= highest ? more : highest / blockRows * blockRows;
        }
        height = std::max<int64_t>(1, std::min(height, highest));
        if (height == plan.rowTile) {
            return; // tried before
        }
        plan.rowTile = height;
        plan.rowTiles = FmodCeilDiv(request_.rows, height);
        plan.columnsFirst = true;
        Take(plan);
        // A line that is written by halves: the other half has to follow.
        if (plan.colTiles > 1 && plan.rowTiles > 1 && plan.colTile % request_.LineLength() == 0) {
            plan.columnsFirst = false;
            Take(plan);
        }
    }

    void Take(const FmodRowsPlan& plan)
    {
        const int64_t price = FmodRowsPrice(request_, plan).Cycles();
        if (price < least_) {
            least_ = price;
            best_ = plan;
        }
    }

    const FmodRowsRequest& request_;
    FmodRowsPlan best_;
    int64_t least_ = INT64_MAX;
};
} // namespace optiling
#endif // FMOD_ROWS_PLAN_H
