// Every public header of this library compiles alone.
#include <cstdlib>
#include <filesystem>
#include <string>
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
    size_t headers = 0;
    for (const char* folder : {"aclnn", "aclnnop", "aclnn_kernels", "level0"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            if (entry.path().extension() != ".h") {
                continue;
            }
            ++headers;
            const std::string include = std::filesystem::relative(entry.path(), root).string();
            // Included from another file: a header compiled as the main file warns about its own #pragma once.
            const int status = std::system(("echo '#include \"" + include + "\"' | " + command + " -").c_str());
            EXPECT_EQ(status, 0) << include;
        }
    }
    EXPECT_TRUE(headers > 25);
}
