// Every public header of this library compiles alone.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

TEST(OpdevHeaders, HeadersAreSelfContained)
{
    const std::filesystem::path root = HOSTCANN_TEST_INCLUDE_ROOT;
    std::string
        command = std::string(HOSTCANN_TEST_COMPILER) +
                  " -std=c++17 -D_GLIBCXX_USE_CXX11_ABI=0 -fsyntax-only -Wall -Wextra -Wshadow -Wformat=2 -Werror"
                  " -x c++";
    for (const char* folder : {"", "aclnn", "aclnnop", "exe_graph", "tiling", "op_common", "op_common/op_host"}) {
        command += " -I '" + (root / folder).string() + "'";
    }
    std::vector<std::string> includes;
    for (const char* folder : {"aclnn", "aclnnop", "aclnn_kernels"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            if (entry.path().extension() != ".h") {
                continue;
            }
            includes.push_back(std::filesystem::relative(entry.path(), root).string());
        }
    }
    includes.emplace_back("hostcann/l0_functions.h");
    EXPECT_TRUE(includes.size() > 25);

    // A compiler for each processor.
    std::vector<int> statuses(includes.size(), -1);
    std::atomic<size_t> next{0};
    const auto work = [&] {
        for (size_t at = next++; at < includes.size(); at = next++) {
            // Included from another file: a header compiled as the main file warns about its own #pragma once.
            statuses[at] = std::system(("echo '#include \"" + includes[at] + "\"' | " + command + " -").c_str());
        }
    };
    std::vector<std::thread> workers;
    for (unsigned count = std::max(1U, std::thread::hardware_concurrency()); count > 0; --count) {
        workers.emplace_back(work);
    }
    for (std::thread& worker : workers) {
        worker.join();
    }
    for (size_t at = 0; at < includes.size(); ++at) {
        EXPECT_EQ(statuses[at], 0) << includes[at];
    }
}
