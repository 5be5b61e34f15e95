// Parameter structs of vector and copy instructions, and the integers narrower than what kernels put into them.
#ifndef HOSTCANN_ASCENDC_KERNEL_STRUCTS_H
#define HOSTCANN_ASCENDC_KERNEL_STRUCTS_H

#include <cstdint>
#include <type_traits>

namespace AscendC {
namespace hostcann {

template <typename T>
class Narrow;

template <typename U>
using IfNumber = std::enable_if_t<std::is_arithmetic<U>::value || std::is_enum<U>::value, bool>;

// A field of a parameter struct. On the device it is a T that silently keeps the low bits of a larger value; here it
// also keeps the value, and the instruction that reads the field faults. A constructor of the struct still takes a T,
// so that a brace list rejects what the device compiler rejects; what a call in parentheses or a cast cuts off is lost.
template <typename T>
class Narrow {
public:
    Narrow() = default;
    template <typename U, IfNumber<U> = true>
    constexpr explicit Narrow(const U value) : given_(static_cast<int64_t>(value))
    {
    }

    template <typename U, IfNumber<U> = true>
    constexpr Narrow& operator=(const U value)
    {
        given_ = static_cast<int64_t>(value);
        return *this;
    }
    template <typename U>
    constexpr Narrow& operator+=(const U value)
    {
        return *this = static_cast<T>(given_) + value;
    }
    template <typename U>
    constexpr Narrow& operator-=(const U value)
    {
        return *this = static_cast<T>(given_) - value;
    }
    template <typename U>
    constexpr Narrow& operator*=(const U value)
    {
        return *this = static_cast<T>(given_) * value;
    }
    template <typename U>
    constexpr Narrow& operator/=(const U value)
    {
        return *this = static_cast<T>(given_) / value;
    }

    constexpr operator T() const { return static_cast<T>(given_); }
    constexpr bool Fits() const { return static_cast<int64_t>(static_cast<T>(given_)) == given_; }
    constexpr int64_t Given() const { return given_; }

private:
    int64_t given_; // no initializer: a union member has to be trivial
};

// A parameter of an instruction: upstream a T by value.
template <typename T>
class NarrowArg : public Narrow<T> {
public:
    template <typename U, IfNumber<U> = true>
    constexpr NarrowArg(const U value) : Narrow<T>(value)
    {
    }
    template <typename U>
    constexpr NarrowArg(const Narrow<U>& value) : Narrow<T>(static_cast<U>(value))
    {
    }
};

using RepeatTime = NarrowArg<uint8_t>;

} // namespace hostcann
} // namespace AscendC

namespace AscendC {

// Strides count 32-byte blocks; a repeat is 8 blocks. On A2 no instruction of this interface reads blockNumber, the two
// stride modes and halfBlock.
struct UnaryRepeatParams {
    UnaryRepeatParams() = default;
    UnaryRepeatParams(const uint16_t dstBlkStrideIn, const uint16_t srcBlkStrideIn, const uint8_t dstRepStrideIn,
                      const uint8_t srcRepStrideIn)
        : dstBlkStride(dstBlkStrideIn),
          srcBlkStride(srcBlkStrideIn),
          dstRepStride(dstRepStrideIn),
          srcRepStride(srcRepStrideIn)
    {
    }
    UnaryRepeatParams(const uint16_t dstBlkStrideIn, const uint16_t srcBlkStrideIn, const uint8_t dstRepStrideIn,
                      const uint8_t srcRepStrideIn, const bool halfBlockIn)
        : UnaryRepeatParams(dstBlkStrideIn, srcBlkStrideIn, dstRepStrideIn, srcRepStrideIn)
    {
        halfBlock = halfBlockIn;
    }
    uint32_t blockNumber = 8;
    hostcann::Narrow<uint16_t> dstBlkStride{1};
    hostcann::Narrow<uint16_t> srcBlkStride{1};
    hostcann::Narrow<uint8_t> dstRepStride{8};
    hostcann::Narrow<uint8_t> srcRepStride{8};
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
    bool halfBlock = false;
};

struct BinaryRepeatParams {
    BinaryRepeatParams() = default;
    BinaryRepeatParams(const uint8_t dstBlkStrideIn, const uint8_t src0BlkStrideIn, const uint8_t src1BlkStrideIn,
                       const uint8_t dstRepStrideIn, const uint8_t src0RepStrideIn, const uint8_t src1RepStrideIn)
        : dstBlkStride(dstBlkStrideIn),
          src0BlkStride(src0BlkStrideIn),
          src1BlkStride(src1BlkStrideIn),
          dstRepStride(dstRepStrideIn),
          src0RepStride(src0RepStrideIn),
          src1RepStride(src1RepStrideIn)
    {
    }
    uint32_t blockNumber = 8;
    hostcann::Narrow<uint8_t> dstBlkStride{1};
    hostcann::Narrow<uint8_t> src0BlkStride{1};
    hostcann::Narrow<uint8_t> src1BlkStride{1};
    hostcann::Narrow<uint8_t> dstRepStride{8};
    hostcann::Narrow<uint8_t> src0RepStride{8};
    hostcann::Narrow<uint8_t> src1RepStride{8};
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

// The stride defaults are 0 upstream, so callers always pass all four.
struct CopyRepeatParams {
    CopyRepeatParams() = default;
    CopyRepeatParams(const uint16_t dstStrideIn, const uint16_t srcStrideIn, const uint16_t dstRepeatSizeIn,
                     const uint16_t srcRepeatSizeIn)
        : dstStride(dstStrideIn), srcStride(srcStrideIn), dstRepeatSize(dstRepeatSizeIn), srcRepeatSize(srcRepeatSizeIn)
    {
    }
    hostcann::Narrow<uint16_t> dstStride{0};
    hostcann::Narrow<uint16_t> srcStride{0};
    hostcann::Narrow<uint16_t> dstRepeatSize{8};
    hostcann::Narrow<uint16_t> srcRepeatSize{8};
};

struct BrcbRepeatParams {
    BrcbRepeatParams() = default;
    BrcbRepeatParams(const uint16_t dstBlkStrideIn, const uint16_t dstRepStrideIn)
        : dstRepStride(dstRepStrideIn), dstBlkStride(dstBlkStrideIn)
    {
    }
    uint32_t blockNumber = 8;
    hostcann::Narrow<uint16_t> dstRepStride{8};
    hostcann::Narrow<uint16_t> dstBlkStride{1};
    hostcann::Narrow<uint8_t> src0BlkStride{1};
    hostcann::Narrow<uint8_t> src1BlkStride{1};
    hostcann::Narrow<uint8_t> src0RepStride{8};
    hostcann::Narrow<uint8_t> src1RepStride{8};
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

// Lengths and gaps in 32-byte blocks for DataCopy; blockLen in bytes when given to DataCopyPad.
struct DataCopyParams {
    DataCopyParams() = default;
    DataCopyParams(const uint16_t count, const uint16_t len, const uint16_t srcGapIn, const uint16_t dstGapIn)
        : blockCount(count), blockLen(len), srcGap(srcGapIn), dstGap(dstGapIn)
    {
    }
    hostcann::Narrow<uint16_t> blockCount{1};
    hostcann::Narrow<uint16_t> blockLen{0};
    union {
        hostcann::Narrow<uint16_t> srcGap{0};
        hostcann::Narrow<uint16_t> srcStride;
    };
    union {
        hostcann::Narrow<uint16_t> dstGap{0};
        hostcann::Narrow<uint16_t> dstStride;
    };
};

// blockLen in bytes; the GM side's stride in bytes, the UB side's in 32-byte blocks.
struct DataCopyExtParams {
    DataCopyExtParams() = default;
    DataCopyExtParams(const uint16_t count, const uint32_t len, const uint32_t srcStrideIn, const uint32_t dstStrideIn,
                      const uint32_t rsvIn)
        : blockCount(count), blockLen(len), srcStride(srcStrideIn), dstStride(dstStrideIn), rsv(rsvIn)
    {
    }
    hostcann::Narrow<uint16_t> blockCount{1};
    uint32_t blockLen = 0;
    uint32_t srcStride = 0;
    uint32_t dstStride = 0;
    uint32_t rsv = 0;
};

struct DataCopyPadParams {
    DataCopyPadParams() = default;
    DataCopyPadParams(const bool isPadValue, const uint8_t leftPadValue, const uint8_t rightPadValue,
                      const uint64_t padValue)
        : isPad(isPadValue), leftPadding(leftPadValue), rightPadding(rightPadValue), paddingValue(padValue)
    {
    }
    bool isPad = false;
    hostcann::Narrow<uint8_t> leftPadding{0};
    hostcann::Narrow<uint8_t> rightPadding{0};
    uint64_t paddingValue = 0;
};

template <typename T>
struct DataCopyPadExtParams {
    DataCopyPadExtParams() = default;
    DataCopyPadExtParams(const bool isPadValue, const uint8_t leftPadValue, const uint8_t rightPadValue,
                         const T padValue)
        : isPad(isPadValue), leftPadding(leftPadValue), rightPadding(rightPadValue), paddingValue(padValue)
    {
    }
    bool isPad = false;
    hostcann::Narrow<uint8_t> leftPadding{0};
    hostcann::Narrow<uint8_t> rightPadding{0};
    T paddingValue{};
};

struct GatherRepeatParams {
    GatherRepeatParams() = default;
    GatherRepeatParams(const uint8_t dstBlkStrideIn, const uint8_t dstRepStrideIn)
        : dstRepStride(dstRepStrideIn), dstBlkStride(dstBlkStrideIn)
    {
    }
    uint32_t blockNumber = 8;
    hostcann::Narrow<uint16_t> dstRepStride{8};
    hostcann::Narrow<uint8_t> dstBlkStride{1};
    uint8_t src0BlkStride = 1;
    uint8_t src1BlkStride = 1;
    uint8_t src0RepStride = 8;
    uint8_t src1RepStride = 8;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

struct GatherMaskParams {
    GatherMaskParams() = default;
    GatherMaskParams(const uint8_t src0BlockStrideIn, const uint16_t repeatTimesIn, const uint16_t src0RepeatStrideIn,
                     const uint8_t src1RepeatStrideIn)
        : src0BlockStride(src0BlockStrideIn),
          repeatTimes(repeatTimesIn),
          src0RepeatStride(src0RepeatStrideIn),
          src1RepeatStride(src1RepeatStrideIn)
    {
    }
    hostcann::Narrow<uint8_t> src0BlockStride{1};
    hostcann::Narrow<uint16_t> repeatTimes{0};
    hostcann::Narrow<uint16_t> src0RepeatStride{8};
    hostcann::Narrow<uint8_t> src1RepeatStride{8};
};

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_STRUCTS_H
