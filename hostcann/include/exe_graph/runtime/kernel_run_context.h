// The C layout behind every context: `values` holds input_size inputs followed by output_size outputs.
#ifndef HOSTCANN_EXE_GRAPH_KERNEL_RUN_CONTEXT_H
#define HOSTCANN_EXE_GRAPH_KERNEL_RUN_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "exe_graph/runtime/base_type.h"

#ifdef __cplusplus
extern "C" {
#endif
typedef void (*FreeCallback)(void*);
typedef struct {
    union {
        void* pointer;
        unsigned char inplace[sizeof(void*)];
    } data;
    FreeCallback deleter;
} AsyncAnyValue;

typedef struct {
    size_t input_size;
    size_t output_size;
    const void* compute_node_info;
    const void* kernel_extend_info;
    AsyncAnyValue** output_start;
    AsyncAnyValue* values[1];
} KernelRunContext;
#ifdef __cplusplus
}
#endif

#endif
