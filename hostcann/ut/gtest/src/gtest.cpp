#include "gtest/gtest.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace testing {
namespace {
struct Options {
    std::string filter = "*";
    bool list = false;
    bool runDisabled = false;
};

Options& Asked()
{
    static Options options;
    return options;
}

// What the running test has reported.
struct State {
    size_t fatal = 0;
    size_t nonFatal = 0;
    bool skipped = false;
    std::vector<std::string> traces;
};

State& Current()
{
    static State state;
    return state;
}

struct Expansion {
    std::string suite;
    std::function<bool()> expand;
};

std::vector<Expansion>& Expansions()
{
    static std::vector<Expansion> expansions;
    return expansions;
}

std::vector<std::string>& Uninstantiated()
{
    static std::vector<std::string> allowed;
    return allowed;
}

[[noreturn]] void Die(const std::string& text)
{
    std::fprintf(stderr, "%s\n", text.c_str());
    std::exit(2);
}

// '*' any text, '?' one character.
bool Matches(const char* pattern, const char* text)
{
    if (*pattern == 0) {
        return *text == 0;
    }
    if (*pattern == '*') {
        return Matches(pattern + 1, text) || (*text != 0 && Matches(pattern, text + 1));
    }
    return *text != 0 && (*pattern == '?' || *pattern == *text) && Matches(pattern + 1, text + 1);
}

bool MatchesAny(const std::string& patterns, const std::string& name)
{
    size_t begin = 0;
    while (begin <= patterns.size()) {
        const size_t end = std::min(patterns.find(':', begin), patterns.size());
        if (Matches(patterns.substr(begin, end - begin).c_str(), name.c_str())) {
            return true;
        }
        begin = end + 1;
    }
    return false;
}

// Wanted patterns, then '-' and unwanted ones.
bool IsWanted(const std::string& suite, const std::string& test)
{
    const auto disabled = [](const std::string& name) {
        return name.rfind("DISABLED_", 0) == 0 || name.find("/DISABLED_") != std::string::npos;
    };
    if (!Asked().runDisabled && (disabled(suite) || disabled(test))) {
        return false;
    }
    const std::string& filter = Asked().filter;
    const size_t minus = filter.find('-');
    const std::string positive = filter.substr(0, minus);
    const std::string name = suite + "." + test;
    if (!MatchesAny(positive.empty() ? "*" : positive, name)) {
        return false;
    }
    return minus == std::string::npos || !MatchesAny(filter.substr(minus + 1), name);
}

long long Now()
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string Plural(size_t count, const char* what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void Report(const char* file, int line, const std::string& text)
{
    std::fflush(stderr);
    std::printf("%s:%d: Failure\n%s\n", file, line, text.c_str());
    for (auto trace = Current().traces.rbegin(); trace != Current().traces.rend(); ++trace) {
        std::printf("%s\n", trace->c_str());
    }
    std::printf("\n");
    std::fflush(stdout);
}

// Runs a step of a test; an exception is a fatal failure.
template <typename Step>
void Guard(const char* what, const Step& step)
{
    try {
        step();
    } catch (...) {
        Current().fatal++;
        Report("unknown file", 0,
               "C++ exception thrown in " + std::string(what) + ": " + internal::CurrentExceptionText());
    }
}

} // namespace

class TestRegistrar {
public:
    static void Add(const std::string& suite, const std::string& name, const char* file, int line,
                    internal::Factory make, std::function<void()> setUpSuite, std::function<void()> tearDownSuite)
    {
        for (const TestInfo& known : UnitTest::GetInstance()->tests_) {
            if (known.suite_ == suite && known.name_ == name) {
                Die(std::string(file) + ":" + std::to_string(line) + ": test " + suite + "." + name +
                    " is already defined at " + known.file_ + ":" + std::to_string(known.line_) +
                    ". Rename one of them");
            }
        }
        TestInfo test;
        test.suite_ = suite;
        test.name_ = name;
        test.file_ = file;
        test.line_ = line;
        test.make_ = std::move(make);
        test.setUpSuite_ = std::move(setUpSuite);
        test.tearDownSuite_ = std::move(tearDownSuite);
        UnitTest::GetInstance()->tests_.push_back(std::move(test));
    }
};

bool Test::HasFatalFailure() { return Current().fatal != 0; }
bool Test::HasNonfatalFailure() { return Current().nonFatal != 0; }
bool Test::IsSkipped() { return Current().skipped; }

UnitTest* UnitTest::GetInstance()
{
    static UnitTest unitTest;
    return &unitTest;
}

Environment* UnitTest::AddEnvironment(Environment* environment)
{
    environments_.emplace_back(environment);
    return environment;
}

bool UnitTest::RunOne(const TestInfo& test)
{
    const std::string name = test.suite_ + "." + test.name_;
    Current() = State();
    current_ = &test;
    ran_++;
    std::printf("[ RUN      ] %s\n", name.c_str());
    std::fflush(stdout);
    const long long begin = Now();
    std::unique_ptr<Test> object;
    Guard("the test fixture's constructor", [&] { object = test.make_(); });
    if (object != nullptr) {
        Guard("SetUp()", [&] { object->SetUp(); });
        if (!Test::HasFatalFailure() && !Test::IsSkipped()) {
            Guard("the test body", [&] { object->TestBody(); });
        }
        Guard("TearDown()", [&] { object->TearDown(); });
        Guard("the test fixture's destructor", [&] { object.reset(); });
    }
    const bool failed = Test::HasFailure();
    const bool skipped = !failed && Test::IsSkipped();
    std::printf("%s %s (%lld ms)\n",
                failed  ? "[  FAILED  ]" :
                skipped ? "[  SKIPPED ]" :
                          "[       OK ]",
                name.c_str(), Now() - begin);
    std::fflush(stdout);
    current_ = nullptr;
    (failed ? failed_ : skipped ? skipped_ : passed_).push_back(name);
    return !failed;
}

void UnitTest::RunSuite(const std::vector<const TestInfo*>& tests)
{
    const TestInfo& first = *tests.front();
    std::printf("[----------] %s from %s\n", Plural(tests.size(), "test").c_str(), first.test_suite_name());
    const long long begin = Now();
    Current() = State();
    Guard("SetUpTestSuite()", first.setUpSuite_);
    const bool ready = !Test::HasFailure();
    for (const TestInfo* test : tests) {
        if (ready) {
            RunOne(*test);
        } else {
            ran_++;
            failed_.push_back(test->suite_ + "." + test->name_);
        }
    }
    Current() = State();
    Guard("TearDownTestSuite()", first.tearDownSuite_);
    if (Test::HasFailure()) {
        failed_.push_back(first.suite_ + ".TearDownTestSuite");
    }
    std::printf("[----------] %s from %s (%lld ms total)\n\n", Plural(tests.size(), "test").c_str(),
                first.test_suite_name(), Now() - begin);
}

void UnitTest::Report(size_t suites, long long milliseconds) const
{
    std::printf("[==========] %s from %s ran. (%lld ms total)\n", Plural(ran_, "test").c_str(),
                Plural(suites, "test suite").c_str(), milliseconds);
    std::printf("[  PASSED  ] %s.\n", Plural(passed_.size(), "test").c_str());
    const auto names = [](const char* tag, const std::vector<std::string>& list) {
        if (!list.empty()) {
            std::printf("%s %s, listed below:\n", tag, Plural(list.size(), "test").c_str());
        }
        for (const std::string& name : list) {
            std::printf("%s %s\n", tag, name.c_str());
        }
    };
    names("[  SKIPPED ]", skipped_);
    names("[  FAILED  ]", failed_);
    std::printf("%zu passed, %zu failed\n", passed_.size(), failed_.size());
    std::fflush(stdout);
}

int UnitTest::Run()
{
    for (const Expansion& expansion : Expansions()) {
        const auto& allowed = Uninstantiated();
        if (!expansion.expand() && std::find(allowed.begin(), allowed.end(), expansion.suite) == allowed.end()) {
            Die("suite " + expansion.suite + " has TEST_P but no INSTANTIATE_TEST_SUITE_P");
        }
    }
    Expansions().clear();
    std::vector<std::vector<const TestInfo*>> suites; // in the order of their first tests
    size_t count = 0;
    for (const TestInfo& test : tests_) {
        if (!IsWanted(test.suite_, test.name_)) {
            continue;
        }
        count++;
        const auto same = [&](const auto& suite) { return suite.front()->suite_ == test.suite_; };
        const auto found = std::find_if(suites.begin(), suites.end(), same);
        if (found == suites.end()) {
            suites.push_back({&test});
        } else {
            found->push_back(&test);
        }
    }
    if (Asked().list) {
        for (const auto& suite : suites) {
            std::printf("%s.\n", suite.front()->test_suite_name());
            for (const TestInfo* test : suite) {
                std::printf("  %s\n", test->name());
            }
        }
        return 0;
    }
    if (Asked().filter != "*") {
        std::printf("Note: Google Test filter = %s\n", Asked().filter.c_str());
    }
    std::printf("[==========] Running %s from %s.\n", Plural(count, "test").c_str(),
                Plural(suites.size(), "test suite").c_str());
    const long long begin = Now();
    std::printf("[----------] Global test environment set-up.\n");
    Current() = State();
    for (const auto& environment : environments_) {
        Guard("the environment's SetUp()", [&] { environment->SetUp(); });
    }
    if (Test::HasFailure()) {
        failed_.push_back("global test environment");
    } else {
        for (const auto& suite : suites) {
            RunSuite(suite);
        }
    }
    std::printf("[----------] Global test environment tear-down\n");
    Current() = State();
    for (auto environment = environments_.rbegin(); environment != environments_.rend(); ++environment) {
        Guard("the environment's TearDown()", [&] { (*environment)->TearDown(); });
    }
    if (Test::HasFailure()) {
        failed_.push_back("global test environment tear-down");
    }
    Report(suites.size(), Now() - begin);
    return failed_.empty() ? 0 : 1;
}

void InitGoogleTest(int* argc, char** argv)
{
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        const std::string arg = argv[i];
        const std::string filter = "--gtest_filter=";
        if (arg.rfind(filter, 0) == 0) {
            Asked().filter = arg.substr(filter.size());
        } else if (arg == "--gtest_list_tests") {
            Asked().list = true;
        } else if (arg == "--gtest_also_run_disabled_tests") {
            Asked().runDisabled = true;
        } else if (arg.rfind("--gtest_", 0) == 0) {
            Die("option " + arg +
                " is not known here; there are --gtest_filter=, --gtest_list_tests and "
                "--gtest_also_run_disabled_tests");
        } else {
            argv[kept++] = argv[i];
        }
    }
    *argc = kept;
}

void InitGoogleTest() {}

ScopedTrace::ScopedTrace(const char* file, int line, const std::string& text)
{
    Current().traces.push_back("Google Test trace:\n" + std::string(file) + ":" + std::to_string(line) + ": " + text);
}

ScopedTrace::~ScopedTrace()
{
    if (!Current().traces.empty()) {
        Current().traces.pop_back();
    }
}

namespace internal {
bool AddTest(const std::string& suite, const std::string& name, const char* file, int line, Factory make,
             std::function<void()> setUpSuite, std::function<void()> tearDownSuite)
{
    TestRegistrar::Add(suite, name, file, line, std::move(make), std::move(setUpSuite), std::move(tearDownSuite));
    return true;
}

void AddExpansion(const std::string& suite, std::function<bool()> expand)
{
    Expansions().push_back({suite, std::move(expand)});
}

bool AllowUninstantiated(const char* suite)
{
    Uninstantiated().push_back(suite);
    return true;
}

void AssertHelper::operator=(const Message& message) const
{
    const std::string more = message.GetString();
    if (severity_ == Severity::SKIP) {
        Current().skipped = true;
        std::printf("%s:%d: Skipped\n%s\n", file_, line_, more.c_str());
        return;
    }
    (severity_ == Severity::FATAL ? Current().fatal : Current().nonFatal)++;
    Report(file_, line_, more.empty() ? text_ : text_ + "\n" + more);
}

size_t FatalFailures() { return Current().fatal; }
} // namespace internal
} // namespace testing
