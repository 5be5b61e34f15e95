// Named in registration signatures only; hostcann never builds any.
#ifndef HOSTCANN_EXE_GRAPH_OP_EXECUTE_CONTEXT_H
#define HOSTCANN_EXE_GRAPH_OP_EXECUTE_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {
class OpExecuteContext : public ExtendedKernelContext {};
class OpExecutePrepareContext : public ExtendedKernelContext {};
class OpExecuteLaunchContext : public ExtendedKernelContext {};
} // namespace gert

#endif
