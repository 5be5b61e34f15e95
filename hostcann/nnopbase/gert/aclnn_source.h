// The aclnn interface that op_build generates from an op definition: aclnn_<op>.h and aclnn_<op>.cpp.
#ifndef HOSTCANN_NNOPBASE_GERT_ACLNN_SOURCE_H
#define HOSTCANN_NNOPBASE_GERT_ACLNN_SOURCE_H

#include <string>
#include <vector>

#include "op_def_access.h"

namespace ops {
struct AclnnSource {
    std::string stem; // file name without extension
    std::string header, source;
};

// project: OPS_PROJECT_NAME, "aclnn" or "aclnnInner"; it begins file and function names. Every mistake of the
// definition is appended to errors; the result is usable only when none was.
AclnnSource MakeAclnnSource(const OpDef& op, const std::string& project, std::vector<std::string>& errors);
} // namespace ops

#endif
