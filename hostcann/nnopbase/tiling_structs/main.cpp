// tiling_structs <op host library> <OpType> <header>: writes the kernel's view of tiling data that was described with
// BEGIN_TILING_DATA_DEF and registered for the op type; an empty file when there is none.
#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "../gert/tiling_struct_source.h"

namespace {
int Fail(const std::string& text)
{
    std::fprintf(stderr, "tiling_structs: error: %s\n", text.c_str());
    return 1;
}
} // namespace

int main(int argc, char** argv)
{
    if (argc != 4) {
        return Fail("usage: tiling_structs <op host library> <OpType> <header>");
    }
    if (dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        const char* reason = dlerror();
        return Fail("'" + std::string(argv[1]) + "' cannot be loaded: " + (reason == nullptr ? "no reason" : reason));
    }
    std::string error;
    const std::string text = optiling::TilingStructSource(argv[2], error);
    if (!error.empty()) {
        return Fail(error);
    }
    std::ofstream file(argv[3], std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    return file.fail() ? Fail("'" + std::string(argv[3]) + "' cannot be written") : 0;
}
