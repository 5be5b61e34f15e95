// EXPECT_x goes on after a failure, ASSERT_x leaves the function.
#ifndef HOSTCANN_UT_GTEST_EXPECT_H
#define HOSTCANN_UT_GTEST_EXPECT_H

#include <cstddef>
#include <string>
#include <type_traits>

#include "gtest/detail/print.h"
#include "gtest/detail/registry.h"

namespace testing {
namespace internal {
std::string CompareText(const char* relation, const char* left, const char* right, const std::string& leftValue,
                        const std::string& rightValue);

#define GTEST_COMPARE_(name, op)                                                                        \
    template <typename A, typename B>                                                                   \
    AssertionResult name(const char* left, const char* right, const A& a, const B& b)                   \
    {                                                                                                   \
        if (a op b) {                                                                                   \
            return AssertionSuccess();                                                                  \
        }                                                                                               \
        return AssertionFailure() << CompareText(#op, left, right, PrintToString(a), PrintToString(b)); \
    }
GTEST_COMPARE_(CompareEq, ==)
GTEST_COMPARE_(CompareNe, !=)
GTEST_COMPARE_(CompareLt, <)
GTEST_COMPARE_(CompareLe, <=)
GTEST_COMPARE_(CompareGt, >)
GTEST_COMPARE_(CompareGe, >=)
#undef GTEST_COMPARE_

AssertionResult CompareStrings(const char* left, const char* right, const char* a, const char* b, bool equal,
                               bool ignoreCase);
// Equal within 4 units in the last place; NaN equals nothing.
AssertionResult CompareFloats(const char* left, const char* right, float a, float b);
AssertionResult CompareDoubles(const char* left, const char* right, double a, double b);
AssertionResult CompareNear(const char* left, const char* right, double a, double b, double bound);

template <typename T>
AssertionResult IsTrue(const char* text, const T& value, bool expected)
{
    if (static_cast<bool>(value) == expected) {
        return AssertionSuccess();
    }
    AssertionResult result = AssertionFailure();
    result << "Value of: " << text << "\n  Actual: " << (expected ? "false" : "true");
    if constexpr (std::is_same_v<T, AssertionResult>) {
        if (*value.message() != 0) {
            result << " (" << value.message() << ")";
        }
    }
    return result << "\nExpected: " << (expected ? "true" : "false");
}

enum class Throws { THIS, ANY, NOTHING };

template <typename Exception>
bool IsCurrentException()
{
    if constexpr (!std::is_void_v<Exception>) {
        try {
            throw;
        } catch (const std::remove_reference_t<Exception>&) {
            return true;
        } catch (...) {
            return false;
        }
    }
    return false;
}

// " with text" of the exception that is being handled, or that it has none.
std::string CurrentExceptionText();
AssertionResult ThrowFailure(const char* statement, const char* type, Throws wanted, const std::string& actual);

// Exception is void for the macros without a type.
template <typename Exception, typename Statement>
AssertionResult CheckThrow(const char* statement, const char* type, Throws wanted, const Statement& run)
{
    try {
        run();
    } catch (...) {
        if (wanted == Throws::ANY || IsCurrentException<Exception>()) {
            return AssertionSuccess();
        }
        return ThrowFailure(statement, type, wanted, CurrentExceptionText());
    }
    return wanted == Throws::NOTHING ? AssertionSuccess() : ThrowFailure(statement, type, wanted, "nothing");
}

// Fatal failures in the running test so far.
size_t FatalFailures();
} // namespace internal
} // namespace testing

#define GTEST_REPORT_(severity, text)                                                              \
    ::testing::internal::AssertHelper(::testing::internal::Severity::severity, __FILE__, __LINE__, \
                                      text) = ::testing::Message()
#define GTEST_NONFATAL_(text) GTEST_REPORT_(NON_FATAL, text)
#define GTEST_FATAL_(text) return GTEST_REPORT_(FATAL, text)

// `switch` keeps an `else` of the caller away from this `if`.
#define GTEST_CHECK_(result, fail)                                  \
    switch (0)                                                      \
    case 0:                                                         \
    default:                                                        \
        if (const ::testing::AssertionResult gtest_result = result) \
            ;                                                       \
        else                                                        \
            fail(gtest_result.failure_message())

#define ADD_FAILURE() GTEST_NONFATAL_("Failed")
#define FAIL() GTEST_FATAL_("Failed")
#define GTEST_FAIL() FAIL()
#define SUCCEED() static_cast<void>(0), ::testing::Message()
#define GTEST_SKIP() return GTEST_REPORT_(SKIP, "")
#define SCOPED_TRACE(message) \
    const ::testing::ScopedTrace GTEST_JOIN_(gtest_trace_, __LINE__)(__FILE__, __LINE__, (message))
#define GTEST_JOIN_(a, b) GTEST_JOIN_NOW_(a, b)
#define GTEST_JOIN_NOW_(a, b) a##b

#define GTEST_RELATION_(name, a, b, fail) GTEST_CHECK_(::testing::internal::name(#a, #b, a, b), fail)
#define EXPECT_EQ(a, b) GTEST_RELATION_(CompareEq, a, b, GTEST_NONFATAL_)
#define EXPECT_NE(a, b) GTEST_RELATION_(CompareNe, a, b, GTEST_NONFATAL_)
#define EXPECT_LT(a, b) GTEST_RELATION_(CompareLt, a, b, GTEST_NONFATAL_)
#define EXPECT_LE(a, b) GTEST_RELATION_(CompareLe, a, b, GTEST_NONFATAL_)
#define EXPECT_GT(a, b) GTEST_RELATION_(CompareGt, a, b, GTEST_NONFATAL_)
#define EXPECT_GE(a, b) GTEST_RELATION_(CompareGe, a, b, GTEST_NONFATAL_)
#define ASSERT_EQ(a, b) GTEST_RELATION_(CompareEq, a, b, GTEST_FATAL_)
#define ASSERT_NE(a, b) GTEST_RELATION_(CompareNe, a, b, GTEST_FATAL_)
#define ASSERT_LT(a, b) GTEST_RELATION_(CompareLt, a, b, GTEST_FATAL_)
#define ASSERT_LE(a, b) GTEST_RELATION_(CompareLe, a, b, GTEST_FATAL_)
#define ASSERT_GT(a, b) GTEST_RELATION_(CompareGt, a, b, GTEST_FATAL_)
#define ASSERT_GE(a, b) GTEST_RELATION_(CompareGe, a, b, GTEST_FATAL_)

#define EXPECT_FLOAT_EQ(a, b) GTEST_RELATION_(CompareFloats, a, b, GTEST_NONFATAL_)
#define ASSERT_FLOAT_EQ(a, b) GTEST_RELATION_(CompareFloats, a, b, GTEST_FATAL_)
#define EXPECT_DOUBLE_EQ(a, b) GTEST_RELATION_(CompareDoubles, a, b, GTEST_NONFATAL_)
#define ASSERT_DOUBLE_EQ(a, b) GTEST_RELATION_(CompareDoubles, a, b, GTEST_FATAL_)
#define EXPECT_NEAR(a, b, bound) GTEST_CHECK_(::testing::internal::CompareNear(#a, #b, a, b, bound), GTEST_NONFATAL_)
#define ASSERT_NEAR(a, b, bound) GTEST_CHECK_(::testing::internal::CompareNear(#a, #b, a, b, bound), GTEST_FATAL_)

#define GTEST_STRING_(a, b, equal, ignoreCase, fail) \
    GTEST_CHECK_(::testing::internal::CompareStrings(#a, #b, a, b, equal, ignoreCase), fail)
#define EXPECT_STREQ(a, b) GTEST_STRING_(a, b, true, false, GTEST_NONFATAL_)
#define EXPECT_STRNE(a, b) GTEST_STRING_(a, b, false, false, GTEST_NONFATAL_)
#define EXPECT_STRCASEEQ(a, b) GTEST_STRING_(a, b, true, true, GTEST_NONFATAL_)
#define ASSERT_STREQ(a, b) GTEST_STRING_(a, b, true, false, GTEST_FATAL_)
#define ASSERT_STRNE(a, b) GTEST_STRING_(a, b, false, false, GTEST_FATAL_)
#define ASSERT_STRCASEEQ(a, b) GTEST_STRING_(a, b, true, true, GTEST_FATAL_)

#define EXPECT_TRUE(value) GTEST_CHECK_(::testing::internal::IsTrue(#value, value, true), GTEST_NONFATAL_)
#define EXPECT_FALSE(value) GTEST_CHECK_(::testing::internal::IsTrue(#value, value, false), GTEST_NONFATAL_)
#define ASSERT_TRUE(value) GTEST_CHECK_(::testing::internal::IsTrue(#value, value, true), GTEST_FATAL_)
#define ASSERT_FALSE(value) GTEST_CHECK_(::testing::internal::IsTrue(#value, value, false), GTEST_FATAL_)

#define GTEST_THROW_(statement, type, name, wanted, fail)                                                     \
    GTEST_CHECK_(::testing::internal::CheckThrow<type>(#statement, name, ::testing::internal::Throws::wanted, \
                                                       [&] { statement; }),                                   \
                 fail)
#define EXPECT_THROW(statement, type) GTEST_THROW_(statement, type, #type, THIS, GTEST_NONFATAL_)
#define ASSERT_THROW(statement, type) GTEST_THROW_(statement, type, #type, THIS, GTEST_FATAL_)
#define EXPECT_ANY_THROW(statement) GTEST_THROW_(statement, void, "", ANY, GTEST_NONFATAL_)
#define ASSERT_ANY_THROW(statement) GTEST_THROW_(statement, void, "", ANY, GTEST_FATAL_)
#define EXPECT_NO_THROW(statement) GTEST_THROW_(statement, void, "", NOTHING, GTEST_NONFATAL_)
#define ASSERT_NO_THROW(statement) GTEST_THROW_(statement, void, "", NOTHING, GTEST_FATAL_)

#define GTEST_NO_FATAL_(statement, fail)                                                                              \
    GTEST_CHECK_(([&]() -> ::testing::AssertionResult {                                                               \
                     const size_t gtest_before = ::testing::internal::FatalFailures();                                \
                     static_cast<void>([&] { statement; }());                                                         \
                     return ::testing::AssertionResult(::testing::internal::FatalFailures() == gtest_before)          \
                            << "Expected: " #statement " doesn't generate new fatal failures in the current thread."; \
                 }()),                                                                                                \
                 fail)
#define EXPECT_NO_FATAL_FAILURE(statement) GTEST_NO_FATAL_(statement, GTEST_NONFATAL_)
#define ASSERT_NO_FATAL_FAILURE(statement) GTEST_NO_FATAL_(statement, GTEST_FATAL_)

#endif // HOSTCANN_UT_GTEST_EXPECT_H
