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

// Projects of older templates compile their definitions, tiling functions and plugins so.
TEST(OpdevHeaders, HeadersOfDefinitionsAreCpp11)
{
    const std::string root = HOSTCANN_TEST_INCLUDE_ROOT;
    std::string text;
    for (const char* header :
         {"register/op_def_registry.h", "register/tilingdata_base.h", "register/register.h",
          "register/register_types.h", "register/device_op_impl_registry.h", "tiling/tiling_api.h",
          "tiling/platform/platform_ascendc.h", "ascendc/host_api/tiling/template_argument.h",
          "graph/utils/type_utils.h", "hostcann/individual_op.h", "acl/acl.h", "aclnn/acl_meta.h"}) {
        text += std::string("#include <") + header + ">\n";
    }
    const std::string command = "printf '%s' '" + text + "' | " + HOSTCANN_TEST_COMPILER +
                                " -std=c++11 -D_GLIBCXX_USE_CXX11_ABI=0 -fsyntax-only -Wall -Werror -x c++ -I '" +
                                root + "' -";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
}
