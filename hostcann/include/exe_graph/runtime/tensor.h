// The older spelling of exe_graph/runtime/runtime_tensor.h.
#ifndef HOSTCANN_EXE_GRAPH_TENSOR_H
#define HOSTCANN_EXE_GRAPH_TENSOR_H

#include "exe_graph/runtime/runtime_tensor.h"

#endif
