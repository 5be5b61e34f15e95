#include "op_info_ini.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>

#include "op_def_access.h"
#include "register/op_config_registry.h"

namespace ops {
namespace {
// Names scripts/util/opdesc_parser.py of ops-math refuses for attributes: Python keywords and names of the generated
// entry.
const std::set<std::string>& RefusedAttrNames()
{
    static const std::set<std::string> kNames = {
        "and",    "as",      "assert",  "break",  "class",   "continue",  "def",         "del",    "elif",
        "else",   "except",  "finally", "for",    "from",    "global",    "if",          "import", "in",
        "is",     "lambda",  "not",     "or",     "pass",    "raise",     "return",      "try",    "while",
        "with",   "yield",   "False",   "None",   "True",    "nonlocal",  "arg",         "attr",   "src",
        "result", "options", "os",      "shutil", "op_type", "impl_mode", "soc_version",
    };
    return kNames;
}

const char* NameOf(ge::DataType type)
{
    const char* name = "";
    switch (type) {
#define HC_DATA_TYPE(name_, value, size, token, kernel) \
    case ge::DT_##name_:                                \
        name = (token);                                 \
        break;
#include "hostcann/data_types.inc"
#undef HC_DATA_TYPE
        default:
            break;
    }
    return *name == '\0' ? nullptr : name;
}

const char* NameOf(ge::Format format) { return ge::GetFormatName(format); }

// VIRTUAL is printed as optional.
const char* NameOf(Option option)
{
    constexpr const char* kNames[] = {"ignore", "optional", "required", "dynamic", "optional"};
    return static_cast<size_t>(option) < sizeof(kNames) / sizeof(kNames[0]) ? kNames[option] : nullptr;
}

template <typename T>
std::string Joined(const std::vector<T>& values)
{
    std::string text;
    for (const T& value : values) {
        const char* name = NameOf(value);
        text += (text.empty() ? "" : ",") + std::string(name == nullptr ? "?" : name);
    }
    return text;
}

std::string InitNumber(const ScalarVar& var)
{
    constexpr const char* kNames[] = {"uint64", "int64", "uint32", "int32",   "uint16",
                                      "int16",  "uint8", "int8",   "float32", "float16"};
    std::string value;
    switch (var.scalar_type) {
        case ScalarType::FLOAT32:
        case ScalarType::FLOAT16:
            value = std::to_string(var.scalar_num.value_f32);
            break;
        case ScalarType::INT64:
        case ScalarType::INT32:
        case ScalarType::INT16:
        case ScalarType::INT8:
            value = std::to_string(var.scalar_num.value_i64);
            break;
        default:
            value = std::to_string(var.scalar_num.value_u64);
    }
    return std::string("\"type\": \"") + kNames[static_cast<size_t>(var.scalar_type)] + "\", \"value\": " + value;
}

class Section {
public:
    Section(const OpDef& op, const std::string& soc, std::vector<std::string>& errors)
        : op_(op), soc_(soc), errors_(errors)
    {
    }

    std::string Make(const OpAICoreConfig& config)
    {
        std::vector<std::string> mistakes;
        const Columns columns = ResolveColumns(op_, config, mistakes);
        for (const std::string& mistake : mistakes) {
            Error(mistake);
        }
        if (!mistakes.empty()) {
            return "";
        }
        text_ << "[" << OpDefAccess::Type(op_) << "]\n";
        for (size_t i = 0; i < columns.inputs.size(); ++i) {
            Param("input" + std::to_string(i), columns.inputs[i]);
        }
        for (size_t i = 0; i < columns.outputs.size(); ++i) {
            Param("output" + std::to_string(i), columns.outputs[i]);
        }
        Attrs();
        Config(OpDefAccess::ItemsOf(config));
        return text_.str();
    }

private:
    void Error(const std::string& text) { errors_.push_back(OpDefAccess::Type(op_) + " on " + soc_ + ": " + text); }
    void Line(const std::string& key, const std::string& value) { text_ << key << "=" << value << "\n"; }

    void Param(const std::string& key, const ColumnParam& param)
    {
        const auto& def = param.def;
        for (const ge::DataType type : param.types) {
            if (NameOf(type) == nullptr) {
                Error("parameter " + def.name + ": data type " + std::to_string(type) + " has no name in the op info");
            }
        }
        if (NameOf(def.param_type) == nullptr) {
            Error("parameter " + def.name + ": unknown ParamType " + std::to_string(def.param_type));
            return;
        }
        Line(key + ".name", def.name);
        if (!param.types.empty()) {
            Line(key + ".dtype", Joined(param.types));
        }
        if (!param.types_for_bin.empty()) {
            Line(key + ".for_bin_dtype", Joined(param.types_for_bin));
        }
        if (!param.formats.empty()) {
            Line(key + ".format", Joined(param.formats));
        }
        if (!param.formats_for_bin.empty()) {
            Line(key + ".for_bin_format", Joined(param.formats_for_bin));
        }
        if (!def.unknown_shape_formats.empty()) {
            Line(key + ".unknownshape_format", Joined(def.unknown_shape_formats));
        }
        Line(key + ".shape", "all");
        Line(key + ".paramType", NameOf(def.param_type));
        if (def.param_type == VIRTUAL) {
            Line(key + ".virtual", "true");
        }
        if (!def.value_depend.empty()) {
            Line(key + ".valueDepend", def.value_depend);
        }
        InitValue(key + ".initValue", def);
        if (def.shape_depends_on_compute) {
            Line(key + ".outputShapeDependOnCompute", "true");
        }
    }

    void InitValue(const std::string& key, const OpDefAccess::ParamData& def)
    {
        if (def.init_value_set && !def.init_values.empty()) {
            Error("parameter " + def.name + ": InitValue is called with a number and with ScalarVar, use one of them");
            return;
        }
        if (def.init_value_set) {
            Line(key, std::to_string(def.init_value));
            return;
        }
        for (const ScalarVar& var : def.init_values) {
            if (var.scalar_type > ScalarType::FLOAT16) {
                Error("parameter " + def.name + ": InitValue has a ScalarVar without a type");
                return;
            }
        }
        if (def.init_values.size() == 1U) {
            Line(key, "{ \"is_list\" : false, " + InitNumber(def.init_values[0]) + "}");
        } else if (!def.init_values.empty()) {
            InitValueList(key, def);
        }
    }

    void InitValueList(const std::string& key, const OpDefAccess::ParamData& def)
    {
        const auto& types = def.types_list_set ? def.types_list : def.types;
        if (types.size() != def.init_values.size()) {
            Error("parameter " + def.name + ": InitValue has " + std::to_string(def.init_values.size()) +
                  " entries for " + std::to_string(types.size()) + " data types");
            return;
        }
        std::map<ge::DataType, ScalarVar> seen;
        std::string list;
        for (size_t i = 0; i < types.size(); ++i) {
            const auto [entry, added] = seen.emplace(types[i], def.init_values[i]);
            if (!added && !(entry->second == def.init_values[i])) {
                Error("parameter " + def.name + ": InitValue differs for two columns of one data type");
                return;
            }
            if (added) {
                const char* name = NameOf(types[i]);
                list += (list.empty() ? "\"" : ", \"") + std::string(name == nullptr ? "?" : name) + "\": { " +
                        InitNumber(def.init_values[i]) + " }";
            }
        }
        Line(key, "{ \"is_list\" : true, " + list + "}");
    }

    void Attrs()
    {
        constexpr const char* kTypes[] = {"bool",     "float",     "int",     "str",
                                          "listBool", "listFloat", "listInt", "listListInt"};
        const auto& attrs = OpDefAccess::Attrs(op_);
        if (attrs.empty()) {
            return;
        }
        std::string names;
        for (const OpAttrDef& attr : attrs) {
            names += (names.empty() ? "" : ",") + OpDefAccess::Attr(attr).name;
        }
        Line("attr.list", names);
        for (const OpAttrDef& attr : attrs) {
            const auto& def = OpDefAccess::Attr(attr);
            if (def.type == AttrDataType::ATTR_DT_MAX) {
                Error("attribute " + def.name + " has no type: call Int, Float, Bool, String or a List variant");
                continue;
            }
            if (RefusedAttrNames().count(def.name) != 0) {
                Error("attribute " + def.name + ": the name is taken in the generated Python entry, choose another");
            }
            const std::string key = "attr_" + def.name;
            Line(key + ".type", kTypes[static_cast<size_t>(def.type)]);
            Line(key + ".value", "all");
            Line(key + ".paramType", def.required ? "required" : "optional");
            if (!def.required) {
                Line(key + ".defaultValue", def.default_value);
            }
        }
    }

    void Config(const OpDefAccess::Items& items)
    {
        const auto given = [&](const char* key) {
            return std::any_of(items.begin(), items.end(), [&](const auto& item) { return item.first == key; });
        };
        for (const auto& [key, value] : items) {
            Line(key, value);
        }
        if (OpDefAccess::FallBack(op_) && !given("aclnnSupport.value")) {
            Line("aclnnSupport.value", "support_aclnn");
        }
        if (!given("prebuildPattern.value")) {
            Line("prebuildPattern.value", "Opaque");
        }
        // asc-devkit's generator leaves coreType out when jitCompile.flag is given; so do we.
        if (!given("coreType.value") && !given("jitCompile.flag")) {
            Line("coreType.value", "AiCore");
        }
        const char* source_package = std::getenv("ENABLE_SOURCE_PACKAGE");
        if (source_package != nullptr && std::strcmp(source_package, "False") == 0 && !given("jitCompile.flag")) {
            Line("jitCompile.flag", "static_false,dynamic_false");
        }
        const std::string file = SnakeCase(OpDefAccess::Type(op_));
        if (!given("opFile.value")) {
            Line("opFile.value", file);
        }
        if (!given("opInterface.value")) {
            Line("opInterface.value", file);
        }
        const auto& groups = OpDefAccess::HcclGroups(op_);
        if (!groups.empty()) {
            std::string contexts;
            for (size_t i = 0; i < groups.size(); ++i) {
                contexts += (i == 0 ? "mc2_context_" : ",mc2_context_") + std::to_string(i);
            }
            Line("mc2.ctx", contexts);
        }
    }

    const OpDef& op_;
    const std::string& soc_;
    std::vector<std::string>& errors_;
    std::ostringstream text_;
};
} // namespace

OpInfoIni MakeOpInfoIni(const std::vector<OpDef>& ops)
{
    OpInfoIni ini;
    std::set<std::string> types;
    for (const OpDef& op : ops) {
        const std::string& type = OpDefAccess::Type(op);
        if (!types.insert(type).second) {
            ini.errors.push_back(type + ": defined twice in this plugin");
            continue;
        }
        std::map<std::string, OpAICoreConfig> configs = OpDefAccess::Configs(op);
        for (const auto& [soc, make] : GetOpAllAICoreConfig(type.c_str())) {
            configs[soc.GetString()] = make();
        }
        if (configs.empty()) {
            ini.errors.push_back(type + ": no soc, call AICore().AddConfig(\"ascend910b\")");
        }
        for (const auto& [soc, config] : configs) {
            ini.text_of_soc[soc] += Section(op, soc, ini.errors).Make(config);
        }
    }
    return ini;
}

std::string SnakeCase(const std::string& op_type)
{
    const auto upper = [&](size_t i) { return std::isupper(static_cast<unsigned char>(op_type[i])) != 0; };
    const auto lower = [&](size_t i) { return std::islower(static_cast<unsigned char>(op_type[i])) != 0; };
    std::string snake;
    for (size_t i = 0; i < op_type.size(); ++i) {
        const bool starts_word = i > 0 && upper(i) && op_type[i - 1] != '_' &&
                                 (!upper(i - 1) || (i + 1 < op_type.size() && lower(i + 1)));
        snake += starts_word ? "_" : "";
        snake += static_cast<char>(std::tolower(static_cast<unsigned char>(op_type[i])));
    }
    return snake;
}
} // namespace ops
