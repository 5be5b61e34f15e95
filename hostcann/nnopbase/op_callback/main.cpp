// op_callback <def plugin .so> <OpType> <description> <result>: calls what the op's definition gives to
// SetOpSelectFormat with an operator as described (gert/operator_content.h), and writes what comes back.
#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "../gert/op_def_access.h"
#include "../gert/operator_content.h"

namespace {
int Fail(const std::string& text)
{
    std::fprintf(stderr, "op_callback: error: %s\n", text.c_str());
    return 1;
}
} // namespace

int main(int argc, char** argv)
{
    if (argc != 5) {
        return Fail("usage: op_callback <def plugin .so> <OpType> <description> <result>");
    }
    if (dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) == nullptr) {
        const char* reason = dlerror();
        return Fail("'" + std::string(argv[1]) + "' cannot be loaded: " + (reason == nullptr ? "no reason" : reason));
    }
    const std::string type = argv[2];
    optiling::OP_CHECK_FUNC callback = nullptr;
    for (ops::OpDef& def : ops::OpDefAccess::CreateAll()) {
        if (ops::OpDefAccess::Type(def) == type) {
            callback = def.AICore().GetOpSelectFormat();
        }
    }
    if (callback == nullptr) {
        return Fail("the definition of " + type + " sets no function with SetOpSelectFormat");
    }
    std::ifstream described(argv[3], std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(described)), std::istreambuf_iterator<char>());
    if (!described.is_open()) {
        return Fail("'" + std::string(argv[3]) + "' cannot be read");
    }
    std::string error;
    const ge::Operator op = ge::OperatorOfText(type, text, error);
    if (!error.empty()) {
        return Fail(error);
    }
    ge::AscendString result;
    const ge::graphStatus status = callback(op, result);
    if (status != ge::GRAPH_SUCCESS) {
        return Fail("the function of SetOpSelectFormat returns " + std::to_string(status) + ", and with it '" +
                    result.GetString() + "'");
    }
    std::ofstream file(argv[4], std::ios::binary | std::ios::trunc);
    file << result.GetString();
    file.close();
    return file.fail() ? Fail("'" + std::string(argv[4]) + "' cannot be written") : 0;
}
