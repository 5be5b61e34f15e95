// A small test harness: HC_TEST(name) { CHECK(...); CHECK_EQ(got, wanted); }. A failed check is reported and the case
// goes on.
#ifndef HOSTCANN_NNOPBASE_TESTS_CHECK_H
#define HOSTCANN_NNOPBASE_TESTS_CHECK_H

#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace check {
struct Case {
    const char* name;
    void (*run)();
};

// Cases of all files, in link order.
std::vector<Case>& Cases();
// Reports a failed check of the running case.
void Fail(const char* file, int line, const std::string& text);

struct Registrar {
    Registrar(const char* name, void (*run)()) { Cases().push_back({name, run}); }
};

template <typename T, typename = void>
struct Printable : std::false_type {};
template <typename T>
struct Printable<T, decltype(void(std::declval<std::ostream&>() << std::declval<const T&>()))> : std::true_type {};

template <typename T>
std::string Show(const T& value)
{
    std::ostringstream text;
    if constexpr (std::is_enum<T>::value) {
        text << static_cast<int64_t>(value);
    } else if constexpr (std::is_same<T, bool>::value) {
        text << (value ? "true" : "false");
    } else if constexpr (std::is_same<T, uint8_t>::value || std::is_same<T, int8_t>::value) {
        text << static_cast<int>(value);
    } else if constexpr (std::is_null_pointer<T>::value) {
        text << "nullptr";
    } else if constexpr (Printable<T>::value) {
        text << value;
    } else {
        text << "(" << sizeof(T) << " bytes)";
    }
    return text.str();
}
template <typename T>
std::string Show(const std::vector<T>& values)
{
    std::string text = "[";
    for (size_t i = 0; i < values.size(); ++i) {
        text += (i == 0 ? "" : ", ") + Show(static_cast<T>(values[i]));
    }
    return text + "]";
}

// Integers of different type are compared by value.
template <typename A, typename B>
bool Same(const A& a, const B& b)
{
    if constexpr (std::is_integral<A>::value && std::is_integral<B>::value && !std::is_same<A, bool>::value &&
                  !std::is_same<B, bool>::value) {
        return (a < A{0}) == (b < B{0}) && static_cast<uint64_t>(a) == static_cast<uint64_t>(b);
    } else {
        return a == b;
    }
}

template <typename A, typename B>
void Equal(const char* file, int line, const char* text, const A& got, const B& wanted)
{
    if (!Same(got, wanted)) {
        Fail(file, line, std::string(text) + " is " + Show(got) + ", expected " + Show(wanted));
    }
}
} // namespace check

#define HC_TEST(name)                                                    \
    static void hc_test_##name();                                        \
    static const check::Registrar hc_case_##name(#name, hc_test_##name); \
    static void hc_test_##name()
#define CHECK(cond)                                             \
    do {                                                        \
        if (!(cond)) {                                          \
            check::Fail(__FILE__, __LINE__, #cond " is false"); \
        }                                                       \
    } while (0)
#define CHECK_EQ(got, wanted) check::Equal(__FILE__, __LINE__, #got, (got), (wanted))

#endif
