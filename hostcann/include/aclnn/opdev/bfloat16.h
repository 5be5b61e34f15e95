#ifndef HOSTCANN_OPDEV_BFLOAT16_H
#define HOSTCANN_OPDEV_BFLOAT16_H

#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <type_traits>

namespace op {

// Round to nearest even, any NaN to 0x7FC0.
uint16_t FloatToBfloat16Bits(float value);
float Bfloat16BitsToFloat(uint16_t bits);

struct bfloat16 {
    uint16_t value = 0;

    struct from_bits_t {};
    static constexpr from_bits_t from_bits() { return from_bits_t(); }

    constexpr bfloat16() = default;
    constexpr bfloat16(uint16_t bits, from_bits_t) : value(bits) {}
    // Everything goes through float, so a double is rounded twice, as on the device.
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
    bfloat16(const T& number) : value(FloatToBfloat16Bits(static_cast<float>(number)))
    {
    }
    template <typename T>
    bfloat16(const std::complex<T>& number) : bfloat16(static_cast<float>(number.real()))
    {
    }
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
    bfloat16& operator=(T number)
    {
        value = FloatToBfloat16Bits(static_cast<float>(number));
        return *this;
    }

    static bfloat16 round_to_bfloat16(float number) { return bfloat16(number); }
    static constexpr bfloat16 epsilon() { return bfloat16(0x3C00, from_bits()); }
    static constexpr bfloat16 highest() { return bfloat16(0x7F7F, from_bits()); }
    static constexpr bfloat16 lowest() { return bfloat16(0xFF7F, from_bits()); }
    static constexpr bfloat16 min_positive_normal() { return bfloat16(0x0080, from_bits()); }

    operator float() const { return Bfloat16BitsToFloat(value); }
    operator double() const { return static_cast<double>(static_cast<float>(*this)); }
    explicit operator bool() const
    {
        return std::abs(static_cast<float>(*this)) >= std::numeric_limits<float>::epsilon();
    }
    template <typename T, typename = std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value>>
    explicit operator T() const
    {
        return static_cast<T>(static_cast<float>(*this));
    }
};

inline bfloat16 operator+(bfloat16 a, bfloat16 b) { return bfloat16(static_cast<float>(a) + static_cast<float>(b)); }
inline bfloat16 operator-(bfloat16 a, bfloat16 b) { return bfloat16(static_cast<float>(a) - static_cast<float>(b)); }
inline bfloat16 operator*(bfloat16 a, bfloat16 b) { return bfloat16(static_cast<float>(a) * static_cast<float>(b)); }
inline bfloat16 operator/(bfloat16 a, bfloat16 b) { return bfloat16(static_cast<float>(a) / static_cast<float>(b)); }
inline bool operator==(bfloat16 a, bfloat16 b) { return a.value == b.value; }
inline bool operator!=(bfloat16 a, bfloat16 b) { return a.value != b.value; }
inline bool operator<(bfloat16 a, bfloat16 b) { return static_cast<float>(a) < static_cast<float>(b); }
inline bool operator<=(bfloat16 a, bfloat16 b) { return static_cast<float>(a) <= static_cast<float>(b); }
inline bool operator>(bfloat16 a, bfloat16 b) { return static_cast<float>(a) > static_cast<float>(b); }
inline bool operator>=(bfloat16 a, bfloat16 b) { return static_cast<float>(a) >= static_cast<float>(b); }
inline std::ostream& operator<<(std::ostream& os, const bfloat16& number) { return os << static_cast<float>(number); }

} // namespace op

namespace std {
template <>
struct hash<op::bfloat16> {
    size_t operator()(const op::bfloat16& number) const { return hash<float>()(static_cast<float>(number)); }
};

template <>
class numeric_limits<op::bfloat16> {
public:
    static constexpr bool is_specialized = true;
    static constexpr bool is_signed = true;
    static constexpr bool is_integer = false;
    static constexpr bool is_exact = false;
    static constexpr bool has_infinity = true;
    static constexpr bool has_quiet_NaN = true;
    static constexpr int digits = 8;
    static constexpr op::bfloat16 min() { return op::bfloat16::min_positive_normal(); }
    static constexpr op::bfloat16 max() { return op::bfloat16::highest(); }
    static constexpr op::bfloat16 lowest() { return op::bfloat16::lowest(); }
    static constexpr op::bfloat16 epsilon() { return op::bfloat16::epsilon(); }
    static constexpr op::bfloat16 infinity() { return op::bfloat16(0x7F80, op::bfloat16::from_bits()); }
    static constexpr op::bfloat16 quiet_NaN() { return op::bfloat16(0x7FC0, op::bfloat16::from_bits()); }
};
} // namespace std
#endif // HOSTCANN_OPDEV_BFLOAT16_H
