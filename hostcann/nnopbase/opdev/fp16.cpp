// Number formats of 16 bits. Conversions go through the IEEE bit patterns so that no host rounding mode takes part.
#include <cstring>

#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"

namespace op {
namespace {

constexpr int kHalfMantissa = 10;
constexpr int kHalfBias = 15;
constexpr uint16_t kHalfInf = 0x7C00;
constexpr uint16_t kHalfNan = 0x7FFF;

template <typename To, typename From>
To BitsOf(From value)
{
    static_assert(sizeof(To) == sizeof(From), "same size");
    To bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

uint64_t ShiftRightToNearestEven(uint64_t value, int shift)
{
    if (shift <= 0) {
        return value;
    }
    if (shift >= 64) {
        return 0;
    }
    const uint64_t kept = value >> shift;
    const uint64_t rest = value & ((uint64_t{1} << shift) - 1);
    const uint64_t half = uint64_t{1} << (shift - 1);
    return kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
}

// `exponent` and `mantissa` are the fields of a binary format with the given mantissa length and bias.
uint16_t ToHalf(bool negative, int exponent, uint64_t mantissa, int length, int bias, int maxExponent)
{
    const uint16_t sign = negative ? 0x8000 : 0;
    if (exponent == maxExponent) {
        return static_cast<uint16_t>(sign | (mantissa != 0 ? kHalfNan : kHalfInf));
    }
    if (exponent == 0) {
        return sign; // subnormals of float and double are far below half's smallest
    }
    const uint64_t significand = mantissa | (uint64_t{1} << length);
    const int target = exponent - bias + kHalfBias;
    const int shift = length - kHalfMantissa + (target < 1 ? 1 - target : 0);
    uint64_t bits = ShiftRightToNearestEven(significand, shift);
    if (target >= 1) {
        // The hidden bit carries into the exponent field, and so does a significand that rounds up to 2.0.
        bits += static_cast<uint64_t>(target - 1) << kHalfMantissa;
    }
    return static_cast<uint16_t>(sign | (bits >= kHalfInf ? kHalfInf : bits));
}

} // namespace

uint16_t FloatToHalfBits(float value)
{
    const uint32_t bits = BitsOf<uint32_t>(value);
    return ToHalf((bits >> 31) != 0, static_cast<int>((bits >> 23) & 0xFF), bits & 0x7FFFFF, 23, 127, 0xFF);
}

uint16_t DoubleToHalfBits(double value)
{
    const uint64_t bits = BitsOf<uint64_t>(value);
    return ToHalf((bits >> 63) != 0, static_cast<int>((bits >> 52) & 0x7FF), bits & 0xFFFFFFFFFFFFF, 52, 1023, 0x7FF);
}

float HalfBitsToFloat(uint16_t bits)
{
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
    const uint32_t exponent = (bits >> kHalfMantissa) & 0x1F;
    const uint32_t mantissa = bits & 0x3FF;
    if (exponent == 0) {
        const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
        return BitsOf<float>(sign | BitsOf<uint32_t>(magnitude));
    }
    const uint32_t wide = exponent == 0x1F ? 0xFF : exponent - kHalfBias + 127;
    return BitsOf<float>(sign | (wide << 23) | (mantissa << 13));
}

uint16_t FloatToBfloat16Bits(float value)
{
    const uint32_t bits = BitsOf<uint32_t>(value);
    if ((bits & 0x7FFFFFFF) > 0x7F800000) {
        return 0x7FC0;
    }
    return static_cast<uint16_t>(ShiftRightToNearestEven(bits, 16));
}

float Bfloat16BitsToFloat(uint16_t bits) { return BitsOf<float>(static_cast<uint32_t>(bits) << 16); }

} // namespace op
