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
 * \brief How units of work are spread over cores: pure arithmetic, no context.
 */
#ifndef FMOD_SPLIT_H
#define FMOD_SPLIT_H

#include <algorithm>
#include <cstdint>

namespace optiling {
inline int64_t FmodCeilDiv(int64_t value, int64_t divisor) { return value / divisor + (value % divisor != 0 ? 1 : 0); }

inline int64_t FmodCeilAlign(int64_t value, int64_t unit) { return FmodCeilDiv(value, unit) * unit; }

struct FmodSplitRequest {
    int64_t totalLength; // elements
    int64_t unitLength;  // elements of the smallest share: one 32-byte block, or more for aligned core boundaries
    int64_t minUnits;    // units that make a further core worth its start-up
    int64_t maxCores;
    int64_t fallingUnits = 0; // of a core, on average, from which on each takes a unit more than the next; 0: never
};

// The first formerNum cores take formerLength elements each, the others tailLength; the last core stops at totalLength.
// Besides, every core takes stepLength more than the one after it.
struct FmodSplit {
    int64_t totalLength;
    int64_t coreNum;
    int64_t formerNum;
    int64_t formerLength;
    int64_t tailLength;
    int64_t stepLength;

    int64_t Largest() const { return formerLength + stepLength * (coreNum - 1); }
};

inline FmodSplit SplitFmod(const FmodSplitRequest& request)
{
    FmodSplit split{};
    split.totalLength = request.totalLength;
    const int64_t units = FmodCeilDiv(request.totalLength, request.unitLength);
    split.coreNum = std::max<int64_t>(1, std::min(request.maxCores, FmodCeilDiv(units, request.minUnits)));
    const bool isFalling = request.fallingUnits > 0 && units / split.coreNum >= request.fallingUnits;
    const int64_t even = isFalling ? units - split.coreNum * (split.coreNum - 1) / 2 : units;
    split.stepLength = isFalling ? request.unitLength : 0;
    split.formerNum = even % split.coreNum;
    split.tailLength = even / split.coreNum * request.unitLength;
    split.formerLength = split.tailLength + (split.formerNum != 0 ? request.unitLength : 0);
    return split;
}

} // namespace optiling
#endif // FMOD_SPLIT_H
