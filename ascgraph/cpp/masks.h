#ifndef ASCGRAPH_CPP_MASKS_H
#define ASCGRAPH_CPP_MASKS_H

#include <type_traits>
#include "kernel_operator.h"

// Compare wants whole repeats; tiles are as long.
__aicore__ inline uint32_t WholeRepeats(uint32_t count) { return (count + 127) / 128 * 128; }

// uint8 1 or 0 of bits; with NOT the other way round.
template <bool NOT>
__aicore__ inline void BytesOfBits(const AscendC::LocalTensor<uint8_t>& to, const AscendC::LocalTensor<uint8_t>& bits,
                                   const AscendC::LocalTensor<half>& work, uint32_t count)
{
    AscendC::Duplicate(work, static_cast<half>(NOT ? 0.0f : 1.0f), static_cast<int32_t>(count));
    AscendC::Select(work, bits, work, static_cast<half>(NOT ? 1.0f : 0.0f), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE,
                    count);
    AscendC::Cast(to, work, AscendC::RoundMode::CAST_TRUNC, count);
}

template <AscendC::CMPMODE MODE, bool NOT, typename T>
__aicore__ inline void CompareTo(const AscendC::LocalTensor<uint8_t>& to, const AscendC::LocalTensor<T>& x1,
                                 const AscendC::LocalTensor<T>& x2, const AscendC::LocalTensor<half>& work,
                                 uint32_t count)
{
    const uint32_t whole = WholeRepeats(count);
    const AscendC::LocalTensor<uint8_t> bits = work[whole].template ReinterpretCast<uint8_t>();
    AscendC::Compare(bits, x1, x2, MODE, whole);
    BytesOfBits<NOT>(to, bits, work, count);
}

// int32 compares for equality only: x1 >= x2 where the larger is x1, x1 <= x2 where the smaller is.
enum class Extreme { NONE, LARGER, SMALLER };

template <Extreme EXTREME, bool NOT>
__aicore__ inline void CompareInts(const AscendC::LocalTensor<uint8_t>& to, const AscendC::LocalTensor<int32_t>& x1,
                                   const AscendC::LocalTensor<int32_t>& x2, const AscendC::LocalTensor<half>& work,
                                   uint32_t count)
{
    const uint32_t whole = WholeRepeats(count);
    const AscendC::LocalTensor<int32_t> other = work.template ReinterpretCast<int32_t>();
    const AscendC::LocalTensor<uint8_t> bits = work[2 * whole].template ReinterpretCast<uint8_t>();
    if constexpr (EXTREME == Extreme::LARGER) {
        AscendC::Max(other, x1, x2, count);
    } else if constexpr (EXTREME == Extreme::SMALLER) {
        AscendC::Min(other, x1, x2, count);
    }
    if constexpr (EXTREME == Extreme::NONE) {
        AscendC::Compare(bits, x1, x2, AscendC::CMPMODE::EQ, whole);
    } else {
        AscendC::Compare(bits, x1, other, AscendC::CMPMODE::EQ, whole);
    }
    BytesOfBits<NOT>(to, bits, work, count);
}

// x1 where the mask is not 0, else x2: bits are moved, whatever they mean.
template <typename T>
__aicore__ inline void ChooseTo(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<uint8_t>& mask,
                                const AscendC::LocalTensor<T>& x1, const AscendC::LocalTensor<T>& x2,
                                const AscendC::LocalTensor<half>& work, uint32_t count)
{
    using Moved = std::conditional_t<sizeof(T) == 2, half, float>;
    const uint32_t whole = WholeRepeats(count);
    const AscendC::LocalTensor<uint8_t> bits = work[whole].template ReinterpretCast<uint8_t>();
    AscendC::Cast(work, mask, AscendC::RoundMode::CAST_NONE, count);
    AscendC::CompareScalar(bits, work, static_cast<half>(0.0f), AscendC::CMPMODE::NE, whole);
    AscendC::Select(to.template ReinterpretCast<Moved>(), bits, x1.template ReinterpretCast<Moved>(),
                    x2.template ReinterpretCast<Moved>(), AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
}
#endif // ASCGRAPH_CPP_MASKS_H
