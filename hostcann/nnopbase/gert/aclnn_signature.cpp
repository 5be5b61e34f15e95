#include "aclnn_source.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "op_info_ini.h"
#include "register/op_config_registry.h"

namespace ops {
namespace {
using ParamData = OpDefAccess::ParamData;

// my_input -> myInput, and the first letter small.
std::string CamelCase(const std::string& name)
{
    std::string camel;
    bool upper = false;
    for (const char c : name) {
        if (c == '_' && !camel.empty()) {
            upper = true;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        const int letter = camel.empty() ? std::tolower(byte) : upper ? std::toupper(byte) : byte;
        camel += static_cast<char>(letter);
        upper = false;
    }
    return camel;
}

bool IsOptional(const ParamData& def) { return def.param_type == OPTIONAL || def.param_type == VIRTUAL; }

int Code(const ParamData& def) { return def.param_type == REQUIRED ? 1 : IsOptional(def) ? 0 : 2; }

class Reader {
public:
    Reader(const OpDef& op, std::vector<std::string>& errors) : op_(op), errors_(errors) {}

    AclnnSignature Read(const std::string& project, uint32_t version)
    {
        sig_.version = version;
        const std::string number = std::to_string(version);
        const std::string& type = OpDefAccess::Type(op_);
        sig_.stem = project + "_" + SnakeCase(type) + (version == 0 ? "" : "_v" + number);
        sig_.guard = Upper(project + "_" + type) + (version == 0 ? "" : "_V" + number) + "_H_";
        sig_.function = project + type + (version == 0 ? "" : "V" + number);
        sig_.function[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(sig_.function[0])));
        sig_.strict_format = OpDefAccess::FormatCheck(op_) == FormatCheckOption::STRICT;
        sig_.launch_empty = OpDefAccess::LaunchWithEmptyOutputs(op_);
        if (!OpDefAccess::HcclGroups(op_).empty()) {
            Error("MC2 operators have no generated interface in hostcann");
        }
        Socs();
        if (!errors_.empty() && errors_.size() != before_) {
            return sig_;
        }
        Inputs();
        Attrs();
        Outputs();
        Names();
        return sig_;
    }

private:
    static std::string Upper(std::string text)
    {
        for (char& c : text) {
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
        return text;
    }

    void Error(const std::string& text) { errors_.push_back(OpDefAccess::Type(op_) + ": aclnn interface: " + text); }

    void Socs()
    {
        std::map<std::string, OpAICoreConfig> configs = OpDefAccess::Configs(op_);
        for (const auto& [soc, make] : GetOpAllAICoreConfig(OpDefAccess::Type(op_).c_str())) {
            configs[soc.GetString()] = make();
        }
        for (const auto& [soc, config] : configs) {
            const size_t before = errors_.size();
            Columns columns = ResolveColumns(op_, config, errors_);
            const bool none = columns.inputs.empty() || columns.inputs[0].types.empty();
            if (OpDefAccess::SelectsFormat(op_) && none && errors_.size() == before) {
                Error("there are no data types on " + soc + "; write it by hand (ACLNNTYPE aclnn_exclude)");
            }
            for (const ColumnParam& input : columns.inputs) {
                if (input.def.auto_contiguous && input.def.ignore_contiguous) {
                    Error("input " + input.def.name + " is AutoContiguous and IgnoreContiguous on " + soc +
                          "; choose one");
                }
                sig_.auto_contiguous = sig_.auto_contiguous || input.def.auto_contiguous;
            }
            sig_.socs.emplace(soc, std::move(columns));
        }
    }

    void Inputs()
    {
        const auto& outputs = OpDefAccess::Outputs(op_);
        for (const OpParamDef& input : OpDefAccess::Inputs(op_)) {
            const ParamData& def = OpDefAccess::Param(input);
            AclnnParam param;
            param.index = sig_.input_codes.size();
            param.name = CamelCase(def.name);
            const auto same = [&](const OpParamDef& other) { return OpDefAccess::Param(other).name == def.name; };
            const auto output = std::find_if(outputs.begin(), outputs.end(), same);
            const bool ref = output != outputs.end();
            if (ref) {
                param.name += "Ref";
                sig_.refs.emplace_back(param.index, static_cast<size_t>(output - outputs.begin()));
            }
            param.name += IsOptional(def) ? "Optional" : "";
            param.needed = !IsOptional(def);
            param.dynamic = def.param_type == DYNAMIC;
            param.version = def.version;
            if (def.version != 0 && (!IsOptional(def) || ref)) {
                Error("input " + def.name + ": Version is for optional inputs that are no outputs");
            }
            InputType(def, ref, param);
            sig_.input_codes.push_back(Code(def));
            sig_.params.push_back(std::move(param));
        }
    }

    void InputType(const ParamData& def, bool ref, AclnnParam& param)
    {
        const bool plain = !def.scalar && !def.scalar_list;
        if (def.scalar || def.scalar_list) {
            const std::string list = def.scalar_list ? "List" : "";
            param.type = "const aclScalar" + list + "*";
            param.adder = "NnopbaseAddScalar" + list + "Input";
            param.scalar_target = ScalarTarget(def);
        } else if (param.dynamic) {
            param.type = std::string(ref ? "" : "const ") + "aclTensorList*";
            param.adder = def.ignore_contiguous ? "NnopbaseAddIgnoreContiguousDynamicInput" : "NnopbaseAddDynamicInput";
        } else {
            param.type = std::string(ref ? "" : "const ") + "aclTensor*";
            param.adder = def.ignore_contiguous ? "NnopbaseAddIgnoreContinuesInput" : "NnopbaseAddInput";
        }
        param.tensor_type = param.type;
        param.tensor_adder = param.adder;
        if (def.value_depend != "required" && def.value_depend != "optional") {
            return;
        }
        if (!plain || param.dynamic) {
            Error("input " + def.name + " has ValueDepend and is a scalar or dynamic; choose one");
            return;
        }
        const std::string kind = ArrayKind(def);
        sig_.has_value_depend = true;
        param.type = "const acl" + kind + "Array*";
        param.adder = "NnopbaseAdd" + kind + "ArrayInput";
    }

    std::string ScalarTarget(const ParamData& def)
    {
        if (def.to_name.empty()) {
            return "-1, static_cast<ge::DataType>(" + std::to_string(def.to_type) + ")";
        }
        const auto& inputs = OpDefAccess::Inputs(op_);
        for (size_t i = 0; i < inputs.size(); ++i) {
            if (OpDefAccess::Param(inputs[i]).name == def.to_name) {
                return std::to_string(i) + ", ge::DT_UNDEFINED";
            }
        }
        Error("input " + def.name + ": To(\"" + def.to_name + "\") names no input");
        return "-1, ge::DT_UNDEFINED";
    }

    // The data types of a value dependent input decide which array stands for it.
    std::string ArrayKind(const ParamData& def)
    {
        const auto& types = def.types_list_set ? def.types_list : def.types;
        const auto all = [&](std::initializer_list<ge::DataType> allowed) {
            return !types.empty() && std::all_of(types.begin(), types.end(), [&](ge::DataType type) {
                return std::find(allowed.begin(), allowed.end(), type) != allowed.end();
            });
        };
        if (all({ge::DT_FLOAT})) {
            return "Float";
        }
        if (all({ge::DT_BOOL})) {
            return "Bool";
        }
        if (all({ge::DT_INT64, ge::DT_UINT64, ge::DT_INT32, ge::DT_UINT32, ge::DT_INT16, ge::DT_UINT16, ge::DT_INT8,
                 ge::DT_UINT8})) {
            return "Int";
        }
        Error("input " + def.name + ": data types of a ValueDepend input must be all float, all bool or all integers");
        return "Int";
    }

    void Attrs()
    {
        for (const OpAttrDef& attr : OpDefAccess::Attrs(op_)) {
            const auto& def = OpDefAccess::Attr(attr);
            AclnnParam param;
            param.role = AclnnRole::kAttr;
            param.index = sig_.attr_codes.size();
            param.attr_type = def.type;
            param.default_value = def.default_value;
            bool pointer = true;
            switch (def.type) {
                case AttrDataType::ATTR_DT_BOOL:
                    param.type = "bool";
                    pointer = false;
                    break;
                case AttrDataType::ATTR_DT_INT:
                    param.type = "int64_t";
                    pointer = false;
                    break;
                case AttrDataType::ATTR_DT_FLOAT:
                    param.type = "double";
                    pointer = false;
                    break;
                case AttrDataType::ATTR_DT_STR:
                    param.type = "char*";
                    break;
                case AttrDataType::ATTR_DT_LIST_BOOL:
                    Array(param, "Bool", "bool");
                    break;
                case AttrDataType::ATTR_DT_LIST_FLOAT:
                    Array(param, "Float", "float");
                    break;
                case AttrDataType::ATTR_DT_LIST_INT:
                    Array(param, "Int", "int64_t");
                    break;
                default:
                    Error("attribute " + def.name + ": an aclnn interface has no parameter of its type");
            }
            param.version = def.version;
            if (def.version != 0 && def.required) {
                Error("attribute " + def.name + ": Version is for optional attributes");
            }
            param.tensor_type = param.type;
            param.needed = pointer && def.required;
            param.name = CamelCase(def.name) + (pointer && !def.required ? "Optional" : "");
            sig_.attr_codes.push_back(def.required ? 1 : 0);
            sig_.params.push_back(std::move(param));
        }
    }

    static void Array(AclnnParam& param, const std::string& kind, const std::string& element)
    {
        param.type = "const acl" + kind + "Array*";
        param.adder = "Add" + kind + "ArrayAttr";
        param.element = element;
        param.element_kind = "kNnopbase" + kind;
    }

    void Outputs()
    {
        const auto& outputs = OpDefAccess::Outputs(op_);
        const bool computed = std::any_of(outputs.begin(), outputs.end(), [](const OpParamDef& output) {
            return OpDefAccess::Param(output).shape_depends_on_compute;
        });
        for (const OpParamDef& output : outputs) {
            const ParamData& def = OpDefAccess::Param(output);
            const size_t index = sig_.output_codes.size();
            sig_.output_codes.push_back(Code(def));
            const auto same = [&](const std::pair<size_t, size_t>& ref) { return ref.second == index; };
            if (std::any_of(sig_.refs.begin(), sig_.refs.end(), same)) {
                continue;
            }
            AclnnParam param;
            param.role = AclnnRole::kOutput;
            param.index = index;
            param.name = outputs.size() == 1 ? "out" : CamelCase(def.name) + "Out";
            param.name += IsOptional(def) ? "Optional" : "";
            param.version = def.version;
            param.needed = !IsOptional(def);
            param.dynamic = def.param_type == DYNAMIC;
            // aclnn takes outputs as const; only those that get a shape are changed.
            param.type = param.dynamic ? "const aclTensorList*" : computed ? "aclTensor*" : "const aclTensor*";
            param.adder = param.dynamic                ? "NnopbaseAddDynamicOutput" :
                          def.shape_depends_on_compute ? "NnopbaseAddOutputShapeDependTensor" :
                                                         "NnopbaseAddOutput";
            param.tensor_type = param.type;
            param.tensor_adder = param.adder;
            sig_.params.push_back(std::move(param));
        }
        if (computed) {
            for (AclnnParam& param : sig_.params) {
                // CANN drops the const of every plain tensor then.
                for (std::string* type : {&param.type, &param.tensor_type}) {
                    *type = *type == "const aclTensor*" ? "aclTensor*" : *type;
                }
            }
        }
    }

    // The compiler would say the same about a file that nobody wrote.
    void Names()
    {
        std::set<std::string> names;
        for (const AclnnParam& param : sig_.params) {
            if (!names.insert(param.name).second) {
                Error("two of its inputs, outputs and attributes give the parameter " + param.name + "; rename one");
            }
        }
    }

    const OpDef& op_;
    std::vector<std::string>& errors_;
    const size_t before_ = errors_.size();
    AclnnSignature sig_;
};
} // namespace

AclnnSignature ReadAclnnSignature(const OpDef& op, const std::string& project, std::vector<std::string>& errors,
                                  uint32_t version)
{
    return Reader(op, errors).Read(project, version);
}
} // namespace ops
