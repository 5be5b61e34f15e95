#ifndef ASCGRAPH_CPP_SPREAD_H
#define ASCGRAPH_CPP_SPREAD_H

#include "rows.h"

enum class Binary { ADD, SUB, MUL, DIV, MAX, MIN };

template <Binary KIND, typename T>
__aicore__ inline void Apply(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& a,
                             const AscendC::LocalTensor<T>& b, uint32_t mask, uint32_t repeats,
                             const AscendC::BinaryRepeatParams& params)
{
    const uint64_t on = mask;
    const uint8_t times = static_cast<uint8_t>(repeats);
    if constexpr (KIND == Binary::ADD) {
        AscendC::Add(to, a, b, on, times, params);
    } else if constexpr (KIND == Binary::SUB) {
        AscendC::Sub(to, a, b, on, times, params);
    } else if constexpr (KIND == Binary::MUL) {
        AscendC::Mul(to, a, b, on, times, params);
    } else if constexpr (KIND == Binary::DIV) {
        AscendC::Div(to, a, b, on, times, params);
    } else if constexpr (KIND == Binary::MAX) {
        AscendC::Max(to, a, b, on, times, params);
    } else {
        AscendC::Min(to, a, b, on, times, params);
    }
}

// Repeats of x and a block: the strides between repeats; IS_LEFT: the block is the first operand.
template <Binary KIND, bool IS_LEFT, typename T>
__aicore__ inline void ApplyBlock(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& x,
                                  const AscendC::LocalTensor<T>& block, uint32_t mask, uint32_t repeats, uint8_t step,
                                  uint8_t next)
{
    if constexpr (IS_LEFT) {
        Apply<KIND>(to, block, x, mask, repeats, AscendC::BinaryRepeatParams(1, 0, 1, step, next, step));
    } else {
        Apply<KIND>(to, x, block, mask, repeats, AscendC::BinaryRepeatParams(1, 1, 0, step, step, next));
    }
}

// Each row of x with its own element of `from`. `blocks` has 32 bytes for each row, and 256 more.
template <Binary KIND, bool IS_LEFT, typename T>
__aicore__ inline void WithColumns(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& x,
                                   const AscendC::LocalTensor<T>& from, const AscendC::LocalTensor<T>& blocks,
                                   uint32_t rows, uint32_t length, uint32_t stride)
{
    BlockOfEach(blocks, from, rows);
    const uint32_t step = stride / BLOCK<T>;
    if (step <= 255 && (length + LANES<T> - 1) / LANES<T> < rows) {
        for (uint32_t column = 0; column < length; column += LANES<T>) {
            const uint32_t left = length - column;
            for (uint32_t row = 0; row < rows; row += MOST_REPEATS) {
                const uint32_t at = row * stride + column;
                ApplyBlock<KIND, IS_LEFT>(to[at], x[at], blocks[row * BLOCK<T>], left < LANES<T> ? left : LANES<T>,
                                          rows - row < MOST_REPEATS ? rows - row : MOST_REPEATS,
                                          static_cast<uint8_t>(step), 1);
            }
        }
        return;
    }
    const uint32_t whole = length / LANES<T>;
    const uint32_t rest = length % LANES<T>;
    for (uint32_t row = 0; row < rows; row++) {
        const auto block = blocks[row * BLOCK<T>];
        for (uint32_t done = 0; done < whole; done += MOST_REPEATS) {
            const uint32_t at = row * stride + done * LANES<T>;
            ApplyBlock<KIND, IS_LEFT>(to[at], x[at], block, LANES<T>,
                                      whole - done < MOST_REPEATS ? whole - done : MOST_REPEATS, 8, 0);
        }
        if (rest > 0) {
            const uint32_t at = row * stride + whole * LANES<T>;
            ApplyBlock<KIND, IS_LEFT>(to[at], x[at], block, rest, 1, 8, 0);
        }
    }
}
#endif // ASCGRAPH_CPP_SPREAD_H
