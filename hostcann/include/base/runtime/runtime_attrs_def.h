#ifndef HOSTCANN_BASE_RUNTIME_RUNTIME_ATTRS_DEF_H
#define HOSTCANN_BASE_RUNTIME_RUNTIME_ATTRS_DEF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
// Header of the attribute block of a node; offset[i] counts from its start.
typedef struct {
    size_t attr_num;
    uint8_t reserved_[40];
    size_t offset[];
} RuntimeAttrsDef;
#ifdef __cplusplus
}
#endif

#endif
