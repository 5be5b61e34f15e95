//! C++ that kernels are made of where a node is more than one instruction: in the namespace of the operator, in front of
//! its class. Only what a kernel uses is printed.

/// Tiles of any type.
pub const COPY: &str = r#"
// Whole blocks of 32 bytes, up to the one with the last element.
template <typename T>
__aicore__ inline void CopyTile(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from, uint32_t count)
{
    constexpr uint32_t block = 32 / sizeof(T);
    AscendC::DataCopy(to, from, (count + block - 1) / block * block);
}
"#;

/// Comparisons and what chooses by one. `work` has 3 bytes for each element, 5 where int32 is compared.
pub const MASKS: &str = r#"
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
"#;

/// The remainder of int32 with the sign of the divisor. `work` has 12 bytes for each element.
pub const REMAINDER: &str = r#"
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
"#;

/// Tiles of whole rows: `rows` of them, `length` elements each, `stride` elements apart.
pub const ROWS: &str = r#"
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

// Each row of one element. `blocks` has 32 bytes for each row, and 256 more.
template <typename T>
__aicore__ inline void RepeatColumns(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from,
                                     const AscendC::LocalTensor<T>& blocks, uint32_t rows, uint32_t length,
                                     uint32_t stride)
{
    for (uint32_t row = 0; row < rows; row += 8 * MOST_REPEATS) {
        const uint32_t eights = (rows - row + 7) / 8;
        AscendC::Brcb(blocks[row * BLOCK<T>], from[row],
                      static_cast<uint8_t>(eights < MOST_REPEATS ? eights : MOST_REPEATS),
                      AscendC::BrcbRepeatParams(1, 8));
    }
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
"#;

/// Rows to one element each.
pub const REDUCE: &str = r#"
enum class Reduction { SUM, MAX, MIN };

template <Reduction KIND, typename T>
__aicore__ inline void Fold(const AscendC::LocalTensor<T>& lanes, const AscendC::LocalTensor<T>& x, uint32_t mask,
                            uint32_t repeats, const AscendC::BinaryRepeatParams& params)
{
    const uint64_t on = mask;
    const uint8_t times = static_cast<uint8_t>(repeats);
    if constexpr (KIND == Reduction::SUM) {
        AscendC::Add(lanes, x, lanes, on, times, params);
    } else if constexpr (KIND == Reduction::MAX) {
        AscendC::Max(lanes, x, lanes, on, times, params);
    } else {
        AscendC::Min(lanes, x, lanes, on, times, params);
    }
}

// One repeat of each row: neighbours first, then neighbours of neighbours.
template <Reduction KIND, typename T>
__aicore__ inline void ReduceRepeats(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from,
                                     uint32_t mask, uint32_t rows, uint32_t stride)
{
    const int32_t on = static_cast<int32_t>(mask);
    const int32_t blocks = static_cast<int32_t>(stride / BLOCK<T>);
    for (uint32_t row = 0; row < rows; row += MOST_REPEATS) {
        const int32_t repeats = static_cast<int32_t>(rows - row < MOST_REPEATS ? rows - row : MOST_REPEATS);
        if constexpr (KIND == Reduction::SUM) {
            AscendC::WholeReduceSum(to[row], from[row * stride], on, repeats, 1, 1, blocks);
        } else if constexpr (KIND == Reduction::MAX) {
            AscendC::WholeReduceMax(to[row], from[row * stride], on, repeats, 1, 1, blocks,
                                    AscendC::ReduceOrder::ORDER_ONLY_VALUE);
        } else {
            AscendC::WholeReduceMin(to[row], from[row * stride], on, repeats, 1, 1, blocks,
                                    AscendC::ReduceOrder::ORDER_ONLY_VALUE);
        }
    }
}

// Lane j of a row takes elements j, j + LANES, j + 2 * LANES, …, one after the other; then the lanes meet. So the bits are
// the same however rows are cut into tiles. `lanes` has 256 bytes for each row that is longer than that.
template <Reduction KIND, typename T>
__aicore__ inline void ReduceRows(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from,
                                  const AscendC::LocalTensor<T>& lanes, uint32_t rows, uint32_t length, uint32_t stride)
{
    constexpr uint32_t n = LANES<T>;
    if (length <= n) {
        ReduceRepeats<KIND>(to, from, length, rows, stride);
        return;
    }
    const uint32_t blocks = stride / BLOCK<T>;
    const uint32_t whole = length / n;
    const uint32_t rest = length % n;
    if (blocks <= 255 && whole < 3 * rows) {
        // All rows of n columns after the other.
        for (uint32_t row = 0; row < rows; row += MOST_REPEATS) {
            const uint32_t repeats = rows - row < MOST_REPEATS ? rows - row : MOST_REPEATS;
            const AscendC::BinaryRepeatParams params(1, 1, 1, 8, static_cast<uint8_t>(blocks), 8);
            AscendC::Copy(lanes[row * n], from[row * stride], static_cast<uint64_t>(n), static_cast<uint8_t>(repeats),
                          AscendC::CopyRepeatParams(1, 1, 8, static_cast<uint16_t>(blocks)));
            for (uint32_t at = 1; at < whole; at++) {
                Fold<KIND>(lanes[row * n], from[row * stride + at * n], n, repeats, params);
            }
            if (rest > 0) {
                Fold<KIND>(lanes[row * n], from[row * stride + whole * n], rest, repeats, params);
            }
        }
    } else {
        // One row after the other; the lanes stay where they are from repeat to repeat.
        for (uint32_t row = 0; row < rows; row++) {
            AscendC::DataCopy(lanes[row * n], from[row * stride], n);
            for (uint32_t at = 1; at < whole; at += MOST_REPEATS) {
                const uint32_t repeats = whole - at < MOST_REPEATS ? whole - at : MOST_REPEATS;
                Fold<KIND>(lanes[row * n], from[row * stride + at * n], n, repeats,
                           AscendC::BinaryRepeatParams(1, 1, 1, 0, 8, 0));
            }
            if (rest > 0) {
                Fold<KIND>(lanes[row * n], from[row * stride + whole * n], rest, 1,
                           AscendC::BinaryRepeatParams(1, 1, 1, 8, 8, 8));
            }
        }
    }
    ReduceRepeats<KIND>(to, lanes, n, rows, n);
}

// The sum divided by the number of elements.
template <typename T>
__aicore__ inline void MeanOfRows(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from,
                                  const AscendC::LocalTensor<T>& lanes, uint32_t rows, uint32_t length, uint32_t stride)
{
    ReduceRows<Reduction::SUM>(to, from, lanes, rows, length, stride);
    AscendC::Duplicate(lanes, static_cast<T>(static_cast<float>(length)), static_cast<int32_t>(rows));
    AscendC::Div(to, to, lanes, static_cast<int32_t>(rows));
}
"#;

/// Rows that go by in pieces.
pub const PIECES: &str = r#"
// The lanes of a row take its next piece, element after element as in ReduceRows. All pieces but the last have whole lanes.
template <Reduction KIND, typename T>
__aicore__ inline void TakePiece(const AscendC::LocalTensor<T>& lanes, const AscendC::LocalTensor<T>& piece,
                                 uint32_t length, bool isFirst)
{
    constexpr uint32_t n = LANES<T>;
    uint32_t at = 0;
    if (isFirst) {
        at = length < n ? length : n;
        AscendC::Copy(lanes, piece, static_cast<uint64_t>(at), 1, AscendC::CopyRepeatParams(1, 1, 8, 8));
    }
    while (at + n <= length) {
        const uint32_t whole = (length - at) / n;
        const uint32_t repeats = whole < MOST_REPEATS ? whole : MOST_REPEATS;
        Fold<KIND>(lanes, piece[at], n, repeats, AscendC::BinaryRepeatParams(1, 1, 1, 0, 8, 0));
        at += repeats * n;
    }
    if (at < length) {
        Fold<KIND>(lanes, piece[at], length - at, 1, AscendC::BinaryRepeatParams(1, 1, 1, 8, 8, 8));
    }
}

// The lanes of a row of `length` elements meet.
template <Reduction KIND, typename T>
__aicore__ inline void MeetLanes(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& lanes, int64_t length)
{
    ReduceRepeats<KIND>(to, lanes, static_cast<uint32_t>(length < LANES<T> ? length : LANES<T>), 1, LANES<T>);
}

template <typename T>
__aicore__ inline void MeanOfLanes(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& lanes,
                                   int64_t length)
{
    MeetLanes<Reduction::SUM>(to, lanes, length);
    AscendC::Duplicate(lanes, static_cast<T>(static_cast<float>(length)), 1);
    AscendC::Div(to, to, lanes, 1);
}
"#;
