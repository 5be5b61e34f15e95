#ifndef HOSTCANN_OP_COMMON_UTIL_FP16_H
#define HOSTCANN_OP_COMMON_UTIL_FP16_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "aclnn/opdev/fp16_t.h"
#include "op_common/op_host/util/opbase_export.h"

namespace Ops {
namespace Base {
// A half of the host. A uint16_t given to the constructor is the bit pattern; assigned, it is a number.
struct tagFp16 {
    uint16_t val = 0;

    tagFp16() = default;
    tagFp16(const uint16_t& bits) : val(bits) {}
    tagFp16(const tagFp16&) = default;
    template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    tagFp16(const T& number) : val(op::DoubleToHalfBits(static_cast<double>(number)))
    {
    }
    tagFp16& operator=(const tagFp16&) = default;
    template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    tagFp16& operator=(const T& number)
    {
        val = op::DoubleToHalfBits(static_cast<double>(number));
        return *this;
    }

    // Each result rounds once: a float holds sums and products of two halves exactly enough.
    tagFp16 operator+(const tagFp16 other) const { return tagFp16(toFloat() + other.toFloat()); }
    tagFp16 operator-(const tagFp16 other) const { return tagFp16(toFloat() - other.toFloat()); }
    tagFp16 operator*(const tagFp16 other) const { return tagFp16(toFloat() * other.toFloat()); }
    tagFp16 operator/(const tagFp16 other) const { return tagFp16(toFloat() / other.toFloat()); }
    tagFp16 operator+=(const tagFp16 other) { return *this = *this + other; }
    tagFp16 operator-=(const tagFp16 other) { return *this = *this - other; }
    tagFp16 operator*=(const tagFp16 other) { return *this = *this * other; }
    tagFp16 operator/=(const tagFp16 other) { return *this = *this / other; }
    bool operator==(const tagFp16& other) const { return toFloat() == other.toFloat(); }
    bool operator!=(const tagFp16& other) const { return toFloat() != other.toFloat(); }
    bool operator>(const tagFp16& other) const { return toFloat() > other.toFloat(); }
    bool operator>=(const tagFp16& other) const { return toFloat() >= other.toFloat(); }
    bool operator<(const tagFp16& other) const { return toFloat() < other.toFloat(); }
    bool operator<=(const tagFp16& other) const { return toFloat() <= other.toFloat(); }

    operator float() const { return toFloat(); }
    operator double() const { return toDouble(); }
    operator int8_t() const { return toInt8(); }
    operator uint8_t() const { return toUInt8(); }
    operator int16_t() const { return toInt16(); }
    operator uint16_t() const { return toUInt16(); }
    operator int32_t() const { return toInt32(); }
    operator uint32_t() const { return toUInt32(); }

    // 1 for +inf, -1 for -inf, else 0.
    int IsInf() const { return (val & 0x7FFF) != 0x7C00 ? 0 : (val >> 15) != 0 ? -1 : 1; }
    float toFloat() const { return op::HalfBitsToFloat(val); }
    double toDouble() const { return static_cast<double>(toFloat()); }
    int8_t toInt8() const { return ToInteger<int8_t>(); }
    uint8_t toUInt8() const { return ToInteger<uint8_t>(); }
    int16_t toInt16() const { return ToInteger<int16_t>(); }
    uint16_t toUInt16() const { return ToInteger<uint16_t>(); }
    int32_t toInt32() const { return ToInteger<int32_t>(); }
    uint32_t toUInt32() const { return ToInteger<uint32_t>(); }

private:
    // To nearest even and saturated, 0 for NaN.
    template <typename T>
    T ToInteger() const
    {
        const double number = toDouble();
        if (std::isnan(number)) {
            return 0;
        }
        const double low = static_cast<double>(std::numeric_limits<T>::min());
        const double high = static_cast<double>(std::numeric_limits<T>::max());
        return static_cast<T>(std::min(std::max(std::nearbyint(number), low), high));
    }
};
using fp16_t = tagFp16;
} // namespace Base
} // namespace Ops

#endif
