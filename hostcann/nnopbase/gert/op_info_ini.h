// The text of aic-<soc>-ops-info.ini.
#ifndef HOSTCANN_NNOPBASE_GERT_OP_INFO_INI_H
#define HOSTCANN_NNOPBASE_GERT_OP_INFO_INI_H

#include <map>
#include <string>
#include <vector>

#include "register/op_def.h"

namespace ops {
struct OpInfoIni {
    std::map<std::string, std::string> text_of_soc;
    std::vector<std::string> errors; // empty: the texts are good
};

OpInfoIni MakeOpInfoIni(const std::vector<OpDef>& ops);

// AddExample -> add_example; runs of capitals stay together: SoftmaxV2 -> softmax_v2, IsNAN -> is_nan.
std::string SnakeCase(const std::string& op_type);
} // namespace ops

#endif
