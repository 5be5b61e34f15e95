// Comparisons and the texts of their failures.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <strings.h>

#include "gtest/gtest.h"

namespace testing {
namespace internal {
std::string CompareText(const char* relation, const char* left, const char* right, const std::string& leftValue,
                        const std::string& rightValue)
{
    const auto side = [](const char* expression, const std::string& value) {
        return value == expression ? std::string() : "\n    Which is: " + value;
    };
    if (std::strcmp(relation, "==") == 0) {
        return "Expected equality of these values:\n  " + std::string(left) + side(left, leftValue) + "\n  " + right +
               side(right, rightValue);
    }
    return "Expected: (" + std::string(left) + ") " + relation + " (" + right + "), actual: " + leftValue + " vs " +
           rightValue;
}

AssertionResult CompareStrings(const char* left, const char* right, const char* a, const char* b, bool equal,
                               bool ignoreCase)
{
    const bool bothNull = a == nullptr && b == nullptr;
    const bool noneNull = a != nullptr && b != nullptr;
    const bool same = bothNull || (noneNull && (ignoreCase ? strcasecmp(a, b) : std::strcmp(a, b)) == 0);
    if (same == equal) {
        return AssertionSuccess();
    }
    return AssertionFailure() << CompareText(equal ? "==" : "!=", left, right, PrintToString(a), PrintToString(b));
}

template <typename T, typename Bits>
static AssertionResult CompareReal(const char* left, const char* right, T a, T b)
{
    constexpr uint64_t MAX_ULPS = 4;
    Bits bitsA = 0;
    Bits bitsB = 0;
    std::memcpy(&bitsA, &a, sizeof(a));
    std::memcpy(&bitsB, &b, sizeof(b));
    constexpr Bits SIGN = Bits(1) << (sizeof(Bits) * 8 - 1);
    // Places on one line through both signs, -0 and +0 at one place.
    const auto place = [](Bits bits) {
        return (bits & SIGN) != 0 ? static_cast<Bits>(~bits + 1) : static_cast<Bits>(bits | SIGN);
    };
    const Bits placeA = place(bitsA);
    const Bits placeB = place(bitsB);
    const uint64_t distance = placeA > placeB ? placeA - placeB : placeB - placeA;
    if (!std::isnan(a) && !std::isnan(b) && distance <= MAX_ULPS) {
        return AssertionSuccess();
    }
    return AssertionFailure() << CompareText("==", left, right, PrintToString(a), PrintToString(b));
}

AssertionResult CompareFloats(const char* left, const char* right, float a, float b)
{
    return CompareReal<float, uint32_t>(left, right, a, b);
}

AssertionResult CompareDoubles(const char* left, const char* right, double a, double b)
{
    return CompareReal<double, uint64_t>(left, right, a, b);
}

AssertionResult CompareNear(const char* left, const char* right, double a, double b, double bound)
{
    const double difference = std::fabs(a - b);
    if (a == b || difference <= bound) {
        return AssertionSuccess();
    }
    return AssertionFailure() << "The difference between " << left << " and " << right << " is "
                              << PrintToString(difference) << ", which exceeds " << PrintToString(bound) << ", where\n"
                              << left << " evaluates to " << PrintToString(a) << " and\n"
                              << right << " evaluates to " << PrintToString(b) << ".";
}

std::string CurrentExceptionText()
{
    try {
        throw;
    } catch (const std::exception& error) {
        return std::string("an exception with text \"") + error.what() + "\"";
    } catch (...) {
        return "something that is no std::exception";
    }
}

AssertionResult ThrowFailure(const char* statement, const char* type, Throws wanted, const std::string& actual)
{
    std::string expected = " throws an exception of type " + std::string(type);
    if (wanted != Throws::THIS) {
        expected = wanted == Throws::ANY ? " throws an exception" : " doesn't throw an exception";
    }
    return AssertionFailure() << "Expected: " << statement << expected << ".\n  Actual: it throws " << actual << ".";
}

void PrintBytes(std::ostream& out, const void* data, size_t size)
{
    constexpr size_t MOST = 64;
    out << size << "-byte object <";
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < std::min(size, MOST); i++) {
        char text[4];
        std::snprintf(text, sizeof(text), "%02X", bytes[i]);
        out << (i == 0 ? "" : "-") << text;
    }
    out << (size > MOST ? "...>" : ">");
}

void PrintText(std::ostream& out, const char* text)
{
    if (text == nullptr) {
        out << "NULL";
    } else {
        out << '"' << text << '"';
    }
}
} // namespace internal
} // namespace testing
