// The operator prototypes that op_build writes for the graph engine.
#ifndef HOSTCANN_NNOPBASE_GERT_PROTO_SOURCE_H
#define HOSTCANN_NNOPBASE_GERT_PROTO_SOURCE_H

#include <string>
#include <vector>

#include "register/op_def.h"

namespace ops {
// op_proto.h: REG_OP for every definition.
std::string MakeProtoHeader(const std::vector<OpDef>& ops);

// op_proto.cc, which projects compile. There is no graph engine here to which the prototypes could be announced.
std::string MakeProtoSource();
} // namespace ops

#endif
