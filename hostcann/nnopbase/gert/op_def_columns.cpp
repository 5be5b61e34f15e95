#include "op_def_access.h"

#include <algorithm>
#include <functional>

namespace ops {
namespace {
using ParamData = OpDefAccess::ParamData;

// Settings of the soc's parameter go over those of the op.
void Override(ParamData& base, const ParamData& own)
{
    ParamData merged = own;
    if (!own.types_set && !own.types_list_set) {
        merged.types = base.types;
        merged.types_set = base.types_set;
        merged.types_list = base.types_list;
        merged.types_list_set = base.types_list_set;
    }
    if (!own.formats_set && !own.formats_list_set) {
        merged.formats = base.formats;
        merged.formats_set = base.formats_set;
        merged.formats_list = base.formats_list;
        merged.formats_list_set = base.formats_list_set;
    }
    if (own.unknown_shape_formats.empty()) {
        merged.unknown_shape_formats = base.unknown_shape_formats;
    }
    if (own.types_for_bin.empty()) {
        merged.types_for_bin = base.types_for_bin;
    }
    if (own.formats_for_bin.empty()) {
        merged.formats_for_bin = base.formats_for_bin;
    }
    if (own.value_depend.empty()) {
        merged.value_depend = base.value_depend;
    }
    base = merged;
}

std::vector<ColumnParam> MergeParams(const std::deque<OpParamDef>& base, const std::deque<OpParamDef>& own)
{
    std::vector<ColumnParam> merged;
    for (const OpParamDef& def : base) {
        merged.push_back({OpDefAccess::Param(def), {}, {}, {}, {}});
    }
    for (const OpParamDef& def : own) {
        const ParamData& data = OpDefAccess::Param(def);
        const auto found = std::find_if(merged.begin(), merged.end(),
                                        [&](const ColumnParam& param) { return param.def.name == data.name; });
        if (found == merged.end()) {
            merged.push_back({data, {}, {}, {}, {}});
        } else {
            Override(found->def, data);
        }
    }
    return merged;
}

bool Follows(const ParamData& def, FollowType what)
{
    return def.follow_type == FollowType::ALL || def.follow_type == what;
}
// The type of a scalar is given once for all columns, by value or by the name of another parameter.
bool FixedType(const ParamData& def) { return def.to_type != ge::DT_UNDEFINED || !def.to_name.empty(); }
// A value read on the host has no layout.
bool FixedFormat(const ParamData& def) { return def.scalar || def.scalar_list || !def.value_depend.empty(); }

template <typename T>
bool HasDuplicate(std::vector<T> values)
{
    std::sort(values.begin(), values.end());
    return std::adjacent_find(values.begin(), values.end()) != values.end();
}

class Resolver {
public:
    Resolver(Columns& columns, std::vector<std::string>& errors) : columns_(columns), errors_(errors)
    {
        for (ColumnParam& param : columns.inputs) {
            all_.push_back(&param);
        }
        for (ColumnParam& param : columns.outputs) {
            all_.push_back(&param);
        }
    }

    void Run()
    {
        const size_t before = errors_.size();
        for (const ColumnParam* param : all_) {
            CheckParam(param->def);
        }
        for (const ColumnParam& output : columns_.outputs) {
            if (output.def.scalar || output.def.scalar_list) {
                Error(output.def, "an output cannot be Scalar or ScalarList");
            }
        }
        for (const ColumnParam& input : columns_.inputs) {
            if (input.def.init_value_set || !input.def.init_values.empty()) {
                Error(input.def, "InitValue is for outputs");
            }
        }
        const size_t plain = PlainLength();
        if (errors_.size() != before) {
            return;
        }
        for (size_t column = 0; column < plain; ++column) {
            Expand(0, column);
        }
        CopyReferred();
        CheckDependentLengths(plain);
    }

private:
    void Error(const ParamData& def, const std::string& text)
    {
        errors_.push_back("parameter " + def.name + ": " + text);
    }

    void CheckParam(const ParamData& def)
    {
        if (def.types_set && def.types_list_set) {
            Error(def, "DataType and DataTypeList are both set, use one of them");
        }
        if (def.formats_set && def.formats_list_set) {
            Error(def, "Format and FormatList are both set, use one of them");
        }
        if ((def.types_set && def.types.empty()) || (def.types_list_set && def.types_list.empty())) {
            Error(def, "its data type list is empty");
        }
        if ((def.formats_set && def.formats.empty()) || (def.formats_list_set && def.formats_list.empty())) {
            Error(def, "its format list is empty");
        }
        if (HasDuplicate(def.types_list)) {
            Error(def, "DataTypeList names a data type twice");
        }
        if (HasDuplicate(def.formats_list)) {
            Error(def, "FormatList names a format twice");
        }
        if (!def.types_set && !def.types_list_set && !FixedType(def) && !Follows(def, FollowType::DTYPE)) {
            Error(def, "it has no data types: call DataType, DataTypeList or Follow");
        }
        if (def.value_depend == "invalid") {
            Error(def, "ValueDepend takes REQUIRED or OPTIONAL");
        }
        if (FixedType(def) && !def.scalar && !def.scalar_list) {
            Error(def, "To is for Scalar and ScalarList parameters");
        }
        if (!def.follow_name.empty() && Find(def.follow_name) == nullptr) {
            Error(def, "it follows '" + def.follow_name + "', which the op does not have");
        }
        if (!def.to_name.empty() && Find(def.to_name) == nullptr) {
            Error(def, "To names '" + def.to_name + "', which the op does not have");
        }
    }

    bool PlainTypes(const ParamData& def) const { return def.types_set && !FixedType(def); }
    bool PlainFormats(const ParamData& def) const { return def.formats_set && !FixedFormat(def); }

    // The common length of all plain vectors; 1 when every parameter uses lists.
    size_t PlainLength()
    {
        struct Vector {
            std::string what;
            size_t length;
        };
        std::vector<Vector> vectors;
        for (const ColumnParam* param : all_) {
            if (PlainTypes(param->def)) {
                vectors.push_back({param->def.name + ".DataType", param->def.types.size()});
            }
            if (PlainFormats(param->def)) {
                vectors.push_back({param->def.name + ".Format", param->def.formats.size()});
            }
        }
        for (const Vector& vector : vectors) {
            if (vector.length != vectors.front().length) {
                errors_.push_back(vectors.front().what + " has " + std::to_string(vectors.front().length) +
                                  " entries, " + vector.what + " has " + std::to_string(vector.length) +
                                  ": all DataType and Format vectors of an op need one length");
            }
        }
        return vectors.empty() ? 1U : vectors.front().length;
    }

    // One plain column against all lists; parameters in order, later ones change fastest, types before formats.
    void Expand(size_t step, size_t column)
    {
        if (step == all_.size() * 2U) {
            for (size_t i = 0; i < all_.size(); ++i) {
                all_[i]->types.push_back(types_[i]);
                all_[i]->formats.push_back(formats_[i]);
                if (PlainTypes(all_[i]->def) && column < all_[i]->def.types_for_bin.size()) {
                    all_[i]->types_for_bin.push_back(all_[i]->def.types_for_bin[column]);
                }
                if (PlainFormats(all_[i]->def) && column < all_[i]->def.formats_for_bin.size()) {
                    all_[i]->formats_for_bin.push_back(all_[i]->def.formats_for_bin[column]);
                }
            }
            return;
        }
        types_.resize(all_.size(), ge::DT_UNDEFINED);
        formats_.resize(all_.size(), ge::FORMAT_ND);
        const size_t i = step / 2U;
        const ParamData& def = all_[i]->def;
        if (step % 2U == 0) {
            if (def.types_list_set && !FixedType(def)) {
                for (const ge::DataType type : def.types_list) {
                    types_[i] = type;
                    Expand(step + 1U, column);
                }
                return;
            }
            types_[i] = FixedType(def) ? def.to_type : def.types_set ? def.types[column] : ge::DT_UNDEFINED;
        } else {
            if (def.formats_list_set && !FixedFormat(def)) {
                for (const ge::Format format : def.formats_list) {
                    formats_[i] = format;
                    Expand(step + 1U, column);
                }
                return;
            }
            formats_[i] = PlainFormats(def) ? def.formats[column] : ge::FORMAT_ND;
        }
        Expand(step + 1U, column);
    }

    ColumnParam* Find(const std::string& name)
    {
        const auto found = std::find_if(all_.begin(), all_.end(),
                                        [&](const ColumnParam* param) { return param->def.name == name; });
        return found == all_.end() ? nullptr : *found;
    }

    void CopyReferred()
    {
        for (ColumnParam* param : all_) {
            if (!param->def.to_name.empty()) {
                param->types = Find(param->def.to_name)->types;
            }
            if (!param->def.follow_name.empty() && Follows(param->def, FollowType::DTYPE)) {
                param->types = Find(param->def.follow_name)->types;
            }
            if (!param->def.follow_name.empty() && Follows(param->def, FollowType::FORMAT)) {
                param->formats = Find(param->def.follow_name)->formats;
            }
        }
    }

    void CheckDependentLengths(size_t plain)
    {
        for (const ColumnParam* param : all_) {
            const ParamData& def = param->def;
            const auto check = [&](const char* what, size_t got, size_t wanted) {
                if (got != 0 && got != wanted) {
                    Error(def, std::string(what) + " has " + std::to_string(got) + " entries, the op has " +
                                   std::to_string(wanted) + " columns");
                }
            };
            check("DataTypeForBinQuery", def.types_for_bin.size(), plain);
            check("FormatForBinQuery", def.formats_for_bin.size(), plain);
            if (std::count(param->types.begin(), param->types.end(), ge::DT_UNDEFINED) != 0) {
                Error(def, "it has no data type in some column: a parameter that others follow needs its own");
            }
        }
    }

    Columns& columns_;
    std::vector<std::string>& errors_;
    std::vector<ColumnParam*> all_;
    std::vector<ge::DataType> types_;
    std::vector<ge::Format> formats_;
};

bool SaysNothing(const std::vector<ColumnParam>& params)
{
    return std::all_of(params.begin(), params.end(), [](const ColumnParam& param) {
        const ParamData& def = param.def;
        return !def.types_set && !def.types_list_set && !def.formats_set && !def.formats_list_set && !FixedType(def) &&
               def.follow_name.empty();
    });
}
} // namespace

Columns ResolveColumns(const OpDef& op, const OpAICoreConfig& config, std::vector<std::string>& errors)
{
    Columns columns;
    columns.inputs = MergeParams(OpDefAccess::Inputs(op), OpDefAccess::Inputs(config));
    columns.outputs = MergeParams(OpDefAccess::Outputs(op), OpDefAccess::Outputs(config));
    // Then the function says what there is; without one every parameter must.
    if (!OpDefAccess::SelectsFormat(op) || !SaysNothing(columns.inputs) || !SaysNothing(columns.outputs)) {
        Resolver(columns, errors).Run();
    }
    return columns;
}
} // namespace ops
