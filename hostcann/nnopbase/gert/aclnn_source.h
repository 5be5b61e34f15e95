// The aclnn interface that op_build generates from an op definition, aclnn_<op>.h and aclnn_<op>.cpp: what it looks
// like (names, types and order of the parameters), and its text.
#ifndef HOSTCANN_NNOPBASE_GERT_ACLNN_SOURCE_H
#define HOSTCANN_NNOPBASE_GERT_ACLNN_SOURCE_H

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "op_def_access.h"

namespace ops {
enum class AclnnRole { kInput, kAttr, kOutput };

struct AclnnParam {
    AclnnRole role = AclnnRole::kInput;
    size_t index = 0; // in the definition's inputs, attributes or outputs
    std::string name;
    std::string type, tensor_type;   // of the two forms of phase 1; the second takes tensors for value dependent inputs
    std::string adder, tensor_adder; // Nnopbase function that takes it
    bool needed = false;             // a null pointer is an error
    bool dynamic = false;
    uint32_t version = 0;      // the first interface that has it
    std::string scalar_target; // source index and data type of a scalar
    AttrDataType attr_type = AttrDataType::ATTR_DT_MAX;
    std::string default_value, element, element_kind; // of attributes
};

struct AclnnSignature {
    std::string stem, guard, function;
    uint32_t version = 0;                        // parameters of later ones are absent or have their default
    std::vector<AclnnParam> params;              // inputs, attributes, outputs that are not inputs, too
    std::vector<std::pair<size_t, size_t>> refs; // input and output of one name
    std::map<std::string, Columns> socs;
    std::vector<int> input_codes, output_codes, attr_codes; // as NnopbaseGetExecutor wants them
    bool has_value_depend = false;
    bool auto_contiguous = false;
    bool strict_format = false;
    bool launch_empty = false;

    const AclnnParam& Input(size_t index) const { return params[index]; }
};

AclnnSignature ReadAclnnSignature(const OpDef& op, const std::string& project, std::vector<std::string>& errors,
                                  uint32_t version = 0);

struct AclnnSource {
    std::string stem; // file name without extension
    std::string header, source;
};

// project: OPS_PROJECT_NAME, "aclnn" or "aclnnInner"; it begins file and function names. Every mistake of the
// definition is appended to errors; the result is usable only when none was.
AclnnSource MakeAclnnSource(const OpDef& op, const std::string& project, std::vector<std::string>& errors,
                            uint32_t version = 0);
// One for each version of its parameters: aclnnScale, aclnnScaleV1 and so on.
std::vector<AclnnSource> MakeAclnnSources(const OpDef& op, const std::string& project,
                                          std::vector<std::string>& errors);
} // namespace ops

#endif
