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
 * \file fmod_probe.h
 * \brief The largest or the smallest value of a tile, for the scalar unit to decide by.
 */
#ifndef FMOD_PROBE_H
#define FMOD_PROBE_H

#include "fmod_common.h"

namespace NsFmod {
enum class Extreme { MAX, MIN };

// One value a block, then one of these a block, until two repeats hold them all, and then one of each of these two: a
// cycle a repeat and three instructions, against seven cycles a repeat for ReduceMax. The scalar unit compares the two
// results. Memory for an eighth of the tile and little more is enough.
template <Extreme EXTREME, typename T>
__aicore__ inline void ReduceTile(const LocalTensor<T>& results, const LocalTensor<T>& memory,
                                  const LocalTensor<T>& values, uint32_t length)
{
    constexpr uint32_t blockLength = FMOD_BLOCK_BYTES / sizeof(T);
    constexpr uint32_t repeatLength = REPEAT_BLOCKS * blockLength;
    const auto reduceBlocks = [](const LocalTensor<T>& to, const LocalTensor<T>& from, uint32_t repeats,
                                 uint32_t mask) {
        if constexpr (EXTREME == Extreme::MAX) {
            BlockReduceMax(to, from, static_cast<int32_t>(repeats), static_cast<int32_t>(mask), 1, 1, REPEAT_BLOCKS);
        } else {
            BlockReduceMin(to, from, static_cast<int32_t>(repeats), static_cast<int32_t>(mask), 1, 1, REPEAT_BLOCKS);
        }
    };
    LocalTensor<T> from = values;
    LocalTensor<T> to = memory;
    uint32_t left = length;
    while (left > 2 * repeatLength || (left > repeatLength && left % blockLength != 0)) {
        const uint32_t repeats = left / repeatLength;
        const uint32_t rest = left % repeatLength;
        reduceBlocks(to, from, repeats, repeatLength);
        if (rest != 0) {
            reduceBlocks(to[repeats * REPEAT_BLOCKS], from[repeats * repeatLength], 1, rest);
        }
        left = repeats * REPEAT_BLOCKS + (rest + blockLength - 1) / blockLength;
        from = to;
        to = from[(left + blockLength - 1) / blockLength * blockLength];
    }
    // The second repeat ends with the values; it may overlap the first.
    const int32_t mask = static_cast<int32_t>(left < repeatLength ? left : repeatLength);
    const int32_t second = static_cast<int32_t>((left - mask) / blockLength);
    if constexpr (EXTREME == Extreme::MAX) {
        WholeReduceMax(results, from, mask, 2, 1, 1, second, ReduceOrder::ORDER_ONLY_VALUE);
    } else {
        WholeReduceMin(results, from, mask, 2, 1, 1, second, ReduceOrder::ORDER_ONLY_VALUE);
    }
}

// Of both results of a reduction; NaN if one is.
template <typename T>
__aicore__ inline T LargestOf(const LocalTensor<T>& results)
{
    const T a = results.GetValue(0);
    const T b = results.GetValue(1);
    return b < a || a != a ? a : b;
}

__aicore__ inline float SmallestOf(const LocalTensor<float>& results)
{
    const float a = results.GetValue(0);
    const float b = results.GetValue(1);
    return a < b || a != a ? a : b;
}

// Between the last step of a reduction and the scalar unit.
__aicore__ inline int32_t ProbeEvent() { return static_cast<int32_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S)); }
} // namespace NsFmod
#endif // FMOD_PROBE_H
