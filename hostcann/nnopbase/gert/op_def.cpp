// Builder methods of the op definition classes. Mistakes are kept in the data and reported by op_build, which can name
// op and parameter.
#include "register/op_def.h"

#include <algorithm>
#include <mutex>
#include <sstream>

#include "op_def_access.h"
#include "register/op_config_registry.h"
#include "register/op_def_factory.h"

namespace ops {
namespace {
std::string Text(const char* text) { return text == nullptr ? "" : text; }

template <typename Number>
std::string NumberText(Number number)
{
    std::ostringstream text;
    text << number;
    return text.str();
}

template <typename List, typename ToText>
std::string ListText(const List& list, ToText to_text)
{
    std::string text = "[";
    for (const auto& item : list) {
        text += (text.size() == 1 ? "" : ",") + to_text(item);
    }
    return text + "]";
}

std::string BoolText(bool value) { return value ? "true" : "false"; }

template <typename Def>
Def& GetOrAdd(std::deque<Def>& defs, const char* name, std::string (*name_of)(const Def&))
{
    const auto found = std::find_if(defs.begin(), defs.end(),
                                    [&](const Def& def) { return name_of(def) == Text(name); });
    return found == defs.end() ? defs.emplace_back(name) : *found;
}

std::string ParamName(const OpParamDef& def) { return OpDefAccess::Param(def).name; }
std::string AttrName(const OpAttrDef& def) { return OpDefAccess::Attr(def).name; }

void SetItemOf(std::vector<std::pair<std::string, std::string>>& items, const char* key, const char* value)
{
    const auto found = std::find_if(items.begin(), items.end(),
                                    [&](const auto& item) { return item.first == Text(key); });
    if (found == items.end()) {
        items.emplace_back(Text(key), Text(value));
    } else {
        found->second = Text(value);
    }
}
} // namespace

OpParamDef::OpParamDef(const char* name) { data_.name = Text(name); }
OpParamDef& OpParamDef::ParamType(Option param_type)
{
    data_.param_type = param_type;
    return *this;
}
OpParamDef& OpParamDef::DataType(std::vector<ge::DataType> types)
{
    data_.types_set = true;
    data_.types = std::move(types);
    return *this;
}
OpParamDef& OpParamDef::Format(std::vector<ge::Format> formats)
{
    data_.formats_set = true;
    data_.formats = std::move(formats);
    return *this;
}
OpParamDef& OpParamDef::UnknownShapeFormat(std::vector<ge::Format> formats)
{
    data_.unknown_shape_formats = std::move(formats);
    return *this;
}
OpParamDef& OpParamDef::DataTypeList(std::vector<ge::DataType> types)
{
    data_.types_list_set = true;
    data_.types_list = std::move(types);
    return *this;
}
OpParamDef& OpParamDef::FormatList(std::vector<ge::Format> formats)
{
    data_.formats_list_set = true;
    data_.formats_list = std::move(formats);
    return *this;
}
OpParamDef& OpParamDef::DataTypeForBinQuery(std::vector<ge::DataType> types)
{
    data_.types_for_bin = std::move(types);
    return *this;
}
OpParamDef& OpParamDef::FormatForBinQuery(std::vector<ge::Format> formats)
{
    data_.formats_for_bin = std::move(formats);
    return *this;
}
OpParamDef& OpParamDef::ValueDepend(Option value_depend) { return ValueDepend(value_depend, DependScope::ALL); }
OpParamDef& OpParamDef::ValueDepend(Option value_depend, DependScope scope)
{
    data_.value_depend = value_depend == REQUIRED ? "required" : value_depend == OPTIONAL ? "optional" : "invalid";
    data_.depend_scope = scope;
    return *this;
}
OpParamDef& OpParamDef::IgnoreContiguous(void)
{
    data_.ignore_contiguous = true;
    return *this;
}
OpParamDef& OpParamDef::AutoContiguous()
{
    data_.auto_contiguous = true;
    return *this;
}
OpParamDef& OpParamDef::Scalar()
{
    data_.scalar = true;
    return *this;
}
OpParamDef& OpParamDef::ScalarList()
{
    data_.scalar_list = true;
    return *this;
}
OpParamDef& OpParamDef::To(const ge::DataType type)
{
    data_.to_type = type;
    return *this;
}
OpParamDef& OpParamDef::To(const char* name)
{
    data_.to_name = Text(name);
    return *this;
}
OpParamDef& OpParamDef::Version(uint32_t version)
{
    data_.version = version;
    return *this;
}
OpParamDef& OpParamDef::InitValue(uint64_t value)
{
    data_.init_value_set = true;
    data_.init_value = value;
    return *this;
}
OpParamDef& OpParamDef::InitValue(const ScalarVar& value) { return InitValue(std::vector<ScalarVar>{value}); }
OpParamDef& OpParamDef::InitValue(const std::vector<ScalarVar>& value)
{
    data_.init_values = value;
    return *this;
}
OpParamDef& OpParamDef::OutputShapeDependOnCompute()
{
    data_.shape_depends_on_compute = true;
    return *this;
}
OpParamDef& OpParamDef::Follow(const char* paramName) { return Follow(paramName, FollowType::ALL); }
OpParamDef& OpParamDef::Follow(const char* paramName, FollowType ftype)
{
    data_.follow_name = Text(paramName);
    data_.follow_type = ftype;
    return *this;
}
OpParamDef& OpParamDef::Comment(const char* comment)
{
    data_.comment = Text(comment);
    return *this;
}

OpAttrDef::OpAttrDef(const char* name) { data_.name = Text(name); }
OpAttrDef& OpAttrDef::Set(AttrDataType type, std::string default_value)
{
    data_.type = type;
    data_.default_value = std::move(default_value);
    return *this;
}
OpAttrDef& OpAttrDef::AttrType(Option attr_type)
{
    data_.required = attr_type != OPTIONAL;
    return *this;
}
OpAttrDef& OpAttrDef::Bool(void) { return Bool(false); }
OpAttrDef& OpAttrDef::Bool(bool value) { return Set(AttrDataType::ATTR_DT_BOOL, BoolText(value)); }
OpAttrDef& OpAttrDef::Float(void) { return Float(0.0F); }
OpAttrDef& OpAttrDef::Float(float value) { return Set(AttrDataType::ATTR_DT_FLOAT, NumberText(value)); }
OpAttrDef& OpAttrDef::Int(void) { return Int(0); }
OpAttrDef& OpAttrDef::Int(int64_t value) { return Set(AttrDataType::ATTR_DT_INT, NumberText(value)); }
OpAttrDef& OpAttrDef::String(void) { return String(""); }
OpAttrDef& OpAttrDef::String(const char* value) { return Set(AttrDataType::ATTR_DT_STR, Text(value)); }
OpAttrDef& OpAttrDef::ListBool(void) { return ListBool({}); }
OpAttrDef& OpAttrDef::ListBool(std::vector<bool> value)
{
    return Set(AttrDataType::ATTR_DT_LIST_BOOL, ListText(value, BoolText));
}
OpAttrDef& OpAttrDef::ListFloat(void) { return ListFloat({}); }
OpAttrDef& OpAttrDef::ListFloat(std::vector<float> value)
{
    return Set(AttrDataType::ATTR_DT_LIST_FLOAT, ListText(value, NumberText<float>));
}
OpAttrDef& OpAttrDef::ListInt(void) { return ListInt({}); }
OpAttrDef& OpAttrDef::ListInt(std::vector<int64_t> value)
{
    return Set(AttrDataType::ATTR_DT_LIST_INT, ListText(value, NumberText<int64_t>));
}
OpAttrDef& OpAttrDef::ListListInt(void) { return ListListInt({}); }
OpAttrDef& OpAttrDef::ListListInt(std::vector<std::vector<int64_t>> value)
{
    return Set(AttrDataType::ATTR_DT_LIST_LIST_INT,
               ListText(value, [](const auto& row) { return ListText(row, NumberText<int64_t>); }));
}
OpAttrDef& OpAttrDef::Version(uint32_t version)
{
    data_.version = version;
    return *this;
}
OpAttrDef& OpAttrDef::Comment(const char* comment)
{
    data_.comment = Text(comment);
    return *this;
}

template <typename Def>
Def& CpuDef<Def>::ExtendCfgInfo(const char* key, const char* value)
{
    SetItemOf(items_, key, value);
    return static_cast<Def&>(*this);
}
template class CpuDef<OpAICPUDef>;
template class CpuDef<OpHostCPUDef>;

OpAICoreConfig::OpAICoreConfig(const char* soc)
{
    (void)soc;
    (void)DynamicCompileStaticFlag(true)
        .DynamicFormatFlag(true)
        .DynamicRankSupportFlag(true)
        .DynamicShapeSupportFlag(true)
        .NeedCheckSupportFlag(false)
        .PrecisionReduceFlag(true);
}
OpParamDef& OpAICoreConfig::Input(const char* name) { return GetOrAdd(inputs_, name, ParamName); }
OpParamDef& OpAICoreConfig::Output(const char* name) { return GetOrAdd(outputs_, name, ParamName); }
OpAICoreConfig& OpAICoreConfig::SetItem(const char* key, const char* value)
{
    SetItemOf(items_, key, value);
    return *this;
}
OpAICoreConfig& OpAICoreConfig::DynamicCompileStaticFlag(bool flag)
{
    return SetItem("dynamicCompileStatic.flag", flag ? "true" : "false");
}
OpAICoreConfig& OpAICoreConfig::DynamicFormatFlag(bool flag)
{
    return SetItem("dynamicFormat.flag", flag ? "true" : "false");
}
OpAICoreConfig& OpAICoreConfig::DynamicRankSupportFlag(bool flag)
{
    return SetItem("dynamicRankSupport.flag", flag ? "true" : "false");
}
OpAICoreConfig& OpAICoreConfig::DynamicShapeSupportFlag(bool flag)
{
    return SetItem("dynamicShapeSupport.flag", flag ? "true" : "false");
}
OpAICoreConfig& OpAICoreConfig::NeedCheckSupportFlag(bool flag)
{
    return SetItem("needCheckSupport.flag", flag ? "true" : "false");
}
OpAICoreConfig& OpAICoreConfig::PrecisionReduceFlag(bool flag)
{
    return SetItem("precision_reduce.flag", flag ? "true" : "false");
}
OpAICoreConfig& OpAICoreConfig::ExtendCfgInfo(const char* key, const char* value) { return SetItem(key, value); }

OpAICoreDef& OpAICoreDef::SetTiling(gert::OpImplRegisterV2::TilingKernelFunc func)
{
    tiling_ = func;
    return *this;
}
OpAICoreDef& OpAICoreDef::SetCheckSupport(optiling::OP_CHECK_FUNC func)
{
    check_support_ = func;
    return *this;
}
OpAICoreDef& OpAICoreDef::SetOpSelectFormat(optiling::OP_CHECK_FUNC func)
{
    select_format_ = func;
    return *this;
}
OpAICoreDef& OpAICoreDef::SetOpSupportInfo(optiling::OP_CHECK_FUNC func)
{
    support_info_ = func;
    return *this;
}
OpAICoreDef& OpAICoreDef::SetOpSpecInfo(optiling::OP_CHECK_FUNC func)
{
    spec_info_ = func;
    return *this;
}
OpAICoreDef& OpAICoreDef::SetParamGeneralize(optiling::PARAM_GENERALIZE_FUNC func)
{
    generalize_ = func;
    return *this;
}
OpAICoreDef& OpAICoreDef::LaunchWithZeroEleOutputTensors(bool launchFlag)
{
    launch_with_empty_outputs_ = launchFlag;
    return *this;
}
OpAICoreDef& OpAICoreDef::AddConfig(const char* soc)
{
    configs_[Text(soc)] = OpAICoreConfig(soc);
    return *this;
}
OpAICoreDef& OpAICoreDef::AddConfig(const char* soc, OpAICoreConfig& aicore_config)
{
    configs_[Text(soc)] = aicore_config;
    return *this;
}

OpMC2Def& OpMC2Def::HcclGroup(const char* value)
{
    groups_.push_back(Text(value));
    return *this;
}
OpMC2Def& OpMC2Def::HcclGroup(std::vector<const char*> value)
{
    for (const char* group : value) {
        groups_.push_back(Text(group));
    }
    return *this;
}
void OpMC2Def::HcclServerType(enum HcclServerType type, const char* soc) { server_types_[Text(soc)] = type; }

OpDef::OpDef(const char* type) : type_(Text(type)) {}
OpParamDef& OpDef::Input(const char* name) { return GetOrAdd(inputs_, name, ParamName); }
OpParamDef& OpDef::Output(const char* name) { return GetOrAdd(outputs_, name, ParamName); }
OpAttrDef& OpDef::Attr(const char* name) { return GetOrAdd(attrs_, name, AttrName); }
OpDef& OpDef::Comment(CommentSection section, const char* comment)
{
    comments_.emplace_back(section, Text(comment));
    return *this;
}
OpDef& OpDef::SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc func)
{
    infer_shape_ = func;
    return *this;
}
OpDef& OpDef::SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc func)
{
    infer_shape_range_ = func;
    return *this;
}
OpDef& OpDef::SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc func)
{
    infer_data_type_ = func;
    return *this;
}
OpDef& OpDef::FormatMatchMode(FormatCheckOption option)
{
    format_check_ = option;
    return *this;
}
OpDef& OpDef::EnableFallBack(void)
{
    fall_back_ = true;
    return *this;
}

namespace {
struct Factory {
    std::mutex lock;
    std::vector<std::pair<std::string, OpDefCreator>> creators;
    std::map<std::string, std::map<ge::AscendString, OpAICoreConfigFunc>> configs;
};

// Never destroyed: plugins register from their static initialisers.
Factory& TheFactory()
{
    static Factory* const factory = new Factory;
    return *factory;
}
} // namespace

int OpDefFactory::OpDefRegister(const char* name, OpDefCreator creator)
{
    const std::lock_guard<std::mutex> guard(TheFactory().lock);
    TheFactory().creators.emplace_back(Text(name), std::move(creator));
    return 0;
}
int OpDefFactory::OpDefRegisterV2(const char* name, OpDefFuncPtr ptr) { return OpDefRegister(name, OpDefCreator(ptr)); }

std::vector<OpDef> OpDefAccess::CreateAll()
{
    std::vector<std::pair<std::string, OpDefCreator>> creators;
    {
        const std::lock_guard<std::mutex> guard(TheFactory().lock);
        creators = TheFactory().creators;
    }
    std::vector<OpDef> defs;
    for (const auto& [name, creator] : creators) {
        defs.push_back(creator(name.c_str()));
    }
    return defs;
}

void OpConfigRegistry::RegisterOpAICoreConfig(const char* name, const char* socVersion, OpAICoreConfigFunc func)
{
    const std::lock_guard<std::mutex> guard(TheFactory().lock);
    TheFactory().configs[Text(name)][ge::AscendString(socVersion)] = func;
}

std::map<ge::AscendString, OpAICoreConfigFunc> GetOpAllAICoreConfig(const char* name)
{
    const std::lock_guard<std::mutex> guard(TheFactory().lock);
    const auto found = TheFactory().configs.find(Text(name));
    return found == TheFactory().configs.end() ? std::map<ge::AscendString, OpAICoreConfigFunc>() : found->second;
}
} // namespace ops
