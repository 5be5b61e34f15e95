#ifndef ASCGRAPH_CPP_ONES_H
#define ASCGRAPH_CPP_ONES_H

#include "kernel_operator.h"

// 1 / x; `one` is a block of ones, which every repeat reads.
template <typename T>
__aicore__ inline void OneOver(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& one,
                               const AscendC::LocalTensor<T>& x, uint32_t count)
{
    constexpr uint32_t lanes = 256 / sizeof(T);
    constexpr uint32_t most = 255; // repeats of one instruction
    const AscendC::BinaryRepeatParams params(1, 0, 1, 8, 0, 8);
    const uint32_t whole = count / lanes;
    for (uint32_t at = 0; at < whole; at += most) {
        const uint8_t repeats = static_cast<uint8_t>(whole - at < most ? whole - at : most);
        AscendC::Div(to[at * lanes], one, x[at * lanes], static_cast<uint64_t>(lanes), repeats, params);
    }
    const uint32_t rest = count % lanes;
    if (rest > 0) {
        AscendC::Div(to[whole * lanes], one, x[whole * lanes], static_cast<uint64_t>(rest), 1, params);
    }
}
#endif // ASCGRAPH_CPP_ONES_H
