// Scalar functions: bit counts, conversions of one value, divisions that round up.
#ifndef HOSTCANN_ASCENDC_KERNEL_SCALAR_H
#define HOSTCANN_ASCENDC_KERNEL_SCALAR_H

#include "ascendc/kernel/device.h"
#include "ascendc/kernel/constants.h"

namespace AscendC {

HOSTCANN_API constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
HOSTCANN_API constexpr uint32_t ConstCeil(uint32_t a, uint32_t b) { return DivCeil(a, b); }
HOSTCANN_API constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return DivCeil(a, b) * b; }
HOSTCANN_API uint32_t Ceil(uint32_t a, uint32_t b) { return DivCeil(a, b); }
HOSTCANN_API int32_t CeilDivision(int32_t num1, int32_t num2) { return num2 == 0 ? 0 : (num1 + num2 - 1) / num2; }

template <int countValue>
HOSTCANN_API int64_t GetBitCount(uint64_t valueIn)
{
    static_assert(countValue == 0 || countValue == 1, "GetBitCount counts zeros (0) or ones (1)");
    return __builtin_popcountll(countValue == 1 ? valueIn : ~valueIn);
}
template <int countValue>
HOSTCANN_API int64_t ScalarGetCountOfValue(uint64_t valueIn)
{
    return GetBitCount<countValue>(valueIn);
}

HOSTCANN_API int64_t CountLeadingZero(uint64_t valueIn) { return valueIn == 0 ? 64 : __builtin_clzll(valueIn); }
HOSTCANN_API int64_t ScalarCountLeadingZero(uint64_t valueIn) { return CountLeadingZero(valueIn); }

// -1 when every bit equals the sign bit (CountBitsCntSameAsSignBit page).
HOSTCANN_API int64_t CountBitsCntSameAsSignBit(int64_t valueIn)
{
    return valueIn == 0 || valueIn == -1 ? -1 : __builtin_clrsbll(valueIn);
}

// Position of the lowest 0 or 1, -1 when there is none.
template <int countValue>
HOSTCANN_API int64_t GetSFFValue(uint64_t valueIn)
{
    static_assert(countValue == 0 || countValue == 1, "GetSFFValue looks for a zero (0) or a one (1)");
    const uint64_t bits = countValue == 1 ? valueIn : ~valueIn;
    return bits == 0 ? -1 : __builtin_ctzll(bits);
}
template <int countValue>
HOSTCANN_API int64_t ScalarGetSFFValue(uint64_t valueIn)
{
    return GetSFFValue<countValue>(valueIn);
}

template <typename T, typename U>
HOSTCANN_API U GetScalarBitcodeValue(T scalarValue)
{
    U bits{};
    std::memcpy(static_cast<void*>(&bits), &scalarValue, sizeof(T) < sizeof(U) ? sizeof(T) : sizeof(U));
    return bits;
}
template <typename T>
HOSTCANN_API uint64_t GetScalarBitcodeValue(T scalarValue)
{
    return GetScalarBitcodeValue<T, uint64_t>(scalarValue);
}

namespace hostcann {

// Round to odd: truncate, and set the last bit when something was cut off.
constexpr uint16_t FloatToHalfOdd(float x)
{
    const uint32_t bits = FloatBits(x);
    const uint32_t abs = bits & 0x7fffffffu;
    const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
    if (abs >= 0x7f800000u) {
        return FloatToHalfBits(x);
    }
    if (abs >= 0x47800000u) {
        // Above the largest half, whose last bit is set.
        return static_cast<uint16_t>(sign | 0x7bffu);
    }
    const uint32_t exp = abs >> 23 == 0 ? 1 : abs >> 23;
    const uint32_t mantissa = (abs & 0x7fffffu) | (abs >= 0x800000u ? 0x800000u : 0u);
    const uint32_t shift = 13 + (exp < 113 ? 113 - exp : 0);
    const uint32_t kept = shift > 31 ? 0 : mantissa >> shift;
    const bool cut = shift > 31 ? mantissa != 0 : (mantissa & ((1u << shift) - 1)) != 0;
    return static_cast<uint16_t>(sign | (kept + (exp > 113 ? (exp - 113) << 10 : 0)) | (cut ? 1u : 0u));
}

// Saturating, a NaN gives 0, as in the vector Cast.
HOSTCANN_API int32_t RoundToInt(float x, RoundMode mode)
{
    if (x != x) {
        return 0;
    }
    double y = __builtin_floor(x);
    const double part = static_cast<double>(x) - y;
    switch (mode) {
        case RoundMode::CAST_CEIL:
            y = __builtin_ceil(x);
            break;
        case RoundMode::CAST_ROUND:
            y += part > 0.5 || (part == 0.5 && x > 0) ? 1 : 0;
            break;
        case RoundMode::CAST_RINT:
            y += part > 0.5 || (part == 0.5 && static_cast<int64_t>(y) % 2 != 0) ? 1 : 0;
            break;
        default:
            break;
    }
    return y >= 2147483647.0 ? INT32_MAX : y <= -2147483648.0 ? INT32_MIN : static_cast<int32_t>(y);
}

} // namespace hostcann

// One value from float to half (CAST_ODD) or to int32_t (ROUND, CEIL, FLOOR, RINT).
template <typename T, typename U, RoundMode roundMode>
HOSTCANN_API U Cast(T valueIn)
{
    static_assert(std::is_same<T, float>::value, "the scalar Cast takes a float");
    if constexpr (std::is_same<U, half>::value) {
        static_assert(roundMode == RoundMode::CAST_ODD, "the scalar Cast to half has CAST_ODD only");
        return half::FromBits(hostcann::FloatToHalfOdd(valueIn));
    } else {
        static_assert(std::is_same<U, int32_t>::value, "the scalar Cast gives half or int32_t");
        static_assert(roundMode == RoundMode::CAST_ROUND || roundMode == RoundMode::CAST_CEIL ||
                          roundMode == RoundMode::CAST_FLOOR || roundMode == RoundMode::CAST_RINT,
                      "the scalar Cast to int32_t has CAST_ROUND, CAST_CEIL, CAST_FLOOR and CAST_RINT");
        return hostcann::RoundToInt(valueIn, roundMode);
    }
}
template <typename T, typename U, RoundMode roundMode>
HOSTCANN_API U ScalarCast(T valueIn)
{
    return Cast<T, U, roundMode>(valueIn);
}

HOSTCANN_API float Cast(const bfloat16_t& bVal) { return ToFloat(bVal); }
HOSTCANN_API bfloat16_t Cast(const float& fVal) { return ToBfloat16(fVal); }

namespace Std {

template <typename T, typename U>
HOSTCANN_API constexpr auto max(const T& src0, const U& src1)
{
    return src0 > src1 ? src0 : src1;
}
template <typename T, typename U>
HOSTCANN_API constexpr auto min(const T& src0, const U& src1)
{
    return src0 < src1 ? src0 : src1;
}
template <typename T, typename U>
HOSTCANN_API constexpr auto divide(const T& num1, const U& num2)
{
    return num1 / num2;
}
template <typename T, typename U>
HOSTCANN_API constexpr auto ceil_division(const T& num1, const U& num2)
{
    return (num1 + num2 - 1) / num2;
}
template <typename T, typename U>
HOSTCANN_API constexpr auto ceil_align(const T& num1, const U& num2)
{
    return ceil_division(num1, num2) * num2;
}
template <typename T>
HOSTCANN_API T abs(const T src)
{
    static_assert(std::is_same<T, int8_t>::value || std::is_same<T, int16_t>::value ||
                      std::is_same<T, int32_t>::value || std::is_same<T, int64_t>::value ||
                      std::is_same<T, float>::value,
                  "Std::abs: signed integers and float");
    if constexpr (std::is_same<T, float>::value) {
        return __builtin_fabsf(src);
    } else {
        return src < 0 ? -src : src;
    }
}
template <typename T>
HOSTCANN_API T sqrt(const T src)
{
    static_assert(std::is_same<T, int64_t>::value || std::is_same<T, float>::value, "Std::sqrt: int64_t and float");
    if constexpr (std::is_same<T, float>::value) {
        return __builtin_sqrtf(src);
    } else {
        // The whole part of the root; the double is off by one at most.
        auto root = static_cast<int64_t>(__builtin_sqrt(static_cast<double>(src)));
        while (root > 0 && root > src / root) {
            --root;
        }
        while (root + 1 <= src / (root + 1)) {
            ++root;
        }
        return root;
    }
}

} // namespace Std

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_SCALAR_H
