// Values as text, for messages.
#ifndef HOSTCANN_UT_GTEST_PRINT_H
#define HOSTCANN_UT_GTEST_PRINT_H

#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <ostream>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace testing {
template <typename T>
std::string PrintToString(const T& value);

namespace internal {
template <typename T, typename = void>
struct HasPrintTo : std::false_type {};
template <typename T>
struct HasPrintTo<T, std::void_t<decltype(PrintTo(std::declval<const T&>(), std::declval<std::ostream*>()))>>
    : std::true_type {};

template <typename T, typename = void>
struct IsStreamable : std::false_type {};
template <typename T>
struct IsStreamable<T, std::void_t<decltype(std::declval<std::ostream&>() << std::declval<const T&>())>>
    : std::true_type {};

template <typename T, typename = void>
struct IsContainer : std::false_type {};
template <typename T>
struct IsContainer<
    T, std::void_t<decltype(std::begin(std::declval<const T&>())), decltype(std::end(std::declval<const T&>()))>>
    : std::true_type {};

template <typename T>
struct IsTuple : std::false_type {};
template <typename... Ts>
struct IsTuple<std::tuple<Ts...>> : std::true_type {};
template <typename A, typename B>
struct IsTuple<std::pair<A, B>> : std::true_type {};

template <typename T>
inline constexpr bool IsText = std::is_convertible_v<const T&, std::string> && !std::is_null_pointer_v<T>;

void PrintBytes(std::ostream& out, const void* data, size_t size);
void PrintText(std::ostream& out, const char* text);

template <typename T>
void PrintContainer(std::ostream& out, const T& values)
{
    constexpr size_t MOST = 32;
    size_t count = 0;
    out << "{";
    for (const auto& value : values) {
        if (count == MOST) {
            out << ", ...";
            break;
        }
        out << (count++ == 0 ? " " : ", ") << PrintToString(value);
    }
    out << " }";
}

template <typename T>
void PrintValue(std::ostream& out, const T& value)
{
    if constexpr (HasPrintTo<T>::value) {
        PrintTo(value, &out);
    } else if constexpr (std::is_same_v<T, bool>) {
        out << (value ? "true" : "false");
    } else if constexpr (std::is_null_pointer_v<T>) {
        out << "(nullptr)";
    } else if constexpr (std::is_pointer_v<T> && std::is_convertible_v<T, const char*>) {
        PrintText(out, value);
    } else if constexpr (IsText<T>) {
        PrintText(out, std::string(value).c_str());
    } else if constexpr (std::is_integral_v<T>) {
        out << +value; // 8-bit types as numbers
    } else if constexpr (std::is_floating_point_v<T>) {
        out << std::setprecision(std::numeric_limits<T>::max_digits10) << value;
    } else if constexpr (std::is_enum_v<T>) {
        out << +static_cast<std::underlying_type_t<T>>(value);
    } else if constexpr (IsContainer<T>::value) {
        PrintContainer(out, value);
    } else if constexpr (IsTuple<T>::value) {
        out << "(";
        std::apply(
            [&out](const auto&... item) {
                const char* comma = "";
                ((out << comma << PrintToString(item), comma = ", "), ...);
            },
            value);
        out << ")";
    } else if constexpr (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>) {
        out << reinterpret_cast<const void*>(value);
    } else if constexpr (IsStreamable<T>::value) {
        out << value;
    } else {
        PrintBytes(out, &value, sizeof(value));
    }
}
} // namespace internal

template <typename T>
std::string PrintToString(const T& value)
{
    std::ostringstream out;
    internal::PrintValue(out, value);
    return out.str();
}

// What is streamed behind an expectation.
class Message {
public:
    Message() = default;
    Message(const Message& other) : text_(other.text_) {}
    template <typename T>
    Message& operator<<(const T& value)
    {
        std::ostringstream out;
        if constexpr (internal::IsStreamable<T>::value) {
            out << std::boolalpha << value;
        } else {
            out << PrintToString(value);
        }
        text_ += out.str();
        return *this;
    }
    Message& operator<<(std::ostream& (*manipulator)(std::ostream&))
    {
        std::ostringstream out;
        out << manipulator;
        text_ += out.str();
        return *this;
    }
    std::string GetString() const { return text_; }

private:
    std::string text_;
};

class AssertionResult {
public:
    explicit AssertionResult(bool success) : success_(success) {}
    explicit operator bool() const { return success_; }
    AssertionResult operator!() const
    {
        AssertionResult negated(!success_);
        negated.message_ = message_;
        return negated;
    }
    const char* message() const { return message_.c_str(); }
    const char* failure_message() const { return message(); }
    template <typename T>
    AssertionResult& operator<<(const T& value)
    {
        message_ += (Message() << value).GetString();
        return *this;
    }

private:
    bool success_;
    std::string message_;
};

inline AssertionResult AssertionSuccess() { return AssertionResult(true); }
inline AssertionResult AssertionFailure() { return AssertionResult(false); }
} // namespace testing

#endif // HOSTCANN_UT_GTEST_PRINT_H
