#ifndef ASCGRAPH_CPP_REMAINDER_H
#define ASCGRAPH_CPP_REMAINDER_H

#include "kernel_operator.h"

// to = x - round(x / n) * n; the first time it leaves |to| <= |n| / 2 + 2^10, the second |to| < |n|.
__aicore__ inline void RemainderStep(const AscendC::LocalTensor<int32_t>& to, const AscendC::LocalTensor<int32_t>& x,
                                     const AscendC::LocalTensor<int32_t>& n, const AscendC::LocalTensor<float>& floatN,
                                     const AscendC::LocalTensor<int32_t>& work, uint32_t count)
{
    const AscendC::LocalTensor<float> quotient = work.ReinterpretCast<float>();
    AscendC::Cast(quotient, x, AscendC::RoundMode::CAST_RINT, count);
    AscendC::Div(quotient, quotient, floatN, count);
    AscendC::Cast(work, quotient, AscendC::RoundMode::CAST_RINT, count);
    AscendC::Mul(work, work, n, count);
    AscendC::Sub(to, x, work, count);
}

// n = -max(|x2|, 1) holds every divisor without overflow, and makes the remainder of 0 0.
__aicore__ inline void IntRemainder(const AscendC::LocalTensor<int32_t>& to, const AscendC::LocalTensor<int32_t>& x1,
                                    const AscendC::LocalTensor<int32_t>& x2, const AscendC::LocalTensor<int32_t>& n,
                                    uint32_t size, uint32_t count)
{
    const AscendC::LocalTensor<int32_t> sign = n[size];
    const AscendC::LocalTensor<float> floatN = sign.ReinterpretCast<float>();
    const AscendC::LocalTensor<int32_t> work = n[2 * size];
    AscendC::Muls(n, x2, static_cast<int32_t>(-1), count);
    AscendC::Min(n, n, x2, count);
    AscendC::Mins(n, n, static_cast<int32_t>(-1), count);
    AscendC::Cast(floatN, n, AscendC::RoundMode::CAST_RINT, count);
    RemainderStep(to, x1, n, floatN, work, count);
    RemainderStep(to, to, n, floatN, work, count);
    // As if the divisor was positive: lifted into [0, |x2|), and the sign comes back.
    AscendC::ShiftRight(sign, x2, static_cast<int32_t>(31), count);
    AscendC::Muls(sign, sign, static_cast<int32_t>(2), count);
    AscendC::Adds(sign, sign, static_cast<int32_t>(1), count);
    AscendC::Mul(to, to, sign, count);
    AscendC::ShiftRight(work, to, static_cast<int32_t>(31), count);
    AscendC::Mul(work, work, n, count);
    AscendC::Add(to, to, work, count);
    AscendC::Mul(to, to, sign, count);
}
#endif // ASCGRAPH_CPP_REMAINDER_H
