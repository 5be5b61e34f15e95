// A small unit-test framework with the names of GoogleTest, enough for the unit tests of operators in upstream layout:
// tests, fixtures, value-parameterised tests, expectations, environments, filter and list. What is not here does not
// compile; nothing is accepted and ignored.
#ifndef HOSTCANN_UT_GTEST_H
#define HOSTCANN_UT_GTEST_H

#include "gtest/detail/print.h"
#include "gtest/detail/registry.h"
#include "gtest/detail/param.h"
#include "gtest/detail/expect.h"

#define GTEST_CLASS_NAME_(suite, name) suite##_##name##_Test

#define GTEST_TEST_(suite, name, fixture)                                                             \
    class GTEST_CLASS_NAME_(suite, name) : public fixture {                                           \
    private:                                                                                          \
        void TestBody() override;                                                                     \
        [[maybe_unused]] static const bool gtest_registered_;                                         \
    };                                                                                                \
    const bool GTEST_CLASS_NAME_(suite, name)::gtest_registered_ = ::testing::internal::RegisterTest< \
        GTEST_CLASS_NAME_(suite, name), fixture>(#suite, #name, __FILE__, __LINE__);                  \
    void GTEST_CLASS_NAME_(suite, name)::TestBody()

#define GTEST_TEST(suite, name) GTEST_TEST_(suite, name, ::testing::Test)
#define TEST(suite, name) GTEST_TEST(suite, name)
#define TEST_F(fixture, name) GTEST_TEST_(fixture, name, fixture)

#define TEST_P(fixture, name)                                                                                \
    class GTEST_CLASS_NAME_(fixture, name) : public fixture {                                                \
    private:                                                                                                 \
        void TestBody() override;                                                                            \
        [[maybe_unused]] static const bool gtest_registered_;                                                \
    };                                                                                                       \
    const bool GTEST_CLASS_NAME_(fixture, name)::gtest_registered_ = ::testing::internal::RegisterParamTest< \
        GTEST_CLASS_NAME_(fixture, name), fixture>(#fixture, #name, __FILE__, __LINE__);                     \
    void GTEST_CLASS_NAME_(fixture, name)::TestBody()

// INSTANTIATE_TEST_SUITE_P(prefix, fixture, generator[, function from TestParamInfo to a name])
#define INSTANTIATE_TEST_SUITE_P(prefix, fixture, ...)                                       \
    [[maybe_unused]] static const bool                                                       \
        gtest_##prefix##fixture##_instantiated_ = ::testing::internal::Instantiate<fixture>( \
            #prefix, #fixture, __FILE__, __LINE__, __VA_ARGS__)
#define INSTANTIATE_TEST_CASE_P INSTANTIATE_TEST_SUITE_P
#define GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(fixture) \
    [[maybe_unused]] static const bool gtest_##fixture##_allowed_ = ::testing::internal::AllowUninstantiated(#fixture)

#define RUN_ALL_TESTS() ::testing::UnitTest::GetInstance()->Run()

#endif // HOSTCANN_UT_GTEST_H
