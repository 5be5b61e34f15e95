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
 * \file fmod_split.h
 * \brief How a flat range of elements is spread over cores: pure arithmetic, no platform, no context.
 */
#ifndef FMOD_SPLIT_H
#define FMOD_SPLIT_H

#include <algorithm>
#include <cstdint>

namespace optiling {
struct FmodSplitRequest {
    int64_t totalLength; // elements
    int64_t unitLength;  // elements of the smallest share: one 32-byte block, or more for aligned core boundaries
    int64_t minUnits;    // units that make a further core worth its start-up
    int64_t maxCores;
    int64_t maxTileLength; // elements that fit one tile in UB
};

// The first formerNum cores take formerLength elements each, the others tailLength; the last core stops at totalLength.
struct FmodSplit {
    int64_t totalLength;
    int64_t coreNum;
    int64_t formerNum;
    int64_t formerLength;
    int64_t tailLength;
    int64_t tileLength;

    int64_t CoreOffset(int64_t core) const
    {
        const int64_t former = std::min(core, formerNum);
        return former * formerLength + (core - former) * tailLength;
    }

    int64_t CoreLength(int64_t core) const
    {
        const int64_t length = core < formerNum ? formerLength : tailLength;
        return std::min(length, totalLength - CoreOffset(core));
    }
};

inline int64_t FmodCeilDiv(int64_t value, int64_t divisor) { return value / divisor + (value % divisor != 0 ? 1 : 0); }

inline FmodSplit SplitFmod(const FmodSplitRequest& request)
{
    FmodSplit split{};
    split.totalLength = request.totalLength;
    const int64_t units = FmodCeilDiv(request.totalLength, request.unitLength);
    split.coreNum = std::max<int64_t>(1, std::min(request.maxCores, FmodCeilDiv(units, request.minUnits)));
    split.formerNum = units % split.coreNum;
    split.tailLength = units / split.coreNum * request.unitLength;
    split.formerLength = split.tailLength + (split.formerNum != 0 ? request.unitLength : 0);
    const int64_t longest = split.formerNum != 0 ? split.formerLength : split.tailLength;
    split.tileLength = std::min(request.maxTileLength, std::max(longest, request.unitLength));
    return split;
}
} // namespace optiling
#endif // FMOD_SPLIT_H
