// From what an op definition says to the columns of one soc: one data type and format per parameter and column.
#ifndef HOSTCANN_NNOPBASE_GERT_OP_DEF_COLUMNS_H
#define HOSTCANN_NNOPBASE_GERT_OP_DEF_COLUMNS_H

#include <string>
#include <vector>

#include "op_def_access.h"

namespace ops {
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
