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
 * \file fmod_vector.h
 * \brief Vector instructions on the first elements of their tensors.
 */
#ifndef FMOD_VECTOR_H
#define FMOD_VECTOR_H

#include <type_traits>
#include "kernel_operator.h"

namespace NsFmod {
using namespace AscendC;

constexpr uint32_t REPEAT_BYTES = 256;
constexpr uint32_t MAX_REPEAT = 255;
constexpr uint16_t REPEAT_BLOCKS = 8;

// Elements that an instruction works on. The functions below are those of the same names in AscendC. They give whole
// repeats, or a part of one, by mask and number, which leaves out the set-up of the counter mode, and anything else by
// its count.
struct Span {
    uint32_t length;

    template <typename T>
    __aicore__ inline bool IsWhole() const
    {
        return length <= Lanes<T>() || (length % Lanes<T>() == 0 && length / Lanes<T>() <= MAX_REPEAT);
    }
    template <typename T>
    __aicore__ inline uint8_t Repeats() const
    {
        return static_cast<uint8_t>(length <= Lanes<T>() ? 1 : length / Lanes<T>());
    }
    template <typename T>
    __aicore__ inline uint64_t Mask() const
    {
        return length < Lanes<T>() ? length : Lanes<T>();
    }
    __aicore__ inline int32_t Count() const { return static_cast<int32_t>(length); }

private:
    template <typename T>
    __aicore__ inline static constexpr uint64_t Lanes()
    {
        return REPEAT_BYTES / sizeof(T);
    }
};

#define FMOD_BINARY(OP)                                                                                               \
    template <typename T>                                                                                             \
    __aicore__ inline void OP(const LocalTensor<T>& dst, const LocalTensor<T>& a, const LocalTensor<T>& b, Span span) \
    {                                                                                                                 \
        if (span.IsWhole<T>()) {                                                                                      \
            const BinaryRepeatParams steps(1, 1, 1, REPEAT_BLOCKS, REPEAT_BLOCKS, REPEAT_BLOCKS);                     \
            AscendC::OP(dst, a, b, span.Mask<T>(), span.Repeats<T>(), steps);                                         \
        } else {                                                                                                      \
            AscendC::OP(dst, a, b, span.Count());                                                                     \
        }                                                                                                             \
    }

FMOD_BINARY(Add)
FMOD_BINARY(Sub)
FMOD_BINARY(Mul)
FMOD_BINARY(Div)
FMOD_BINARY(Max)
FMOD_BINARY(Min)
FMOD_BINARY(And)
FMOD_BINARY(Or)
FMOD_BINARY(MulAddDst)
FMOD_BINARY(FusedMulAdd)
#undef FMOD_BINARY

#define FMOD_WITH_SCALAR(OP)                                                                        \
    template <typename T>                                                                           \
    __aicore__ inline void OP(const LocalTensor<T>& dst, const LocalTensor<T>& src, T b, Span span) \
    {                                                                                               \
        if (span.IsWhole<T>()) {                                                                    \
            const UnaryRepeatParams steps(1, 1, REPEAT_BLOCKS, REPEAT_BLOCKS);                      \
            AscendC::OP(dst, src, b, span.Mask<T>(), span.Repeats<T>(), steps);                     \
        } else {                                                                                    \
            AscendC::OP(dst, src, b, span.Count());                                                 \
        }                                                                                           \
    }

FMOD_WITH_SCALAR(Adds)
FMOD_WITH_SCALAR(Muls)
FMOD_WITH_SCALAR(Maxs)
FMOD_WITH_SCALAR(Mins)
FMOD_WITH_SCALAR(Axpy)
FMOD_WITH_SCALAR(ShiftLeft)
FMOD_WITH_SCALAR(ShiftRight)
#undef FMOD_WITH_SCALAR

template <typename T>
__aicore__ inline void Abs(const LocalTensor<T>& dst, const LocalTensor<T>& src, Span span)
{
    if (span.IsWhole<T>()) {
        const UnaryRepeatParams steps(1, 1, REPEAT_BLOCKS, REPEAT_BLOCKS);
        AscendC::Abs(dst, src, span.Mask<T>(), span.Repeats<T>(), steps);
    } else {
        AscendC::Abs(dst, src, span.Count());
    }
}

// A repeat is as many elements as the wider type has in one.
template <typename D, typename S>
__aicore__ inline void Cast(const LocalTensor<D>& dst, const LocalTensor<S>& src, RoundMode mode, Span span)
{
    using Wide = std::conditional_t<(sizeof(D) > sizeof(S)), D, S>;
    if (span.IsWhole<Wide>()) {
        constexpr uint8_t dstBlocks = REPEAT_BLOCKS * sizeof(D) / sizeof(Wide);
        constexpr uint8_t srcBlocks = REPEAT_BLOCKS * sizeof(S) / sizeof(Wide);
        const UnaryRepeatParams steps(1, 1, dstBlocks, srcBlocks);
        AscendC::Cast(dst, src, mode, span.Mask<Wide>(), span.Repeats<Wide>(), steps);
    } else {
        AscendC::Cast(dst, src, mode, span.length);
    }
}
} // namespace NsFmod
#endif // FMOD_VECTOR_H
