// This directory is laid out as a checkout of operators is: its header stands in front of the toolkit's of the same
// name.
#ifndef COMMON_ACLNN_UTIL_H
#define COMMON_ACLNN_UTIL_H

#include <initializer_list>

#include "aclnn/acl_meta.h"

#define ACLNN_API __attribute__((visibility("default")))

inline bool AllThere(std::initializer_list<const aclTensor*> tensors)
{
    for (const aclTensor* tensor : tensors) {
        if (tensor == nullptr) {
            return false;
        }
    }
    return true;
}

#endif
