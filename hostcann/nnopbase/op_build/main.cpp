// op_build <def plugin .so> <outdir>: writes aic-<soc>-ops-info.ini for every soc the plugin's op definitions name and,
// unless OPS_ACLNN_GEN is 0, the generated interface <OPS_PROJECT_NAME>_<op>.{h,cpp} of every op, and the prototypes of
// all of them, op_proto.{h,cc}, unless OPS_PROTO_SEPARATE is 1.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "../gert/aclnn_source.h"
#include "../gert/op_def_access.h"
#include "../gert/op_info_ini.h"
#include "../gert/proto_source.h"

namespace {
int Fail(const std::string& text)
{
    std::fprintf(stderr, "op_build: error: %s\n", text.c_str());
    return 1;
}

bool Write(const std::string& path, const std::string& text)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    return !file.fail();
}
std::string Environment(const char* name, const char* otherwise)
{
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? otherwise : value;
}

int WriteInterfaces(const std::vector<ops::OpDef>& defs, const std::string& outdir)
{
    const std::string project = Environment("OPS_PROJECT_NAME", "aclnn");
    std::vector<std::string> errors;
    for (const ops::OpDef& def : defs) {
        for (const ops::AclnnSource& source : ops::MakeAclnnSources(def, project, errors)) {
            const std::string path = outdir + "/" + source.stem;
            if (errors.empty() && !(Write(path + ".h", source.header) && Write(path + ".cpp", source.source))) {
                errors.push_back("'" + path +
                                 ".{h,cpp}' cannot be written: does the directory exist and is it writable?");
            }
        }
    }
    for (const std::string& error : errors) {
        (void)Fail(error);
    }
    return errors.empty() ? 0 : 1;
}
} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        return Fail("usage: op_build <def plugin .so> <outdir>");
    }
    const std::string plugin = argv[1];
    const std::string outdir = argv[2];
    // A bare file name would be searched in the library path instead of the current directory.
    const std::string path = plugin.find('/') == std::string::npos ? "./" + plugin : plugin;
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
        const char* reason = dlerror();
        return Fail("plugin '" + plugin + "' cannot be loaded: " + (reason == nullptr ? "no reason given" : reason));
    }
    const std::vector<ops::OpDef> defs = ops::OpDefAccess::CreateAll();
    if (defs.empty()) {
        return Fail("plugin '" + plugin + "' defines no op: is OP_ADD(OpType) in its *_def.cpp?");
    }
    const ops::OpInfoIni ini = ops::MakeOpInfoIni(defs);
    if (!ini.errors.empty()) {
        for (const std::string& error : ini.errors) {
            (void)Fail(error);
        }
        return 1;
    }
    for (const auto& [soc, text] : ini.text_of_soc) {
        const std::string file = outdir + "/aic-" + soc + "-ops-info.ini";
        if (!Write(file, text)) {
            return Fail("'" + file + "' cannot be written: does the directory exist and is it writable?");
        }
    }
    // Projects of several directories have a header of their own for each operator.
    if (Environment("OPS_PROTO_SEPARATE", "0") != "1") {
        const std::string proto = outdir + "/op_proto";
        if (!Write(proto + ".h", ops::MakeProtoHeader(defs)) || !Write(proto + ".cc", ops::MakeProtoSource())) {
            return Fail("'" + proto + ".{h,cc}' cannot be written: does the directory exist and is it writable?");
        }
    }
    return Environment("OPS_ACLNN_GEN", "1") == "0" ? 0 : WriteInterfaces(defs, outdir);
}
