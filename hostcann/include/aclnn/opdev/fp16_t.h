#ifndef HOSTCANN_OPDEV_FP16_T_H
#define HOSTCANN_OPDEV_FP16_T_H

#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <type_traits>

namespace op {

// Host code numbers dimensions by these.
const uint16_t DIM_0 = 0;
const uint16_t DIM_1 = 1;
const uint16_t DIM_2 = 2;
const uint16_t DIM_3 = 3;
const uint16_t DIM_4 = 4;
const uint16_t DIM_5 = 5;
const uint16_t DIM_6 = 6;
const uint16_t DIM_7 = 7;
const uint16_t DIM_8 = 8;
const uint16_t DIM_9 = 9;
const uint16_t DIM_10 = 10;
const uint16_t DIM_11 = 11;
const uint16_t DIM_12 = 12;
const uint16_t DIM_13 = 13;
const uint16_t DIM_14 = 14;
const uint16_t DIM_15 = 15;
const uint16_t DIM_16 = 16;

// Round to nearest even, overflow to infinity, any NaN to sign | 0x7FFF. From double there is one rounding, not two.
uint16_t FloatToHalfBits(float value);
uint16_t DoubleToHalfBits(double value);
float HalfBitsToFloat(uint16_t bits);

struct fp16_t {
    uint16_t val = 0;

    constexpr fp16_t() = default;
    // A uint16_t is taken as the bit pattern, every other number as a value.
    constexpr fp16_t(const uint16_t& bits) : val(bits) {}
    template <typename T,
              typename = std::enable_if_t<std::is_arithmetic<T>::value && !std::is_same<T, uint16_t>::value>>
    fp16_t(const T& value) : val(Encode(value))
    {
    }
    template <typename T>
    fp16_t(const std::complex<T>& value) : fp16_t(value.real())
    {
    }
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
    fp16_t& operator=(const T& value)
    {
        val = Encode(value);
        return *this;
    }

    float toFloat() const { return HalfBitsToFloat(val); }
    double toDouble() const { return static_cast<double>(toFloat()); }
    operator float() const { return toFloat(); }
    operator double() const { return toDouble(); }
    explicit operator bool() const { return val != 0; }
    template <typename T, typename = std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value>>
    explicit operator T() const
    {
        return static_cast<T>(toFloat());
    }

    bool operator==(const fp16_t& other) const { return toFloat() == other.toFloat(); }
    bool operator!=(const fp16_t& other) const { return toFloat() != other.toFloat(); }
    bool operator<(const fp16_t& other) const { return toFloat() < other.toFloat(); }
    bool operator<=(const fp16_t& other) const { return toFloat() <= other.toFloat(); }
    bool operator>(const fp16_t& other) const { return toFloat() > other.toFloat(); }
    bool operator>=(const fp16_t& other) const { return toFloat() >= other.toFloat(); }

private:
    template <typename T>
    static uint16_t Encode(const T& value)
    {
        if constexpr (std::is_same<T, float>::value) {
            return FloatToHalfBits(value);
        } else {
            return DoubleToHalfBits(static_cast<double>(value));
        }
    }
};

inline fp16_t operator+(fp16_t a, fp16_t b) { return fp16_t(a.toFloat() + b.toFloat()); }
inline fp16_t operator-(fp16_t a, fp16_t b) { return fp16_t(a.toFloat() - b.toFloat()); }
inline fp16_t operator*(fp16_t a, fp16_t b) { return fp16_t(a.toFloat() * b.toFloat()); }
inline fp16_t operator/(fp16_t a, fp16_t b) { return fp16_t(a.toFloat() / b.toFloat()); }
inline std::ostream& operator<<(std::ostream& os, const fp16_t& value) { return os << value.toFloat(); }

} // namespace op

namespace std {
template <>
struct hash<op::fp16_t> {
    size_t operator()(const op::fp16_t& value) const { return hash<float>()(value.toFloat()); }
};

template <>
class numeric_limits<op::fp16_t> {
public:
    static constexpr bool is_specialized = true;
    static constexpr bool is_signed = true;
    static constexpr bool is_integer = false;
    static constexpr bool is_exact = false;
    static constexpr bool has_infinity = true;
    static constexpr bool has_quiet_NaN = true;
    static constexpr int digits = 11;
    static constexpr op::fp16_t min() { return op::fp16_t(static_cast<uint16_t>(0x0400)); }
    static constexpr op::fp16_t max() { return op::fp16_t(static_cast<uint16_t>(0x7BFF)); }
    static constexpr op::fp16_t lowest() { return op::fp16_t(static_cast<uint16_t>(0xFBFF)); }
    static constexpr op::fp16_t epsilon() { return op::fp16_t(static_cast<uint16_t>(0x1400)); }
    static constexpr op::fp16_t infinity() { return op::fp16_t(static_cast<uint16_t>(0x7C00)); }
    static constexpr op::fp16_t quiet_NaN() { return op::fp16_t(static_cast<uint16_t>(0x7E00)); }
};
} // namespace std
#endif // HOSTCANN_OPDEV_FP16_T_H
