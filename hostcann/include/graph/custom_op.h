// The entry of operators that the graph engine calls to run themselves.
#ifndef HOSTCANN_GRAPH_CUSTOM_OP_H
#define HOSTCANN_GRAPH_CUSTOM_OP_H

#error "operators of the graph engine (graph/custom_op.h) are not modelled: hostcann has no GE, and no torchair"

#endif // HOSTCANN_GRAPH_CUSTOM_OP_H
