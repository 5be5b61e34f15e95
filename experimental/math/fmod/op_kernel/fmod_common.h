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
 * \file fmod_common.h
 * \brief What pipelines and compute classes share: the share of a core, work memory, bit operations, and reductions
 * that the scalar unit reads.
 */
#ifndef FMOD_COMMON_H
#define FMOD_COMMON_H

#include <type_traits>
#include "kernel_operator.h"
#include "fmod_tiling_data.h"

namespace NsFmod {
using namespace AscendC;

constexpr uint32_t REPEAT_BYTES = 256;
constexpr uint32_t MAX_REPEAT = 255;
constexpr uint16_t REPEAT_BLOCKS = 8;
constexpr int32_t SIGN_SHIFT = 31;

// First unit and number of units of this core.
struct CoreShare {
    int64_t begin;
    int64_t length;
};

__aicore__ inline CoreShare ShareOfCore(const FmodTilingData& tiling)
{
    const int64_t core = GetBlockIdx();
    const bool isFormer = core < tiling.formerNum;
    const int64_t former = isFormer ? core : tiling.formerNum;
    const int64_t begin = former * tiling.formerLength + (core - former) * tiling.tailLength;
    const int64_t share = isFormer ? tiling.formerLength : tiling.tailLength;
    const int64_t left = tiling.totalLength - begin;
    return CoreShare{begin, share < left ? share : left};
}

// Work memory of a compute class, sized by FmodWorkOf: low buffers, the bank gap, high buffers, constants.
template <FmodFormula COMPUTE, bool IS_SCALAR, bool IS_ROWS = false>
class Work {
public:
    __aicore__ inline void Init(TPipe& pipe, uint32_t tileLength)
    {
        tileLength_ = tileLength;
        pipe.InitBuffer(buffer_, ConstBegin() + FMOD_CONST_BYTES);
    }
    // A tile after others that take bytesBefore bytes per element on its side of the gap.
    template <typename T>
    __aicore__ inline LocalTensor<T> Low(uint32_t bytesBefore = 0)
    {
        return buffer_.template GetWithOffset<T>(tileLength_, tileLength_ * bytesBefore);
    }
    template <typename T>
    __aicore__ inline LocalTensor<T> High(uint32_t bytesBefore = 0)
    {
        const uint32_t begin = tileLength_ * (BYTES.low + bytesBefore) + FMOD_BANK_GAP_BYTES;
        return buffer_.template GetWithOffset<T>(tileLength_, begin);
    }
    // All of it but the constants.
    __aicore__ inline LocalTensor<float> All()
    {
        return buffer_.template GetWithOffset<float>(ConstBegin() / sizeof(float), 0);
    }
    // Memory for the result of a reduction, or for its intermediate results.
    template <typename T>
    __aicore__ inline LocalTensor<T> Result(uint32_t index)
    {
        return buffer_.template GetWithOffset<T>(RESULT_BYTES / sizeof(T), ConstBegin() + index * RESULT_BYTES);
    }
    // Two repeats of a 32-bit pattern, for AndRow.
    __aicore__ inline LocalTensor<int16_t> MaskRow(uint32_t index, int32_t pattern)
    {
        constexpr uint32_t length = 2 * REPEAT_BYTES / sizeof(int32_t);
        const LocalTensor<int32_t> row = buffer_.template GetWithOffset<int32_t>(
            length, ConstBegin() + RESULTS * RESULT_BYTES + index * 2 * REPEAT_BYTES);
        Duplicate(row, pattern, static_cast<int32_t>(length));
        return row.ReinterpretCast<int16_t>();
    }

private:
    static constexpr FmodWork BYTES = FmodWorkOf(COMPUTE, IS_SCALAR, IS_ROWS);
    static constexpr uint32_t RESULT_BYTES = 128;
    static constexpr uint32_t RESULTS = 4;

    __aicore__ inline uint32_t ConstBegin() const
    {
        return tileLength_ * (BYTES.low + BYTES.high) + FMOD_BANK_GAP_BYTES;
    }

    TBuf<TPosition::VECCALC> buffer_;
    uint32_t tileLength_ = 0;
};

// The bit instructions of A2 have 16-bit lanes; the functions below take tensors of any type and count its elements.
template <typename D, typename A, typename B>
__aicore__ inline void AndBits(const LocalTensor<D>& dst, const LocalTensor<A>& a, const LocalTensor<B>& b,
                               uint32_t length)
{
    And(dst.template ReinterpretCast<int16_t>(), a.template ReinterpretCast<int16_t>(),
        b.template ReinterpretCast<int16_t>(), static_cast<int32_t>(length * (sizeof(D) / sizeof(int16_t))));
}

template <typename D, typename A, typename B>
__aicore__ inline void OrBits(const LocalTensor<D>& dst, const LocalTensor<A>& a, const LocalTensor<B>& b,
                              uint32_t length)
{
    Or(dst.template ReinterpretCast<int16_t>(), a.template ReinterpretCast<int16_t>(),
       b.template ReinterpretCast<int16_t>(), static_cast<int32_t>(length * (sizeof(D) / sizeof(int16_t))));
}

// dst = src AND the row, which is two repeats of a pattern; an instruction reads one of them again in each of its
// repeats. Repeats of src start in the two halves of the bank groups by turns: even repeats take the repeat of the row
// that lies in the other half, odd repeats the other one.
template <typename D, typename S>
__aicore__ inline void AndRow(const LocalTensor<D>& dst, const LocalTensor<S>& src, const LocalTensor<int16_t>& row,
                              uint32_t length)
{
    constexpr uint32_t lanes = REPEAT_BYTES / sizeof(int16_t);
    const LocalTensor<int16_t> to = dst.template ReinterpretCast<int16_t>();
    const LocalTensor<int16_t> from = src.template ReinterpretCast<int16_t>();
    const uint32_t all = length * (sizeof(S) / sizeof(int16_t));
    const uint32_t repeats = all / lanes;
    // An address on the chip, a pointer where the kernel is debugged on a CPU.
    const uint64_t fromAt = reinterpret_cast<uint64_t>(from.GetPhyAddr()) / REPEAT_BYTES;
    const uint64_t rowAt = reinterpret_cast<uint64_t>(row.GetPhyAddr()) / REPEAT_BYTES;
    const uint32_t even = (fromAt + rowAt) % 2 != 0 ? 0 : 1; // repeat of the row for even repeats
    const BinaryRepeatParams everySecond(1, 1, 1, 2 * REPEAT_BLOCKS, 2 * REPEAT_BLOCKS, 0);
    for (uint32_t first = 0; first < 2 && first < repeats; first++) { // even, then odd repeats
        const LocalTensor<int16_t> pattern = row[(first ^ even) * lanes];
        for (uint32_t done = first; done < repeats; done += 2 * MAX_REPEAT) {
            const uint32_t left = (repeats - done + 1) / 2;
            And(to[done * lanes], from[done * lanes], pattern, static_cast<uint64_t>(lanes),
                static_cast<uint8_t>(left < MAX_REPEAT ? left : MAX_REPEAT), everySecond);
        }
    }
    if (all % lanes != 0) {
        And(to[repeats * lanes], from[repeats * lanes], row, static_cast<int32_t>(all % lanes));
    }
}

// An operand of a tile: as it came from GM, or spread over the tile in the type W that the compute class computes in,
// its divisors prepared (PrepareDivisor). A spread operand may serve several tiles: isFresh says that this is the
// first.
template <typename T, typename W>
struct Operand {
    LocalTensor<T> tile;
    LocalTensor<W> wide;
    bool isWide = false;
    bool isFresh = true;
};

enum class Extreme { MAX, MIN };

template <Extreme EXTREME, typename T>
__aicore__ inline void ReduceBlocks(const LocalTensor<T>& to, const LocalTensor<T>& from, uint32_t repeats,
                                    uint32_t mask)
{
    if constexpr (EXTREME == Extreme::MAX) {
        BlockReduceMax(to, from, static_cast<int32_t>(repeats), static_cast<int32_t>(mask), 1, 1, REPEAT_BLOCKS);
    } else {
        BlockReduceMin(to, from, static_cast<int32_t>(repeats), static_cast<int32_t>(mask), 1, 1, REPEAT_BLOCKS);
    }
}

// One value a block, then one of these a block, until two repeats hold them all, then one of each repeat: the scalar
// unit compares the two. Memory for an eighth of the tile and little more is enough.
template <Extreme EXTREME, typename T>
__aicore__ inline void ReduceTile(const LocalTensor<T>& results, const LocalTensor<T>& memory,
                                  const LocalTensor<T>& values, uint32_t length)
{
    constexpr uint32_t blockLength = FMOD_BLOCK_BYTES / sizeof(T);
    constexpr uint32_t repeatLength = REPEAT_BLOCKS * blockLength;
    LocalTensor<T> from = values;
    LocalTensor<T> to = memory;
    uint32_t left = length;
    while (left > 2 * repeatLength || (left > repeatLength && left % blockLength != 0)) {
        const uint32_t repeats = left / repeatLength;
        const uint32_t rest = left % repeatLength;
        ReduceBlocks<EXTREME>(to, from, repeats, repeatLength);
        if (rest != 0) {
            ReduceBlocks<EXTREME>(to[repeats * REPEAT_BLOCKS], from[repeats * repeatLength], 1, rest);
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
#endif // FMOD_COMMON_H
