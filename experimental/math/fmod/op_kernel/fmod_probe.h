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
 * \brief Extremes of a tile, brought to the scalar unit while the vector unit goes on.
 */
#ifndef FMOD_PROBE_H
#define FMOD_PROBE_H

#include "fmod_work.h"

namespace NsFmod {
// Halves the tile until one reduction is cheap: n/2 + n/4 + ... lanes, against seven cycles a repeat for ReduceMax.
template <bool IS_MAX>
__aicore__ inline void TileExtreme(const LocalTensor<float>& result, const LocalTensor<float>& scratch,
                                   const LocalTensor<float>& values, const LocalTensor<float>& halves, uint32_t length)
{
    LocalTensor<float> from = values;
    uint32_t left = length;
    while (left >= 2 * REPEAT_FLOATS) {
        const uint32_t skip = left / 2 / REPEAT_FLOATS * REPEAT_FLOATS;
        left -= skip;
        if constexpr (IS_MAX) {
            Max(halves, from, from[skip], static_cast<int32_t>(left));
        } else {
            Min(halves, from, from[skip], static_cast<int32_t>(left));
        }
        from = halves;
    }
    if constexpr (IS_MAX) {
        ReduceMax(result, from, scratch, static_cast<int32_t>(left));
    } else {
        ReduceMin(result, from, scratch, static_cast<int32_t>(left));
    }
}

// Send after the reductions are queued, Receive when their values are needed: in between the vector unit has work.
class Probe {
public:
    __aicore__ inline void Send()
    {
        event_ = GetTPipePtr()->AllocEventID<HardEvent::V_S>();
        SetFlag<HardEvent::V_S>(event_);
    }
    __aicore__ inline void Receive()
    {
        WaitFlag<HardEvent::V_S>(event_);
        GetTPipePtr()->ReleaseEventID<HardEvent::V_S>(event_);
    }

private:
    TEventID event_ = 0;
};
} // namespace NsFmod
#endif // FMOD_PROBE_H
