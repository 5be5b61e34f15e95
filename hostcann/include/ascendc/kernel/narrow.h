// Integers that are narrower than what kernels put into them.
#ifndef HOSTCANN_ASCENDC_KERNEL_NARROW_H
#define HOSTCANN_ASCENDC_KERNEL_NARROW_H

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

#endif // HOSTCANN_ASCENDC_KERNEL_NARROW_H
