// The stored side of the op definition classes, for op_build and tests, and the columns of one soc that come of it: one
// data type and format per parameter and column.
#ifndef HOSTCANN_NNOPBASE_GERT_OP_DEF_ACCESS_H
#define HOSTCANN_NNOPBASE_GERT_OP_DEF_ACCESS_H

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "register/op_def.h"

namespace ops {
struct OpDefAccess {
    using ParamData = OpParamDef::Data;
    using AttrData = OpAttrDef::Data;
    using Items = std::vector<std::pair<std::string, std::string>>;

    // Every registered definition, made anew, in order of registration.
    static std::vector<OpDef> CreateAll();

    static const ParamData& Param(const OpParamDef& def) { return def.data_; }
    static const AttrData& Attr(const OpAttrDef& def) { return def.data_; }
    static const std::string& Type(const OpDef& def) { return def.type_; }
    static const std::deque<OpParamDef>& Inputs(const OpDef& def) { return def.inputs_; }
    static const std::deque<OpParamDef>& Outputs(const OpDef& def) { return def.outputs_; }
    static const std::deque<OpAttrDef>& Attrs(const OpDef& def) { return def.attrs_; }
    static bool FallBack(const OpDef& def) { return def.fall_back_; }
    static const std::vector<std::string>& HcclGroups(const OpDef& def) { return def.mc2_.groups_; }
    static FormatCheckOption FormatCheck(const OpDef& def) { return def.format_check_; }
    static bool LaunchWithEmptyOutputs(const OpDef& def) { return def.aicore_.launch_with_empty_outputs_; }
    static bool SelectsFormat(const OpDef& def) { return def.aicore_.select_format_ != nullptr; }
    static const std::map<std::string, OpAICoreConfig>& Configs(const OpDef& def) { return def.aicore_.configs_; }
    static const std::deque<OpParamDef>& Inputs(const OpAICoreConfig& config) { return config.inputs_; }
    static const std::deque<OpParamDef>& Outputs(const OpAICoreConfig& config) { return config.outputs_; }
    static const Items& ItemsOf(const OpAICoreConfig& config) { return config.items_; }
};

struct ColumnParam {
    OpDefAccess::ParamData def; // after the soc's own settings were merged in
    std::vector<ge::DataType> types, types_for_bin;
    std::vector<ge::Format> formats, formats_for_bin;
};

struct Columns {
    std::vector<ColumnParam> inputs, outputs;
};

// Every mistake found is appended to errors; the result is usable only when none was. No columns for an op that gives
// neither types nor formats, but a function with SetOpSelectFormat.
Columns ResolveColumns(const OpDef& op, const OpAICoreConfig& config, std::vector<std::string>& errors);
} // namespace ops

#endif
