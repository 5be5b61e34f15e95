#include "tiling_struct_source.h"

#include <cstring>
#include <set>

#include "register/tilingdata_base.h"

namespace optiling {
namespace {
class Writer {
public:
    // False: a nested class is not registered.
    bool Add(const TilingDef& def, std::string& error)
    {
        const std::string name = def.GetTilingClassName();
        if (!written_.insert(name).second) {
            return true;
        }
        std::string body;
        for (const FieldInfo& field : def.GetFieldInfo()) {
            const std::string kind = field.classType_;
            if (kind == "2") {
                auto& factory = CTilingDataClassFactory::GetInstance();
                if (factory.CreateTilingDataInstance((std::string(field.structType_) + "OpApi").c_str()) != nullptr) {
                    usesApi_ = true;
                    body += std::string("    ") + field.structType_ + " " + field.name_ + ";\n";
                    continue;
                }
                const std::string registered = std::string(field.structType_) + "Op";
                const auto nested = factory.CreateTilingDataInstance(registered.c_str());
                if (nested == nullptr) {
                    error = name + "." + field.name_ + ": expected REGISTER_TILING_DATA_CLASS(" + registered + ", " +
                            field.structType_ + ")";
                    return false;
                }
                if (!Add(*nested, error)) {
                    return false;
                }
                body += std::string("    ") + field.structType_ + " " + field.name_ + ";\n";
            } else {
                body += std::string("    ") + field.dtype_ + " " + field.name_ +
                        (kind == "1" ? "[" + std::to_string(field.arrSize_) + "]" : "") + ";\n";
            }
        }
        text_ += "struct " + name + " {\n" + body + "};\nstatic_assert(sizeof(" + name +
                 ") == " + std::to_string(def.GetDataSize()) + ", \"layout of " + name + "\");\n\n";
        return true;
    }

    const std::string& Text() const { return text_; }
    // Whether a member is tiling data of a high-level function, which kernel_tiling.h has.
    bool UsesApi() const { return usesApi_; }

private:
    std::set<std::string> written_;
    std::string text_;
    bool usesApi_ = false;
};
} // namespace

std::string TilingStructSource(const std::string& op_type, std::string& error)
{
    auto& factory = CTilingDataClassFactory::GetInstance();
    const auto def = factory.CreateTilingDataInstance(op_type.c_str());
    if (def == nullptr) {
        return "";
    }
    Writer writer;
    if (!writer.Add(*def, error)) {
        return "";
    }
    for (const std::string& name : TilingDataNamesOfKeys(op_type)) {
        Writer with = writer;
        std::string reason;
        if (with.Add(*factory.CreateTilingDataInstance(name.c_str()), reason)) {
            writer = with;
        }
    }
    const std::string guard = "HOSTCANN_TILING_STRUCTS_" + op_type;
    return "// Generated from the tiling data classes of " + op_type + "; do not change it.\n#ifndef " + guard +
           "\n#define " + guard + "\n\n#include <cstdint>\n" +
           (writer.UsesApi() ? "#include \"kernel_tiling/kernel_tiling.h\"\n" : "") + "\n" + writer.Text() +
           "using HostcannTilingDefault = " + def->GetTilingClassName() + ";\n\n#endif\n";
}
} // namespace optiling
