// The graph engine's operator, as far as it is here.
#ifndef HOSTCANN_GRAPH_OPERATOR_H
#define HOSTCANN_GRAPH_OPERATOR_H

#include "graph/operator_reg.h"

#endif
