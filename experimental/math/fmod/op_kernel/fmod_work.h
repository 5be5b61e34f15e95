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
 * \file fmod_work.h
 * \brief Work memory of a policy and the bit masks that vector instructions take from UB.
 */
#ifndef FMOD_WORK_H
#define FMOD_WORK_H

#include "kernel_operator.h"
#include "fmod_tiling_data.h"

namespace NsFmod {
using namespace AscendC;

constexpr uint32_t REPEAT_BYTES = 256;
constexpr uint32_t REPEAT_FLOATS = REPEAT_BYTES / sizeof(float);
constexpr uint32_t REPEAT_HALFS = REPEAT_BYTES / sizeof(int16_t);
constexpr uint32_t MAX_REPEAT = 255;
constexpr int32_t SIGN_SHIFT = 31;

// One 256-byte row of a repeated 32-bit pattern, once in either half of the bank groups.
class MaskRow {
public:
    __aicore__ inline void Init(const LocalTensor<int32_t>& twoRows, int32_t pattern)
    {
        rows_ = twoRows;
        Duplicate(rows_, pattern, static_cast<int32_t>(2 * REPEAT_FLOATS));
    }
    // The row to pair with an operand that starts in the lower groups, and with one in the upper groups.
    __aicore__ inline LocalTensor<int16_t> ForLow() const { return rows_[REPEAT_FLOATS].ReinterpretCast<int16_t>(); }
    __aicore__ inline LocalTensor<int16_t> ForHigh() const { return rows_.ReinterpretCast<int16_t>(); }

private:
    LocalTensor<int32_t> rows_; // starts in the lower groups
};

// The bit instructions work on 16-bit lanes; count is in 16-bit lanes and row is read again by every repeat.
template <bool IS_AND>
__aicore__ inline void BitRow(const LocalTensor<int16_t>& dst, const LocalTensor<int16_t>& src,
                              const LocalTensor<int16_t>& row, uint32_t count)
{
    const BinaryRepeatParams params(1, 1, 1, 8, 8, 0);
    const uint32_t repeats = count / REPEAT_HALFS;
    for (uint32_t first = 0; first < repeats; first += MAX_REPEAT) {
        const uint32_t left = repeats - first;
        const uint8_t times = static_cast<uint8_t>(left < MAX_REPEAT ? left : MAX_REPEAT);
        const uint32_t at = first * REPEAT_HALFS;
        if constexpr (IS_AND) {
            And(dst[at], src[at], row, static_cast<uint64_t>(REPEAT_HALFS), times, params);
        } else {
            Or(dst[at], src[at], row, static_cast<uint64_t>(REPEAT_HALFS), times, params);
        }
    }
    const uint64_t tail = count % REPEAT_HALFS;
    if (tail != 0) {
        const uint32_t at = repeats * REPEAT_HALFS;
        if constexpr (IS_AND) {
            And(dst[at], src[at], row, tail, 1, params);
        } else {
            Or(dst[at], src[at], row, tail, 1, params);
        }
    }
}

template <typename D, typename S>
__aicore__ inline void AndRow(const LocalTensor<D>& dst, const LocalTensor<S>& src, const LocalTensor<int16_t>& row,
                              uint32_t count)
{
    const LocalTensor<int16_t> dstBits = dst.template ReinterpretCast<int16_t>();
    const LocalTensor<int16_t> srcBits = src.template ReinterpretCast<int16_t>();
    BitRow<true>(dstBits, srcBits, row, count * (sizeof(S) / sizeof(int16_t)));
}

template <typename D, typename A, typename B>
__aicore__ inline void AndBits(const LocalTensor<D>& dst, const LocalTensor<A>& a, const LocalTensor<B>& b,
                               uint32_t count)
{
    const LocalTensor<int16_t> dstBits = dst.template ReinterpretCast<int16_t>();
    And(dstBits, a.template ReinterpretCast<int16_t>(), b.template ReinterpretCast<int16_t>(),
        static_cast<int32_t>(count * (sizeof(D) / sizeof(int16_t))));
}

template <typename D, typename A, typename B>
__aicore__ inline void OrBits(const LocalTensor<D>& dst, const LocalTensor<A>& a, const LocalTensor<B>& b,
                              uint32_t count)
{
    const LocalTensor<int16_t> dstBits = dst.template ReinterpretCast<int16_t>();
    Or(dstBits, a.template ReinterpretCast<int16_t>(), b.template ReinterpretCast<int16_t>(),
       static_cast<int32_t>(count * (sizeof(D) / sizeof(int16_t))));
}

// Memory of a policy: LOW bytes per element, the bank gap, HIGH bytes per element; constants in a buffer of their own,
// which starts in the upper bank groups because the gap has shifted everything behind it.
template <uint32_t LOW, uint32_t HIGH>
class Work {
public:
    __aicore__ inline void Init(TPipe& pipe, uint32_t tileLength)
    {
        tileLength_ = tileLength;
        pipe.InitBuffer(buffer_, tileLength * (LOW + HIGH) + FMOD_BANK_GAP_BYTES);
    }
    __aicore__ inline void InitConst(TPipe& pipe) { pipe.InitBuffer(const_, FMOD_CONST_BYTES); }
    template <typename T>
    __aicore__ inline LocalTensor<T> Low(uint32_t bytesBefore = 0)
    {
        return buffer_.template GetWithOffset<T>(tileLength_, tileLength_ * bytesBefore);
    }
    template <typename T>
    __aicore__ inline LocalTensor<T> High(uint32_t bytesBefore = 0)
    {
        return buffer_.template GetWithOffset<T>(tileLength_, tileLength_ * (LOW + bytesBefore) + FMOD_BANK_GAP_BYTES);
    }
    // Memory that the long way may use: the low buffers, or the high ones, or both.
    __aicore__ inline LocalTensor<float> Region(bool low, bool high)
    {
        const uint32_t begin = low ? 0 : tileLength_ * LOW + FMOD_BANK_GAP_BYTES;
        const uint32_t end = high ? tileLength_ * (LOW + HIGH) + FMOD_BANK_GAP_BYTES : tileLength_ * LOW;
        return buffer_.template GetWithOffset<float>((end - begin) / sizeof(float), begin);
    }
    __aicore__ inline LocalTensor<float> Scratch(uint32_t index)
    {
        return const_.template GetWithOffset<float>(SCRATCH_FLOATS, index * SCRATCH_FLOATS * sizeof(float));
    }
    __aicore__ inline LocalTensor<int32_t> MaskRows(uint32_t index)
    {
        return const_.template GetWithOffset<int32_t>(2 * REPEAT_FLOATS, MASK_BEGIN + index * 2 * REPEAT_BYTES);
    }

private:
    static constexpr uint32_t SCRATCH_FLOATS = 32;
    static constexpr uint32_t MASK_BEGIN = 1280; // behind ten scratch areas, in the lower bank groups
    TBuf<TPosition::VECCALC> buffer_;
    TBuf<TPosition::VECCALC> const_;
    uint32_t tileLength_ = 0;
};
} // namespace NsFmod
#endif // FMOD_WORK_H
