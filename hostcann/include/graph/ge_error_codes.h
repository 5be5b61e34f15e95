// The older spelling of graph/error_codes.h.
#ifndef HOSTCANN_GRAPH_GE_ERROR_CODES_H
#define HOSTCANN_GRAPH_GE_ERROR_CODES_H

#include "graph/error_codes.h"

#endif
