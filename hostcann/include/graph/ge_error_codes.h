// The older spelling of graph/error_codes.h.
#ifndef INC_EXTERNAL_GRAPH_GE_ERROR_CODES_H_
#define INC_EXTERNAL_GRAPH_GE_ERROR_CODES_H_

#include "graph/error_codes.h"

#endif
