// Named in registration signatures only; hostcann never builds one.
#ifndef HOSTCANN_EXE_GRAPH_OP_EXECUTE_LAUNCH_CONTEXT_H
#define HOSTCANN_EXE_GRAPH_OP_EXECUTE_LAUNCH_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {
class OpExecuteLaunchContext : public ExtendedKernelContext {};
} // namespace gert

#endif
