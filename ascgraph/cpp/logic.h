#ifndef ASCGRAPH_CPP_LOGIC_H
#define ASCGRAPH_CPP_LOGIC_H

#include "kernel_operator.h"

// uint8 1 or 0 of bytes that are 0 or not: half holds them all.
__aicore__ inline void TruthOf(const AscendC::LocalTensor<half>& to, const AscendC::LocalTensor<uint8_t>& x,
                               uint32_t count)
{
    AscendC::Cast(to, x, AscendC::RoundMode::CAST_NONE, count);
    AscendC::Mins(to, to, static_cast<half>(1.0f), count);
}

__aicore__ inline void AndTo(const AscendC::LocalTensor<uint8_t>& to, const AscendC::LocalTensor<uint8_t>& x1,
                             const AscendC::LocalTensor<uint8_t>& x2, const AscendC::LocalTensor<half>& work,
                             uint32_t size, uint32_t count)
{
    const AscendC::LocalTensor<half> other = work[size];
    TruthOf(work, x1, count);
    TruthOf(other, x2, count);
    AscendC::Min(work, work, other, count);
    AscendC::Cast(to, work, AscendC::RoundMode::CAST_TRUNC, count);
}

__aicore__ inline void OrTo(const AscendC::LocalTensor<uint8_t>& to, const AscendC::LocalTensor<uint8_t>& x1,
                            const AscendC::LocalTensor<uint8_t>& x2, const AscendC::LocalTensor<half>& work,
                            uint32_t size, uint32_t count)
{
    const AscendC::LocalTensor<half> other = work[size];
    TruthOf(work, x1, count);
    TruthOf(other, x2, count);
    AscendC::Max(work, work, other, count);
    AscendC::Cast(to, work, AscendC::RoundMode::CAST_TRUNC, count);
}

__aicore__ inline void NotTo(const AscendC::LocalTensor<uint8_t>& to, const AscendC::LocalTensor<uint8_t>& x,
                             const AscendC::LocalTensor<half>& work, uint32_t, uint32_t count)
{
    TruthOf(work, x, count);
    AscendC::Muls(work, work, static_cast<half>(-1.0f), count);
    AscendC::Adds(work, work, static_cast<half>(1.0f), count);
    AscendC::Cast(to, work, AscendC::RoundMode::CAST_TRUNC, count);
}

// And takes 16 bits; a byte goes through half and int16, which hold it.
__aicore__ inline void BitsOf(const AscendC::LocalTensor<int16_t>& to, const AscendC::LocalTensor<uint8_t>& x,
                              const AscendC::LocalTensor<half>& work, uint32_t count)
{
    AscendC::Cast(work, x, AscendC::RoundMode::CAST_NONE, count);
    AscendC::Cast(to, work, AscendC::RoundMode::CAST_TRUNC, count);
}

__aicore__ inline void AndBytes(const AscendC::LocalTensor<uint8_t>& to, const AscendC::LocalTensor<uint8_t>& x1,
                                const AscendC::LocalTensor<uint8_t>& x2, const AscendC::LocalTensor<half>& work,
                                uint32_t size, uint32_t count)
{
    const AscendC::LocalTensor<int16_t> bits = work[size].ReinterpretCast<int16_t>();
    const AscendC::LocalTensor<int16_t> other = work[2 * size].ReinterpretCast<int16_t>();
    BitsOf(bits, x1, work, count);
    BitsOf(other, x2, work, count);
    AscendC::And(bits, bits, other, count);
    AscendC::Cast(work, bits, AscendC::RoundMode::CAST_NONE, count);
    AscendC::Cast(to, work, AscendC::RoundMode::CAST_TRUNC, count);
}

template <typename T>
__aicore__ inline void AndBits(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& x1,
                               const AscendC::LocalTensor<T>& x2, uint32_t count)
{
    AscendC::And(to.template ReinterpretCast<int16_t>(), x1.template ReinterpretCast<int16_t>(),
                 x2.template ReinterpretCast<int16_t>(), static_cast<int32_t>(count * (sizeof(T) / 2)));
}
#endif // ASCGRAPH_CPP_LOGIC_H
