#ifndef ASCGRAPH_CPP_GATES_H
#define ASCGRAPH_CPP_GATES_H

#include <type_traits>
#include "kernel_operator.h"
#include "ones.h"

// 1 / (1 + exp(-x)), in float whatever the type. `value` may be the result's tile where that is float.
template <typename T>
__aicore__ inline void SigmoidTo(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& x,
                                 const AscendC::LocalTensor<float>& one, const AscendC::LocalTensor<float>& value,
                                 uint32_t count)
{
    if constexpr (std::is_same_v<T, float>) {
        AscendC::Muls(value, x, -1.0f, count);
    } else {
        AscendC::Cast(value, x, AscendC::RoundMode::CAST_NONE, count);
        AscendC::Muls(value, value, -1.0f, count);
    }
    AscendC::Exp(value, value, count);
    AscendC::Adds(value, value, 1.0f, count);
    if constexpr (std::is_same_v<T, float>) {
        OneOver(to, one, value, count);
    } else {
        OneOver(value, one, value, count);
        AscendC::Cast(to, value, AscendC::RoundMode::CAST_RINT, count);
    }
}

// (e - 1) / (e + 1) with e = exp(2x), in float whatever the type. From 15 on it is 1, and e stays finite.
template <typename T>
__aicore__ inline void TanhTo(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& x,
                              const AscendC::LocalTensor<float>& above, uint32_t size, uint32_t count)
{
    const AscendC::LocalTensor<float> value = above[size];
    if constexpr (std::is_same_v<T, float>) {
        AscendC::Mins(value, x, 15.0f, count);
    } else {
        AscendC::Cast(value, x, AscendC::RoundMode::CAST_NONE, count);
        AscendC::Mins(value, value, 15.0f, count);
    }
    AscendC::Maxs(value, value, -15.0f, count);
    AscendC::Muls(value, value, 2.0f, count);
    AscendC::Exp(value, value, count);
    AscendC::Adds(above, value, 1.0f, count);
    AscendC::Adds(value, value, -1.0f, count);
    if constexpr (std::is_same_v<T, float>) {
        AscendC::Div(to, value, above, count);
    } else {
        AscendC::Div(value, value, above, count);
        AscendC::Cast(to, value, AscendC::RoundMode::CAST_RINT, count);
    }
}

// 1, 0 or -1; of a NaN 0.
template <typename T>
__aicore__ inline void SignTo(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& x,
                              const AscendC::LocalTensor<T>& work, uint32_t size, uint32_t count)
{
    const AscendC::LocalTensor<uint8_t> bits = work[size].template ReinterpretCast<uint8_t>();
    const T zero = static_cast<T>(0.0f);
    AscendC::CompareScalar(bits, x, zero, AscendC::CMPMODE::GT, size);
    AscendC::Duplicate(work, static_cast<T>(1.0f), static_cast<int32_t>(count));
    AscendC::Select(work, bits, work, zero, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    AscendC::CompareScalar(bits, x, zero, AscendC::CMPMODE::LT, size);
    AscendC::Duplicate(to, static_cast<T>(-1.0f), static_cast<int32_t>(count));
    AscendC::Select(to, bits, to, zero, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    AscendC::Add(to, to, work, count);
}

__aicore__ inline void SignInts(const AscendC::LocalTensor<int32_t>& to, const AscendC::LocalTensor<int32_t>& x,
                                uint32_t count)
{
    AscendC::Mins(to, x, static_cast<int32_t>(1), count);
    AscendC::Maxs(to, to, static_cast<int32_t>(-1), count);
}
#endif // ASCGRAPH_CPP_GATES_H
