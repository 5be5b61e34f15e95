#ifndef ASCGRAPH_CPP_ROWS_H
#define ASCGRAPH_CPP_ROWS_H

#include "kernel_operator.h"

constexpr uint32_t MOST_REPEATS = 248; // of one instruction, in whole blocks of results

template <typename T>
constexpr uint32_t BLOCK = 32 / sizeof(T);

template <typename T>
constexpr uint32_t LANES = 256 / sizeof(T);

template <typename T>
__aicore__ inline uint32_t GapBlocks(uint32_t stride, uint32_t length)
{
    return stride / BLOCK<T> - (length + BLOCK<T> - 1) / BLOCK<T>;
}

// `step` elements from one row to the next in memory.
template <typename T>
__aicore__ inline void LoadRows(const AscendC::LocalTensor<T>& to, const AscendC::GlobalTensor<T>& from, uint32_t rows,
                                int64_t length, int64_t step, uint32_t stride)
{
    const AscendC::DataCopyExtParams copy{static_cast<uint16_t>(rows), static_cast<uint32_t>(length * sizeof(T)),
                                          static_cast<uint32_t>((step - length) * sizeof(T)),
                                          GapBlocks<T>(stride, static_cast<uint32_t>(length)), 0};
    AscendC::DataCopyPad(to, from, copy, AscendC::DataCopyPadExtParams<T>{});
}

template <typename T>
__aicore__ inline void StoreRows(const AscendC::GlobalTensor<T>& to, const AscendC::LocalTensor<T>& from, uint32_t rows,
                                 int64_t length, int64_t step, uint32_t stride)
{
    const AscendC::DataCopyExtParams copy{static_cast<uint16_t>(rows), static_cast<uint32_t>(length * sizeof(T)),
                                          GapBlocks<T>(stride, static_cast<uint32_t>(length)),
                                          static_cast<uint32_t>((step - length) * sizeof(T)), 0};
    AscendC::DataCopyPad(to, from, copy);
}

// Each row the same.
template <typename T>
__aicore__ inline void RepeatRows(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from, uint32_t rows,
                                  uint32_t stride)
{
    if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {
        if ((stride + LANES<T> - 1) / LANES<T> < rows) {
            for (uint32_t column = 0; column < stride; column += LANES<T>) {
                const uint32_t left = stride - column;
                for (uint32_t row = 0; row < rows; row += MOST_REPEATS) {
                    const uint32_t repeats = rows - row < MOST_REPEATS ? rows - row : MOST_REPEATS;
                    AscendC::Copy(to[row * stride + column], from[column],
                                  static_cast<uint64_t>(left < LANES<T> ? left : LANES<T>),
                                  static_cast<uint8_t>(repeats),
                                  AscendC::CopyRepeatParams(1, 1, static_cast<uint16_t>(stride / BLOCK<T>), 0));
                }
            }
            return;
        }
    }
    for (uint32_t row = 0; row < rows; row++) {
        AscendC::DataCopy(to[row * stride], from, stride);
    }
}

// A block of each element. `blocks` has 32 bytes for each row, and 256 more.
template <typename T>
__aicore__ inline void BlockOfEach(const AscendC::LocalTensor<T>& blocks, const AscendC::LocalTensor<T>& from,
                                   uint32_t rows)
{
    for (uint32_t row = 0; row < rows; row += 8 * MOST_REPEATS) {
        const uint32_t eights = (rows - row + 7) / 8;
        AscendC::Brcb(blocks[row * BLOCK<T>], from[row],
                      static_cast<uint8_t>(eights < MOST_REPEATS ? eights : MOST_REPEATS),
                      AscendC::BrcbRepeatParams(1, 8));
    }
}

// Each row of one element; `blocks` as above.
template <typename T>
__aicore__ inline void RepeatColumns(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from,
                                     const AscendC::LocalTensor<T>& blocks, uint32_t rows, uint32_t length,
                                     uint32_t stride)
{
    BlockOfEach(blocks, from, rows);
    if ((length + LANES<T> - 1) / LANES<T> < rows) {
        for (uint32_t column = 0; column < length; column += LANES<T>) {
            const uint32_t left = length - column;
            for (uint32_t row = 0; row < rows; row += MOST_REPEATS) {
                const uint32_t repeats = rows - row < MOST_REPEATS ? rows - row : MOST_REPEATS;
                AscendC::Copy(to[row * stride + column], blocks[row * BLOCK<T>],
                              static_cast<uint64_t>(left < LANES<T> ? left : LANES<T>), static_cast<uint8_t>(repeats),
                              AscendC::CopyRepeatParams(1, 0, static_cast<uint16_t>(stride / BLOCK<T>), 1));
            }
        }
        return;
    }
    for (uint32_t row = 0; row < rows; row++) {
        const uint32_t whole = length / LANES<T>;
        const uint32_t rest = length % LANES<T>;
        for (uint32_t done = 0; done < whole; done += MOST_REPEATS) {
            const uint32_t repeats = whole - done < MOST_REPEATS ? whole - done : MOST_REPEATS;
            AscendC::Copy(to[row * stride + done * LANES<T>], blocks[row * BLOCK<T>], static_cast<uint64_t>(LANES<T>),
                          static_cast<uint8_t>(repeats), AscendC::CopyRepeatParams(1, 0, 8, 0));
        }
        if (rest > 0) {
            AscendC::Copy(to[row * stride + whole * LANES<T>], blocks[row * BLOCK<T>], static_cast<uint64_t>(rest), 1,
                          AscendC::CopyRepeatParams(1, 0, 8, 0));
        }
    }
}
#endif // ASCGRAPH_CPP_ROWS_H
