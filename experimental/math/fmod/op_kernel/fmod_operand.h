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
 * \file fmod_operand.h
 * \brief Operands of a tile, whole or in short form, and how those in short form become whole while they are widened.
 */
#ifndef FMOD_OPERAND_H
#define FMOD_OPERAND_H

#include "fmod_common.h"

namespace NsFmod {
// rows x columns elements; a row takes pitch elements in UB, columns rounded up to whole blocks.
struct TileShape {
    uint32_t rows;
    uint32_t columns;
    uint32_t pitch;
};

// TILE moves along both axes in GM. The others come in short form: ROW has one row for all rows, COLUMN one value a
// row, in UB a block that is filled with it, VALUE one such block.
enum class InputForm { TILE, ROW, COLUMN, VALUE };

// ROW is always spread over the tile: the casts of many short rows would take longer than those of the tile.
template <typename T>
struct Operand {
    LocalTensor<T> tensor;
    InputForm form;
    TileShape shape;
};

// Casts a column along the rows: the next repeat is the same part of the next row.
template <typename W, typename T>
__aicore__ inline void WidenDown(const LocalTensor<W>& wide, const Operand<T>& operand)
{
    constexpr uint32_t lanes = REPEAT_BYTES / sizeof(W);
    constexpr uint32_t blockLength = FMOD_BLOCK_BYTES / sizeof(T);
    const TileShape& shape = operand.shape;
    const UnaryRepeatParams steps(1, 0, static_cast<uint8_t>(shape.pitch * sizeof(W) / FMOD_BLOCK_BYTES), 1);
    for (uint32_t at = 0; at < shape.pitch; at += lanes) {
        const uint64_t mask = shape.pitch - at < lanes ? shape.pitch - at : lanes;
        for (uint32_t row = 0; row < shape.rows; row += MAX_REPEAT) {
            const uint32_t left = shape.rows - row;
            const uint8_t repeats = static_cast<uint8_t>(left < MAX_REPEAT ? left : MAX_REPEAT);
            AscendC::Cast(wide[row * shape.pitch + at], operand.tensor[row * blockLength], RoundMode::CAST_NONE, mask,
                          repeats, steps);
        }
    }
}

// Casts along a row: every repeat reads the block again.
template <typename W, typename T>
__aicore__ inline void WidenBlock(const LocalTensor<W>& wide, const LocalTensor<T>& block, uint32_t length)
{
    constexpr uint32_t lanes = REPEAT_BYTES / sizeof(W);
    const UnaryRepeatParams steps(1, 0, REPEAT_BLOCKS, 0);
    uint32_t done = 0;
    while (done < length) {
        const uint32_t left = length - done;
        const uint32_t mask = left < lanes ? left : lanes;
        const uint32_t whole = left / lanes;
        const uint32_t repeats = left < lanes ? 1 : (whole < MAX_REPEAT ? whole : MAX_REPEAT);
        AscendC::Cast(wide[done], block, RoundMode::CAST_NONE, static_cast<uint64_t>(mask),
                      static_cast<uint8_t>(repeats), steps);
        done += mask * repeats;
    }
}

// wide = the operand in every row of the tile, by the fewer calls.
template <typename W, typename T>
__aicore__ inline void Widen(const LocalTensor<W>& wide, const Operand<T>& operand, Span all)
{
    constexpr uint32_t lanes = REPEAT_BYTES / sizeof(W);
    constexpr uint32_t maxPitch = MAX_REPEAT * FMOD_BLOCK_BYTES / sizeof(W);
    constexpr uint32_t blockLength = FMOD_BLOCK_BYTES / sizeof(T);
    const TileShape& shape = operand.shape;
    if (operand.form == InputForm::TILE) {
        Cast(wide, operand.tensor, RoundMode::CAST_NONE, all);
    } else if (operand.form == InputForm::VALUE) {
        WidenBlock(wide, operand.tensor, all.length);
    } else if (shape.pitch <= maxPitch && shape.rows > shape.pitch / lanes) {
        WidenDown(wide, operand);
    } else {
        for (uint32_t row = 0; row < shape.rows; row++) {
            WidenBlock(wide[row * shape.pitch], operand.tensor[row * blockLength], shape.pitch);
        }
    }
}
} // namespace NsFmod
#endif // FMOD_OPERAND_H
