// Runs the cases whose name contains the first argument (all without one).
#include <cstdio>
#include <cstring>
#include <exception>

#include "check.h"

namespace check {
namespace {
const char* running = "";
bool running_failed = false;
} // namespace

std::vector<Case>& Cases()
{
    static std::vector<Case> cases;
    return cases;
}

void Fail(const char* file, int line, const std::string& text)
{
    running_failed = true;
    const char* slash = std::strrchr(file, '/');
    std::printf("FAIL %s (%s:%d): %s\n", running, slash == nullptr ? file : slash + 1, line, text.c_str());
}
} // namespace check

int main(int argc, char** argv)
{
    int passed = 0;
    int failed = 0;
    for (const check::Case& test : check::Cases()) {
        if (argc > 1 && std::strstr(test.name, argv[1]) == nullptr) {
            continue;
        }
        check::running = test.name;
        check::running_failed = false;
        try {
            test.run();
        } catch (const std::exception& error) {
            check::Fail(__FILE__, __LINE__, std::string("exception: ") + error.what());
        }
        (check::running_failed ? failed : passed) += 1;
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
