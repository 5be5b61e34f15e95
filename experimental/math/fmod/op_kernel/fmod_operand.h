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
 * \brief Operands of the row modes: tiles, and what is one row, one value a row or one value and has to be spread over
 * them.
 */
#ifndef FMOD_OPERAND_H
#define FMOD_OPERAND_H

#include <type_traits>
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

// A tile as it came, or what came in short form, spread over a tile in the type W that the class computes in, divisors
// prepared (PrepareDivisor). It stays for as many tiles as have it in common, and is only read.
template <typename T, typename W>
struct Operand {
    LocalTensor<T> tile;
    LocalTensor<W> wide;
    bool isWide = false;
    bool isFresh = true;
};

// The operand in the type that a class computes in; memory is for a tile that has to be cast.
template <typename T, typename W>
__aicore__ inline LocalTensor<W> Widen(const Operand<T, W>& operand, const LocalTensor<W>& memory, Span all)
{
    if (operand.isWide) {
        return operand.wide;
    }
    Cast(memory, operand.tile, RoundMode::CAST_NONE, all);
    return memory;
}

// times repeats of wide, dstStep blocks apart, each of mask lanes of the one block that src has every srcStep blocks.
template <typename W, typename T>
__aicore__ inline void SpreadBlocks(const LocalTensor<W>& wide, const LocalTensor<T>& src, uint32_t mask,
                                    uint32_t times, uint32_t dstStep, uint32_t srcStep)
{
    if constexpr (std::is_same_v<W, T>) { // moves bits
        using Lane = std::conditional_t<sizeof(T) == sizeof(int32_t), int32_t, int16_t>;
        const CopyRepeatParams steps(1, 0, static_cast<uint16_t>(dstStep), static_cast<uint16_t>(srcStep));
        Copy(wide.template ReinterpretCast<Lane>(), src.template ReinterpretCast<Lane>(), static_cast<uint64_t>(mask),
             static_cast<uint8_t>(times), steps);
    } else {
        const UnaryRepeatParams steps(1, 0, static_cast<uint8_t>(dstStep), static_cast<uint8_t>(srcStep));
        AscendC::Cast(wide, src, RoundMode::CAST_NONE, static_cast<uint64_t>(mask), static_cast<uint8_t>(times), steps);
    }
}

// One block over length elements.
template <typename W, typename T>
__aicore__ inline void SpreadBlock(const LocalTensor<W>& wide, const LocalTensor<T>& block, uint32_t length)
{
    constexpr uint32_t lanes = REPEAT_BYTES / sizeof(W);
    uint32_t done = 0;
    while (done < length) {
        const uint32_t left = length - done;
        const uint32_t mask = left < lanes ? left : lanes;
        const uint32_t whole = left / lanes;
        const uint32_t times = left < lanes ? 1 : (whole < MAX_REPEAT ? whole : MAX_REPEAT);
        SpreadBlocks(wide[done], block, mask, times, REPEAT_BLOCKS, 0);
        done += mask * times;
    }
}

// A block a row, along the rows or along the columns: the fewer calls. The step of a cast from row to row has 8 bits.
template <typename W, typename T>
__aicore__ inline void SpreadColumn(const LocalTensor<W>& wide, const LocalTensor<T>& blocks, const TileShape& shape)
{
    constexpr uint32_t lanes = REPEAT_BYTES / sizeof(W);
    constexpr uint32_t blockLength = FMOD_BLOCK_BYTES / sizeof(T);
    constexpr uint32_t maxStep = std::is_same_v<W, T> ? UINT16_MAX : UINT8_MAX;
    const uint32_t step = static_cast<uint32_t>(shape.pitch * sizeof(W) / FMOD_BLOCK_BYTES);
    if (step > maxStep || shape.rows <= (shape.pitch + lanes - 1) / lanes) {
        for (uint32_t row = 0; row < shape.rows; row++) {
            SpreadBlock(wide[row * shape.pitch], blocks[row * blockLength], shape.pitch);
        }
        return;
    }
    for (uint32_t at = 0; at < shape.pitch; at += lanes) {
        const uint32_t mask = shape.pitch - at < lanes ? shape.pitch - at : lanes;
        for (uint32_t row = 0; row < shape.rows; row += MAX_REPEAT) {
            const uint32_t left = shape.rows - row;
            const uint32_t times = left < MAX_REPEAT ? left : MAX_REPEAT;
            SpreadBlocks(wide[row * shape.pitch + at], blocks[row * blockLength], mask, times, step, 1);
        }
    }
}

// The first row over all rows: each copy takes as many as there are.
template <typename W>
__aicore__ inline void SpreadRow(const LocalTensor<W>& wide, const TileShape& shape)
{
    uint32_t done = 1;
    while (done < shape.rows) {
        const uint32_t left = shape.rows - done;
        const uint32_t rows = done < left ? done : left;
        DataCopy(wide[done * shape.pitch], wide, rows * shape.pitch);
        done += rows;
    }
}
} // namespace NsFmod
#endif // FMOD_OPERAND_H
