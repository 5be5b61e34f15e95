#ifndef ASCGRAPH_CPP_POWERS_H
#define ASCGRAPH_CPP_POWERS_H

#include <type_traits>
#include "kernel_operator.h"

// The error function as x * P(x^2) / Q(x^2) in float, of x between -3.92 and 3.92: beyond it is 1. `work` has two tiles
// of float, for half three.
template <typename T>
__aicore__ inline void ErfTo(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& x,
                             const AscendC::LocalTensor<float>& work, uint32_t size, uint32_t count)
{
    // Of x^2, the highest power first.
    constexpr float above[] = {0x1.132aaep-19f, 0x1.2ab76cp-12f, 0x1.ed884ep-9f,
                               0x1.b01c62p-5f,  0x1.85f07ap-3f,  0x1.20dd74p+0f};
    constexpr float below[] = {0x1.3f8a4ap-15f, 0x1.30bc5ap-10f, 0x1.ea7e72p-7f, 0x1.d36156p-4f, 0x1.010f6p-1f, 1.0f};
    const AscendC::LocalTensor<float> square = work[size];
    AscendC::LocalTensor<float> value;
    if constexpr (std::is_same_v<T, float>) {
        AscendC::Mins(work, x, 3.92f, count);
        value = to;
    } else {
        AscendC::Cast(work, x, AscendC::RoundMode::CAST_NONE, count);
        AscendC::Mins(work, work, 3.92f, count);
        value = work[2 * size];
    }
    AscendC::Maxs(work, work, -3.92f, count);
    AscendC::Mul(square, work, work, count);
    AscendC::Muls(value, square, above[0], count);
    for (uint32_t at = 1; at < 5; at++) {
        AscendC::Adds(value, value, above[at], count);
        AscendC::Mul(value, value, square, count);
    }
    AscendC::Adds(value, value, above[5], count);
    AscendC::Mul(value, value, work, count);
    AscendC::Muls(work, square, below[0], count);
    for (uint32_t at = 1; at < 5; at++) {
        AscendC::Adds(work, work, below[at], count);
        AscendC::Mul(work, work, square, count);
    }
    AscendC::Adds(work, work, below[5], count);
    AscendC::Div(value, value, work, count);
    AscendC::Mins(value, value, 1.0f, count);
    AscendC::Maxs(value, value, -1.0f, count);
    if constexpr (!std::is_same_v<T, float>) {
        AscendC::Cast(to, value, AscendC::RoundMode::CAST_RINT, count);
    }
}

// exp(y * ln|x|) with the signs and special values of pow. `work` has two tiles of float and a byte for each element.
__aicore__ inline void PowFloats(const AscendC::LocalTensor<float>& to, const AscendC::LocalTensor<float>& x,
                                 const AscendC::LocalTensor<float>& y, const AscendC::LocalTensor<float>& work,
                                 uint32_t size, uint32_t count)
{
    using AscendC::CMPMODE;
    constexpr auto scalar = AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE;
    constexpr auto tensor = AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE;
    constexpr float most = 0x1.fffffep127f;
    constexpr float even = 0x1p25f; // from here on all numbers are even
    const AscendC::LocalTensor<float> odd = work;
    const AscendC::LocalTensor<float> other = work[size];
    const AscendC::LocalTensor<uint8_t> bits = work[2 * size].ReinterpretCast<uint8_t>();
    AscendC::Mins(odd, y, most, count);
    AscendC::Maxs(odd, odd, -most, count);
    AscendC::Abs(to, x, count);
    AscendC::Ln(to, to, count);
    AscendC::Mul(to, to, odd, count);
    AscendC::Exp(to, to, count);
    // 1 where y is odd, else 0.
    AscendC::Mins(odd, y, even, count);
    AscendC::Maxs(odd, odd, -even, count);
    AscendC::Cast(other, odd, AscendC::RoundMode::CAST_FLOOR, count);
    AscendC::Compare(bits, other, odd, CMPMODE::EQ, size);
    AscendC::Muls(odd, other, 0.5f, count);
    AscendC::Cast(odd, odd, AscendC::RoundMode::CAST_FLOOR, count);
    AscendC::Muls(odd, odd, -2.0f, count);
    AscendC::Add(odd, odd, other, count);
    AscendC::Select(odd, bits, odd, 0.0f, scalar, count);
    // A negative finite x has no power that is not whole: 0, or infinity times 0.
    AscendC::Duplicate(other, 0.0f, static_cast<int32_t>(count));
    AscendC::Select(other, bits, other, most, scalar, count);
    AscendC::CompareScalar(bits, x, 0.0f, CMPMODE::LT, size);
    AscendC::Select(other, bits, other, 0.0f, scalar, count);
    AscendC::CompareScalar(bits, x, -most, CMPMODE::GE, size);
    AscendC::Select(other, bits, other, 0.0f, scalar, count);
    AscendC::Muls(other, other, 2.0f, count);
    AscendC::Muls(other, other, 0.0f, count);
    AscendC::Add(to, to, other, count);
    // -1 where x has a sign and y is odd.
    AscendC::ShiftRight(other.ReinterpretCast<int32_t>(), x.ReinterpretCast<int32_t>(), 31, count);
    AscendC::Cast(other, other.ReinterpretCast<int32_t>(), AscendC::RoundMode::CAST_NONE, count);
    AscendC::Mul(odd, odd, other, count);
    AscendC::Muls(odd, odd, 2.0f, count);
    AscendC::Adds(odd, odd, 1.0f, count);
    AscendC::Mul(to, to, odd, count);
    // 1 where y is 0 or x is 1, whatever the other is.
    AscendC::Duplicate(other, 1.0f, static_cast<int32_t>(count));
    AscendC::CompareScalar(bits, y, 0.0f, CMPMODE::EQ, size);
    AscendC::Select(to, bits, other, to, tensor, count);
    AscendC::CompareScalar(bits, x, 1.0f, CMPMODE::EQ, size);
    AscendC::Select(to, bits, other, to, tensor, count);
}

// In float whatever the type; for half `work` has three tiles more.
template <typename T>
__aicore__ inline void PowTo(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& x,
                             const AscendC::LocalTensor<T>& y, const AscendC::LocalTensor<float>& work, uint32_t size,
                             uint32_t count)
{
    if constexpr (std::is_same_v<T, float>) {
        PowFloats(to, x, y, work, size, count);
    } else {
        AscendC::Cast(work[size], x, AscendC::RoundMode::CAST_NONE, count);
        AscendC::Cast(work[2 * size], y, AscendC::RoundMode::CAST_NONE, count);
        PowFloats(work, work[size], work[2 * size], work[3 * size], size, count);
        AscendC::Cast(to, work, AscendC::RoundMode::CAST_RINT, count);
    }
}
#endif // ASCGRAPH_CPP_POWERS_H
