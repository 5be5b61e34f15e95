// half and bfloat16_t. Both are builtin types of the device compiler, hence global names.
#ifndef HOSTCANN_ASCENDC_KERNEL_SCALAR_TYPES_H
#define HOSTCANN_ASCENDC_KERNEL_SCALAR_TYPES_H

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace AscendC {
namespace hostcann {

constexpr uint32_t FloatBits(float x) { return __builtin_bit_cast(uint32_t, x); }
constexpr float BitsFloat(uint32_t bits) { return __builtin_bit_cast(float, bits); }

// Round to nearest even, overflow to infinity, canonical NaN.
constexpr uint16_t FloatToHalfBits(float x)
{
    const uint32_t bits = FloatBits(x);
    const uint32_t abs = bits & 0x7fffffffu;
    const uint32_t sign = (bits >> 16) & 0x8000u;
    if (abs > 0x7f800000u) {
        return 0x7e00u;
    }
    if (abs >= 0x47800000u) {
        return static_cast<uint16_t>(sign | 0x7c00u);
    }
    const uint32_t exp = abs >> 23 == 0 ? 1 : abs >> 23;
    const uint32_t mantissa = (abs & 0x7fffffu) | (abs >= 0x800000u ? 0x800000u : 0u);
    uint32_t shift = 13 + (exp < 113 ? 113 - exp : 0);
    shift = shift > 26 ? 26 : shift;
    uint32_t q = mantissa >> shift;
    const uint32_t rem = mantissa & ((1u << shift) - 1);
    const uint32_t halfway = 1u << (shift - 1);
    q += rem > halfway || (rem == halfway && (q & 1u) != 0) ? 1 : 0;
    return static_cast<uint16_t>(sign | (q + (exp > 113 ? (exp - 113) << 10 : 0)));
}

constexpr float HalfBitsToFloat(uint16_t h)
{
    const uint32_t abs = h & 0x7fffu;
    const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
    if (abs > 0x7c00u) {
        return BitsFloat(0x7fc00000u);
    }
    if (abs == 0x7c00u) {
        return BitsFloat(sign | 0x7f800000u);
    }
    // 2^112 rebases the exponent and normalises subnormals exactly.
    return BitsFloat(FloatBits(BitsFloat(abs << 13) * BitsFloat(0x77800000u)) | sign);
}

constexpr uint16_t FloatToBfloat16Bits(float x)
{
    const uint32_t bits = FloatBits(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return 0x7fc0u;
    }
    return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

} // namespace hostcann
} // namespace AscendC

class half {
public:
    half() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
    constexpr half(T value) : bits_(AscendC::hostcann::FloatToHalfBits(static_cast<float>(value)))
    {
    }
    constexpr operator float() const { return AscendC::hostcann::HalfBitsToFloat(bits_); }

    constexpr half operator-() const { return FromBits(static_cast<uint16_t>(bits_ ^ 0x8000u)); }
    half& operator+=(half b) { return *this = *this + b; }
    half& operator-=(half b) { return *this = *this - b; }
    half& operator*=(half b) { return *this = *this * b; }
    half& operator/=(half b) { return *this = *this / b; }

    friend constexpr half operator+(half a, half b) { return half(float(a) + float(b)); }
    friend constexpr half operator-(half a, half b) { return half(float(a) - float(b)); }
    friend constexpr half operator*(half a, half b) { return half(float(a) * float(b)); }
    friend constexpr half operator/(half a, half b) { return half(float(a) / float(b)); }
    friend constexpr bool operator==(half a, half b) { return float(a) == float(b); }
    friend constexpr bool operator!=(half a, half b) { return float(a) != float(b); }
    friend constexpr bool operator<(half a, half b) { return float(a) < float(b); }
    friend constexpr bool operator<=(half a, half b) { return float(a) <= float(b); }
    friend constexpr bool operator>(half a, half b) { return float(a) > float(b); }
    friend constexpr bool operator>=(half a, half b) { return float(a) >= float(b); }

    static constexpr half FromBits(uint16_t bits) { return half(bits, Raw{}); }

private:
    struct Raw {};
    constexpr half(uint16_t bits, Raw) : bits_(bits) {}
    uint16_t bits_;
};

namespace AscendC {
namespace hostcann {
template <typename T>
using Arithmetic = std::enable_if_t<std::is_arithmetic<T>::value, int>;
// half with a floating type gives that type, half with an integer gives half, as for a builtin type.
template <typename T>
using HalfWith = std::conditional_t<std::is_floating_point<T>::value, T, half>;
} // namespace hostcann
} // namespace AscendC

#define HOSTCANN_HALF_MIXED(op)                                       \
    template <typename T, AscendC::hostcann::Arithmetic<T> = 0>       \
    constexpr AscendC::hostcann::HalfWith<T> operator op(half a, T b) \
    {                                                                 \
        using R = AscendC::hostcann::HalfWith<T>;                     \
        return static_cast<R>(a) op static_cast<R>(b);                \
    }                                                                 \
    template <typename T, AscendC::hostcann::Arithmetic<T> = 0>       \
    constexpr AscendC::hostcann::HalfWith<T> operator op(T a, half b) \
    {                                                                 \
        using R = AscendC::hostcann::HalfWith<T>;                     \
        return static_cast<R>(a) op static_cast<R>(b);                \
    }
HOSTCANN_HALF_MIXED(+)
HOSTCANN_HALF_MIXED(-)
HOSTCANN_HALF_MIXED(*)
HOSTCANN_HALF_MIXED(/)
#undef HOSTCANN_HALF_MIXED

#define HOSTCANN_HALF_COMPARE(op)                               \
    template <typename T, AscendC::hostcann::Arithmetic<T> = 0> \
    constexpr bool operator op(half a, T b)                     \
    {                                                           \
        using R = AscendC::hostcann::HalfWith<T>;               \
        return static_cast<R>(a) op static_cast<R>(b);          \
    }                                                           \
    template <typename T, AscendC::hostcann::Arithmetic<T> = 0> \
    constexpr bool operator op(T a, half b)                     \
    {                                                           \
        using R = AscendC::hostcann::HalfWith<T>;               \
        return static_cast<R>(a) op static_cast<R>(b);          \
    }
HOSTCANN_HALF_COMPARE(==)
HOSTCANN_HALF_COMPARE(!=)
HOSTCANN_HALF_COMPARE(<)
HOSTCANN_HALF_COMPARE(<=)
HOSTCANN_HALF_COMPARE(>)
HOSTCANN_HALF_COMPARE(>=)
#undef HOSTCANN_HALF_COMPARE

// Made from numbers (the page of the scalar Cast to float writes `(bfloat16_t)1`, kernels pad with {true, 0, 0, 0}) and
// a float where one is wanted (ops-nn foreach_pow_scalar_and_tensor assigns one), but without arithmetic of its own.
class bfloat16_t {
public:
    bfloat16_t() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
    constexpr bfloat16_t(T value) : bits_(AscendC::hostcann::FloatToBfloat16Bits(static_cast<float>(value)))
    {
    }
    constexpr operator float() const { return AscendC::hostcann::BitsFloat(static_cast<uint32_t>(bits_) << 16); }
    constexpr uint16_t Bits() const { return bits_; }
    static constexpr bfloat16_t FromBits(uint16_t bits) { return bfloat16_t(bits, Raw{}); }

private:
    struct Raw {};
    constexpr bfloat16_t(uint16_t bits, Raw) : bits_(bits) {}
    uint16_t bits_;
};

#define HOSTCANN_NO_BFLOAT16(op)                                                                                     \
    template <typename A, typename B,                                                                                \
              typename = std::enable_if_t<std::is_same<A, bfloat16_t>::value && std::is_same<B, bfloat16_t>::value>> \
    void operator op(A, B) = delete;
HOSTCANN_NO_BFLOAT16(+)
HOSTCANN_NO_BFLOAT16(-)
HOSTCANN_NO_BFLOAT16(*)
HOSTCANN_NO_BFLOAT16(/)
#undef HOSTCANN_NO_BFLOAT16

// A kernel that asks with #ifndef whether there is a bfloat16_t finds one.
#define bfloat16_t bfloat16_t

// Names the device compiler has besides; upstream kernels compare DTYPE_* with them.
#define __bf16 bfloat16_t
using float16_t = half;
using float32_t = float;

static_assert(sizeof(half) == 2 && std::is_trivial<half>::value, "half is two bytes of plain data");
static_assert(sizeof(bfloat16_t) == 2 && std::is_trivial<bfloat16_t>::value, "bfloat16_t is two bytes of plain data");

namespace AscendC {

// A signed integer of four bits. In a tensor two of them share a byte, the first one in its low half.
class int4b_t {
public:
    int4b_t() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
    constexpr explicit int4b_t(T value) : bits_(static_cast<uint8_t>(static_cast<int32_t>(value)) & 15)
    {
    }
    constexpr operator int8_t() const { return static_cast<int8_t>(static_cast<int8_t>(bits_ << 4) >> 4); }
    // The byte of two neighbours.
    constexpr uint8_t Pair() const { return bits_; }
    constexpr void SetHalf(uint32_t high, int4b_t value)
    {
        const uint32_t shift = high * 4;
        bits_ = static_cast<uint8_t>((bits_ & ~(15u << shift)) | (uint32_t{value.bits_} & 15u) << shift);
    }

private:
    uint8_t bits_;
};
static_assert(sizeof(int4b_t) == 1 && std::is_trivial<int4b_t>::value, "int4b_t is a byte of plain data");

inline float ToFloat(const bfloat16_t& x) { return hostcann::BitsFloat(static_cast<uint32_t>(x.Bits()) << 16); }

inline bfloat16_t ToBfloat16(const float& x) { return bfloat16_t::FromBits(hostcann::FloatToBfloat16Bits(x)); }

// A device compiler makes a bfloat16_t of these, which kernels rely on in branches that their type never takes.
inline float ToFloat(const half& x) { return ToFloat(ToBfloat16(static_cast<float>(x))); }
inline float ToFloat(const float& x) { return ToFloat(ToBfloat16(x)); }

} // namespace AscendC

// A2 has no complex types, but DTYPE_X is complex64 where the operator's definition lists DT_COMPLEX64, and kernels
// look at its size. Sources that have a type of that name are compiled without these.
#ifdef HOSTCANN_COMPLEX_TYPES
struct complex32 {
    half real;
    half imag;
};
struct complex64 {
    float real;
    float imag;
};
#endif

#endif // HOSTCANN_ASCENDC_KERNEL_SCALAR_TYPES_H
