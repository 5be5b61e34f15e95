// Tests, fixtures and the run over all of them.
#ifndef HOSTCANN_UT_GTEST_REGISTRY_H
#define HOSTCANN_UT_GTEST_REGISTRY_H

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/detail/print.h"

namespace testing {
class Environment {
public:
    virtual ~Environment() = default;
    virtual void SetUp() {}
    virtual void TearDown() {}
};

class Test {
public:
    virtual ~Test() = default;
    Test(const Test&) = delete;
    Test& operator=(const Test&) = delete;

    // A fixture hides the one of each pair that it needs.
    static void SetUpTestSuite() {}
    static void TearDownTestSuite() {}
    static void SetUpTestCase() {}
    static void TearDownTestCase() {}

    // About the running test.
    static bool HasFatalFailure();
    static bool HasNonfatalFailure();
    static bool HasFailure() { return HasFatalFailure() || HasNonfatalFailure(); }
    static bool IsSkipped();

protected:
    Test() = default;
    virtual void SetUp() {}
    virtual void TearDown() {}

private:
    friend class UnitTest;
    virtual void TestBody() = 0;
    void Run(); // GoogleTest has one: a test that calls a function of this name does not build there, nor here
};

class TestInfo {
public:
    const char* test_suite_name() const { return suite_.c_str(); }
    const char* test_case_name() const { return suite_.c_str(); }
    const char* name() const { return name_.c_str(); }
    const char* file() const { return file_; }
    int line() const { return line_; }

private:
    friend class UnitTest;
    friend class TestRegistrar;
    std::string suite_;
    std::string name_;
    const char* file_ = "";
    int line_ = 0;
    std::function<std::unique_ptr<Test>()> make_;
    std::function<void()> setUpSuite_;
    std::function<void()> tearDownSuite_;
};

class UnitTest {
public:
    static UnitTest* GetInstance();
    // nullptr outside of a test.
    const TestInfo* current_test_info() const { return current_; }
    Environment* AddEnvironment(Environment* environment); // takes it over
    // 0 when every test that the filter lets through has passed.
    int Run();

private:
    friend class TestRegistrar;
    UnitTest() = default;
    bool RunOne(const TestInfo& test);
    void RunSuite(const std::vector<const TestInfo*>& tests);
    void Report(size_t suites, long long milliseconds) const;

    std::vector<TestInfo> tests_;
    std::vector<std::unique_ptr<Environment>> environments_;
    const TestInfo* current_ = nullptr;
    size_t ran_ = 0;
    std::vector<std::string> passed_;
    std::vector<std::string> failed_;
    std::vector<std::string> skipped_;
};

inline Environment* AddGlobalTestEnvironment(Environment* environment)
{
    return UnitTest::GetInstance()->AddEnvironment(environment);
}

// Takes --gtest_filter=, --gtest_list_tests and --gtest_also_run_disabled_tests out of the arguments.
void InitGoogleTest(int* argc, char** argv);
void InitGoogleTest();

namespace internal {
using Factory = std::function<std::unique_ptr<Test>()>;

// Adds one test; false never comes back, a second test of one name ends the program.
bool AddTest(const std::string& suite, const std::string& name, const char* file, int line, Factory make,
             std::function<void()> setUpSuite, std::function<void()> tearDownSuite);

// Derives, because fixtures keep these functions protected.
template <typename Fixture>
class SuiteAccess : public Fixture {
public:
    static void SetUpAll()
    {
        Fixture::SetUpTestSuite();
        Fixture::SetUpTestCase();
    }
    static void TearDownAll()
    {
        Fixture::TearDownTestSuite();
        Fixture::TearDownTestCase();
    }
};

template <typename T, typename Fixture>
bool RegisterTest(const char* suite, const char* name, const char* file, int line)
{
    return AddTest(
        suite, name, file, line, [] { return std::unique_ptr<Test>(new T); }, SuiteAccess<Fixture>::SetUpAll,
        SuiteAccess<Fixture>::TearDownAll);
}

enum class Severity { NON_FATAL, FATAL, SKIP };

// Reports what stands behind an expectation that does not hold: AssertHelper(...) = Message() << "text".
class AssertHelper {
public:
    AssertHelper(Severity severity, const char* file, int line, std::string text)
        : severity_(severity), file_(file), line_(line), text_(std::move(text))
    {
    }
    void operator=(const Message& message) const;

private:
    Severity severity_;
    const char* file_;
    int line_;
    std::string text_;
};
} // namespace internal

// A line in every failure message of the enclosing scope.
class ScopedTrace {
public:
    ScopedTrace(const char* file, int line, const std::string& text);
    template <typename T>
    ScopedTrace(const char* file, int line, const T& value) : ScopedTrace(file, line, (Message() << value).GetString())
    {
    }
    ScopedTrace(const ScopedTrace&) = delete;
    ScopedTrace& operator=(const ScopedTrace&) = delete;
    ~ScopedTrace();
};
} // namespace testing

#endif // HOSTCANN_UT_GTEST_REGISTRY_H
