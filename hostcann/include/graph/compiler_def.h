#ifndef HOSTCANN_GRAPH_COMPILER_DEF_H
#define HOSTCANN_GRAPH_COMPILER_DEF_H

#define VAR_UNUSED __attribute__((unused))

#endif
