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
 * \file fmod_rows_price.h
 * \brief Rows and columns in tiles: what fits UB, and what it takes. Pure arithmetic, no context.
 */
#ifndef FMOD_ROWS_PRICE_H
#define FMOD_ROWS_PRICE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include "../op_kernel/fmod_tiling_data.h"
#include "fmod_split.h"

namespace optiling {
// What the kernel makes of an input by its strides along rows and columns, see InputForm there; NONE is a scalar.
enum class FmodForm { NONE, TILE, ROW, COLUMN, VALUE };

struct FmodRowsRequest {
    FmodFormula compute = FmodFormula::FLOAT;
    int64_t elementBytes = 4;
    FmodForm forms[2] = {FmodForm::TILE, FmodForm::TILE};
    bool isDense[3] = {true, true, true}; // in x1, x2, y whole rows follow each other
    int64_t outer = 1;                    // product of the outer axes
    int64_t rows = 1;
    int64_t columns = 1;
    int64_t ubBytes = 0; // for tiles
    int64_t coreNum = 1;

    bool IsScalar() const { return forms[1] == FmodForm::NONE; }
    int64_t WideBytes() const { return FmodWideBytes(compute, static_cast<uint32_t>(elementBytes)); }
    int64_t BlockLength() const { return FMOD_BLOCK_BYTES / elementBytes; }
    int64_t LineLength() const { return FMOD_LINE_BYTES / elementBytes; }
};

// Tiles of rowTile x colTile elements; columnsFirst: those of the same rows follow each other, not those of the same
// columns.
struct FmodRowsPlan {
    int64_t rowTile = 1;
    int64_t colTile = 1;
    int64_t maxTileLength = 1; // of such tiles in UB
    int64_t rowTiles = 1;
    int64_t colTiles = 1;
    bool columnsFirst = false;

    int64_t Tiles(const FmodRowsRequest& request) const { return request.outer * rowTiles * colTiles; }
};

constexpr int64_t FMOD_BRCB_ROWS = 8;        // rows that one repeat of Brcb serves
constexpr int64_t FMOD_MAX_TILE_ROWS = 2040; // 255 repeats of Brcb

// Bytes of an input in short form for a tile: a row, or for every row a block and a value, or a block. What is widened
// needs a block in either type, and has its values in the first.
inline int64_t FmodRawBytes(const FmodRowsRequest& request, size_t input, int64_t rows, int64_t columns)
{
    const bool isWidened = request.WideBytes() != request.elementBytes;
    int64_t bytes = 2 * FMOD_BLOCK_BYTES;
    if (request.forms[input] == FmodForm::ROW) {
        bytes = columns * request.elementBytes;
    } else if (request.forms[input] == FmodForm::COLUMN) {
        bytes = FmodCeilAlign(rows, FMOD_BRCB_ROWS) * FMOD_BLOCK_BYTES;
        bytes += isWidened ? bytes : rows * request.elementBytes;
    }
    return FmodCeilAlign(bytes, FMOD_LINE_BYTES);
}

// The largest tile whose rows have so many columns, or part of a row.
inline int64_t FmodMaxTileLength(const FmodRowsRequest& request, int64_t columns)
{
    const int64_t elementBytes = request.elementBytes;
    const int64_t pitch = FmodCeilAlign(columns, request.BlockLength());
    const int64_t own = FmodUbBytesOf(request.compute, static_cast<uint32_t>(elementBytes), request.IsScalar(), true);
    const auto fits = [&](int64_t length) {
        const int64_t width = std::min(pitch, length);
        int64_t bytes = own * length;
        for (size_t input = 0; input < (request.IsScalar() ? 1U : 2U); input++) {
            if (request.forms[input] == FmodForm::TILE) {
                bytes += elementBytes * length * FMOD_BUFFER_NUM;
                continue;
            }
            bytes += FmodRawBytes(request, input, std::min(length / width, FMOD_MAX_TILE_ROWS), width) +
                     request.WideBytes() * length;
        }
        return bytes <= request.ubBytes;
    };
    int64_t lines = 1;
    int64_t tooMany = request.ubBytes / FMOD_LINE_BYTES;
    while (tooMany - lines > 1) {
        const int64_t middle = (lines + tooMany) / 2;
        (fits(middle * request.LineLength()) ? lines : tooMany) = middle;
    }
    return lines * request.LineLength();
}

// The price of a plan in cycles of a vector core: what its slowest core takes, but for what all plans have in common.
// The figures are those of A2 and A3.
class FmodRowsPrice {
public:
    FmodRowsPrice(const FmodRowsRequest& request, const FmodRowsPlan& plan) : request_(request), plan_(plan)
    {
        pitch_ = FmodCeilAlign(plan.colTile, request.BlockLength());
        length_ = plan.rowTile * pitch_;
        tiles_ = plan.Tiles(request);
        cores_ = std::min(request.coreNum, tiles_);
    }

    int64_t Cycles() const
    {
        const int64_t ofCore = tiles_ / cores_;
        const int64_t formers = tiles_ % cores_;
        const int64_t last = (cores_ - 1) * CORE_STEP + Core(ofCore);
        const int64_t former = formers == 0 ? 0 : (formers - 1) * CORE_STEP + Core(ofCore + 1);
        return std::max(last, former) + (IsPaired() ? PAIR_START : 0);
    }

private:
    static constexpr int64_t CORE_STEP = 26;     // from the start of a core to that of the next one
    static constexpr int64_t PAIR_START = 520;   // later, where both vector cores of an AI core are used
    static constexpr int64_t VECTOR_CALL = 23;   // a vector instruction besides its repeats,
    static constexpr int64_t VECTOR_PART = 25;   // more where the last one is not whole,
    static constexpr int64_t SPREAD_CALL = 13;   // a copy inside of UB
    static constexpr int64_t SCALAR_CALL = 35;   // the scalar unit for any of them,
    static constexpr int64_t SCALAR_TILE = 180;  // for the queues of a tile,
    static constexpr int64_t SCALAR_INPUT = 90;  // for those of an input that is spread
    static constexpr int64_t SCALAR_AHEAD = 330; // what it has done when the first operands arrive
    static constexpr int64_t COPY_CALL = 21;     // from the start of a copy to that of the next one
    static constexpr int64_t READ_LATENCY = 150; // paid by every tile: its copies wait for the flag of the one before
    static constexpr int64_t WRITE_LATENCY = 65;
    static constexpr int64_t BURST = 8;           // a row of a copy, at least
    static constexpr int64_t READ_RATE = 110;     // bytes a cycle
    static constexpr int64_t PAIR_READ_RATE = 67; // of each of two vector cores of an AI core
    static constexpr int64_t WRITE_RATE = 64;
    static constexpr int64_t REPEAT_BYTES = 256;
    static constexpr int64_t MAX_REPEAT = 255;

    // Half cycles for 64 elements, conflicts of banks included, and instructions.
    struct Vector {
        int64_t halfCycles;
        int64_t calls;
    };

    struct Formula {
        Vector all;    // of two operands as they come
        Vector once;   // of it, for an operand in short form: before it is spread where that widens it, else behind
        int64_t probe; // from a probe, which half of the work is behind, until the next tile is computed: the scalar
                       // unit reads it, and then calls what is left
    };

    static constexpr Formula FormulaOf(FmodFormula compute)
    {
        switch (compute) {
            case FmodFormula::FLOAT:
                return {{10, 4}, {0, 0}, 0};
            case FmodFormula::FLOAT_EXACT:
                return {{35, 21}, {0, 0}, 600};
            case FmodFormula::FLOAT16_EXACT:
                return {{34, 24}, {2, 1}, 600};
            case FmodFormula::INT32:
                return {{25, 12}, {6, 3}, 285};
            case FmodFormula::INT8:
                return {{14, 10}, {2, 2}, 0};
            default: // half, bfloat16 and int16
                return {{18, 7}, {2, 1}, 0};
        }
    }

    bool IsPaired() const { return cores_ > request_.coreNum / 2; }

    // How often something is new that so many tiles after each other have in common, at most.
    static int64_t Fresh(int64_t tiles, int64_t count)
    {
        if (tiles % count == 0 || tiles == 1) {
            return FmodCeilDiv(tiles, count);
        }
        return (tiles - 2) / count + 2;
    }

    int64_t Copy(int64_t rate, bool isDense) const
    {
        const bool isOne = isDense && plan_.colTile == request_.columns && pitch_ == request_.columns;
        return std::max(length_ * request_.elementBytes / rate, (isOne ? 1 : plan_.rowTile) * BURST);
    }

    bool IsReadAgain(FmodForm form, int64_t tiles) const
    {
        return form == FmodForm::ROW && tiles == 1 && plan_.rowTile <= FmodFewRows(IsWidened());
    }

    // What one input of a tile is to move, and the calls for it.
    struct Read {
        int64_t cycles;
        int64_t calls;
    };

    Read ReadOf(size_t input, int64_t tiles) const
    {
        const FmodForm form = request_.forms[input];
        const int64_t rate = IsPaired() ? PAIR_READ_RATE : READ_RATE;
        if (form == FmodForm::TILE) {
            return {Copy(rate, request_.isDense[input]), 1};
        }
        if (IsReadAgain(form, tiles)) {
            return {length_ * request_.elementBytes / rate, plan_.rowTile};
        }
        if (form == FmodForm::COLUMN && plan_.rowTile <= FMOD_BRCB_ROWS) {
            return {plan_.rowTile * BURST, 1};
        }
        return form == FmodForm::NONE ? Read{0, 0} : Read{0, 1};
    }

    bool IsWidened() const { return request_.WideBytes() != request_.elementBytes; }

    int64_t Lanes() const { return REPEAT_BYTES / request_.WideBytes(); }

    // Vector calls that spread an input in short form over a tile.
    int64_t SpreadCalls(FmodForm form) const
    {
        int64_t calls = IsWidened() ? 1 : 0;
        if (form == FmodForm::COLUMN) { // along the rows or along the columns: the fewer, see SpreadColumn
            const int64_t wholes = pitch_ / Lanes();
            const int64_t repeats = FmodCeilDiv(pitch_, Lanes());
            const int64_t ofRow = FmodCeilDiv(wholes, MAX_REPEAT) + repeats - wholes;
            calls += plan_.rowTile > FMOD_BRCB_ROWS ? 1 : 0;
            return calls + (plan_.rowTile <= repeats ? plan_.rowTile * ofRow :
                                                       repeats * FmodCeilDiv(plan_.rowTile, MAX_REPEAT));
        }
        for (int64_t rows = 1; form == FmodForm::ROW && rows < plan_.rowTile; rows *= 2) {
            calls++;
        }
        return calls + 1;
    }

    int64_t VectorCycles(const Vector& vector) const
    {
        const int64_t call = VECTOR_CALL + (length_ % Lanes() == 0 ? 0 : VECTOR_PART);
        return length_ * vector.halfCycles / 128 + vector.calls * call;
    }

    // A core with so many tiles.
    int64_t Core(int64_t tiles) const
    {
        const Formula formula = FormulaOf(request_.compute);
        const Vector& once = formula.once;
        Vector vector = formula.all;
        int64_t calculated = 0;
        int64_t called = tiles * SCALAR_TILE - SCALAR_AHEAD;
        Read reads{0, 0};
        for (size_t input = 0; input < 2; input++) {
            const FmodForm form = request_.forms[input];
            const Read one = ReadOf(input, tiles);
            reads.cycles += one.cycles;
            reads.calls += one.calls;
            if (form == FmodForm::TILE || form == FmodForm::NONE || IsReadAgain(form, tiles)) {
                continue;
            }
            const int64_t fresh = FreshOf(form, tiles);
            const int64_t calls = SpreadCalls(form);
            calculated += fresh * (length_ / Lanes() + calls * SPREAD_CALL);
            called += fresh * (calls * SCALAR_CALL + SCALAR_INPUT);
            if (!IsWidened()) {
                calculated += fresh * VectorCycles(once);
                called += fresh * once.calls * SCALAR_CALL;
            }
            vector.halfCycles -= once.halfCycles;
            vector.calls -= once.calls;
        }
        const int64_t ofTile = VectorCycles(vector);
        calculated += tiles * std::max(ofTile, ofTile / 2 + formula.probe);
        called += tiles * vector.calls * SCALAR_CALL;
        const int64_t read = std::max(reads.cycles, reads.calls * COPY_CALL);
        const int64_t written = Copy(WRITE_RATE, request_.isDense[2]);
        const int64_t moved = (tiles - 1) * std::max(read + READ_LATENCY, written + WRITE_LATENCY);
        // The first operands arrive before, and the last result leaves behind what is bound by one of these.
        return read + std::max({calculated, called, moved + calculated / tiles}) + written;
    }

    // How often an input in short form is another one than for the tile before.
    int64_t FreshOf(FmodForm form, int64_t tiles) const
    {
        if (form == FmodForm::VALUE) {
            return Fresh(tiles, plan_.rowTiles * plan_.colTiles);
        }
        const bool isOfRows = form == FmodForm::COLUMN;
        const int64_t fast = plan_.columnsFirst ? plan_.colTiles : plan_.rowTiles;
        if (isOfRows == plan_.columnsFirst) { // it serves all tiles of the fast axis, a column those of one width
            const bool isEven = !isOfRows || request_.columns % plan_.colTile == 0;
            return isEven ? Fresh(tiles, fast) : std::min(tiles, 2 * Fresh(tiles, fast));
        }
        return fast == 1 ? Fresh(tiles, isOfRows ? plan_.colTiles : plan_.rowTiles) : tiles;
    }

    const FmodRowsRequest& request_;
    const FmodRowsPlan& plan_;
    int64_t pitch_;
    int64_t length_;
    int64_t tiles_;
    int64_t cores_;
};
} // namespace optiling
#endif // FMOD_ROWS_PRICE_H
