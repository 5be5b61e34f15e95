/**
 * Copyright (c) 2026 The MyOp operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>
#include "acl/acl.h"
#include "aclnn_my_op.h"

#define CHECK_STATUS(call)                                                                             \
    do {                                                                                               \
        const int32_t status = (call);                                                                 \
        if (status != 0) {                                                                             \
            const char* text = aclGetRecentErrMsg();                                                   \
            std::printf("%s returned %d: %s\n", #call, status, text == nullptr ? "no message" : text); \
            return 1;                                                                                  \
        }                                                                                              \
    } while (0)

namespace {
using Shape = std::vector<int64_t>;

int64_t CountOf(const Shape& shape)
{
    int64_t count = 1;
    for (int64_t dim : shape) {
        count *= dim;
    }
    return count;
}

// A contiguous tensor in device memory.
struct DeviceTensor {
    void* data = nullptr;
    aclTensor* tensor = nullptr;
};

template <typename T>
int32_t CreateTensor(const std::vector<T>& host, const Shape& shape, aclDataType dtype, DeviceTensor& device)
{
    const size_t bytes = host.size() * sizeof(T);
    CHECK_STATUS(aclrtMalloc(&device.data, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_STATUS(aclrtMemcpy(device.data, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    Shape strides(shape.size(), 1);
    for (size_t i = shape.size(); i > 1; i--) {
        strides[i - 2] = strides[i - 1] * shape[i - 1];
    }
    device.tensor = aclCreateTensor(shape.data(), shape.size(), dtype, strides.data(), 0, ACL_FORMAT_ND, shape.data(),
                                    shape.size(), device.data);
    return device.tensor == nullptr ? 1 : 0;
}

void DestroyTensor(const DeviceTensor& device)
{
    aclDestroyTensor(device.tensor);
    aclrtFree(device.data);
}

// Prints the first wrong elements and returns how many there are. The tolerance of rounded results is relative.
template <typename T>
int32_t Compare(const std::vector<T>& actual, const std::vector<T>& expected, double tolerance = 0.0)
{
    int32_t wrong = 0;
    for (size_t i = 0; i < actual.size(); i++) {
        const double got = static_cast<double>(actual[i]);
        const double wanted = static_cast<double>(expected[i]);
        if (got == wanted || std::fabs(got - wanted) <= tolerance * std::fabs(wanted)) {
            continue;
        }
        if (wrong < 8) {
            std::printf("result[%zu] = %.9g, expected %.9g\n", i, got, wanted);
        }
        wrong++;
    }
    return wrong;
}
