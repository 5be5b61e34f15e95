// The graph engine's operator, as far as it is here.
#ifndef INC_EXTERNAL_GRAPH_OPERATOR_H_
#define INC_EXTERNAL_GRAPH_OPERATOR_H_

#include "graph/operator_reg.h"

#endif
