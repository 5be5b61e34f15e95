#ifndef HOSTCANN_EXE_GRAPH_BASE_TYPE_H
#define HOSTCANN_EXE_GRAPH_BASE_TYPE_H

#ifdef __cplusplus
extern "C" {
#endif
typedef unsigned int UINT32;
typedef UINT32 KernelStatus;
#ifdef __cplusplus
}
#endif

#endif
