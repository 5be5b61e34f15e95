/**
 * Copyright (c) 2026 The Fmod operator authors.
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
#include "aclnnop/aclnn_fmod_tensor_v2.h"

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
constexpr int8_t PRECISION_EXACT = 1; // every bit as C fmodf

struct DeviceTensor {
    void* data = nullptr;
    aclTensor* tensor = nullptr;
};

int32_t CreateTensor(const std::vector<float>& host, const std::vector<int64_t>& shape, DeviceTensor& device)
{
    const size_t bytes = host.size() * sizeof(float);
    CHECK_STATUS(aclrtMalloc(&device.data, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_STATUS(aclrtMemcpy(device.data, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t i = shape.size() - 1; i > 0; i--) {
        strides[i - 1] = strides[i] * shape[i];
    }
    device.tensor = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides.data(), 0, ACL_FORMAT_ND,
                                    shape.data(), shape.size(), device.data);
    if (device.tensor == nullptr) {
        std::printf("aclCreateTensor failed\n");
        return 1;
    }
    return 0;
}

void DestroyTensor(const DeviceTensor& device)
{
    aclDestroyTensor(device.tensor);
    aclrtFree(device.data);
}

// Prints every element and returns how many differ from what C fmod gives, the sign of zero included.
int32_t Compare(const char* name, const DeviceTensor& device, const std::vector<float>& expected)
{
    std::vector<float> actual(expected.size(), 0.0f);
    const size_t bytes = actual.size() * sizeof(float);
    CHECK_STATUS(aclrtMemcpy(actual.data(), bytes, device.data, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    int32_t wrong = 0;
    for (size_t i = 0; i < actual.size(); i++) {
        const bool same = actual[i] == expected[i] && std::signbit(actual[i]) == std::signbit(expected[i]);
        std::printf("%s[%zu] = %.9g%s\n", name, i, actual[i], same ? "" : "   <- wrong");
        wrong += same ? 0 : 1;
    }
    return wrong;
}

int32_t Fmod(const aclTensor* self, const aclTensor* other, aclTensor* out, aclrtStream stream)
{
    // Phase 1 checks the arguments and tells the workspace, phase 2 queues the computation.
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    CHECK_STATUS(aclnnFmodTensorV2GetWorkspaceSize(self, other, PRECISION_EXACT, out, &workspaceSize, &executor));
    void* workspace = nullptr;
    if (workspaceSize > 0) {
        CHECK_STATUS(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    CHECK_STATUS(aclnnFmodTensorV2(workspace, workspaceSize, executor, stream));
    CHECK_STATUS(aclrtSynchronizeStream(stream));
    if (workspaceSize > 0) {
        CHECK_STATUS(aclrtFree(workspace));
    }
    return 0;
}

int32_t InplaceFmod(aclTensor* selfRef, const aclTensor* other, aclrtStream stream)
{
    // Phase 1 checks the arguments and tells the workspace, phase 2 queues the computation.
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    CHECK_STATUS(aclnnInplaceFmodTensorV2GetWorkspaceSize(selfRef, other, PRECISION_EXACT, &workspaceSize, &executor));
    void* workspace = nullptr;
    if (workspaceSize > 0) {
        CHECK_STATUS(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    CHECK_STATUS(aclnnInplaceFmodTensorV2(workspace, workspaceSize, executor, stream));
    CHECK_STATUS(aclrtSynchronizeStream(stream));
    if (workspaceSize > 0) {
        CHECK_STATUS(aclrtFree(workspace));
    }
    return 0;
}

int32_t Run(aclrtStream stream)
{
    // Quotients next to an integer or beyond 24 bits, a zero result with a sign, an infinite divisor.
    const std::vector<int64_t> shape = {2, 4};
    const std::vector<float> selfHost = {5.5f, -5.5f, 3.3f, 1e10f, 3.4e38f, -6.0f, 2.5f, 5.3f};
    const std::vector<float> otherHost = {1.1f, 1.1f, 1.1f, 3.0f, 7.0f, 3.0f, INFINITY, 2.0f};
    const std::vector<float> expected = {1.0999999f, -1.0999999f, 1.0999999f, 1.0f, 1.0f, -0.0f, 2.5f, 1.3000002f};
    DeviceTensor self;
    CHECK_STATUS(CreateTensor(selfHost, shape, self));
    DeviceTensor other;
    CHECK_STATUS(CreateTensor(otherHost, shape, other));
    DeviceTensor out;
    CHECK_STATUS(CreateTensor(std::vector<float>(selfHost.size(), 0.0f), shape, out));

    CHECK_STATUS(Fmod(self.tensor, other.tensor, out.tensor, stream));
    int32_t wrong = Compare("out", out, expected);
    CHECK_STATUS(InplaceFmod(self.tensor, other.tensor, stream));
    wrong += Compare("selfRef", self, expected);

    DestroyTensor(self);
    DestroyTensor(other);
    DestroyTensor(out);
    return wrong;
}
} // namespace

int main()
{
    const int32_t deviceId = 0;
    aclrtStream stream = nullptr;
    CHECK_STATUS(aclInit(nullptr));
    CHECK_STATUS(aclrtSetDevice(deviceId));
    CHECK_STATUS(aclrtCreateStream(&stream));
    const int32_t wrong = Run(stream);
    CHECK_STATUS(aclrtDestroyStream(stream));
    CHECK_STATUS(aclrtResetDevice(deviceId));
    CHECK_STATUS(aclFinalize());
    std::printf("self fmod other, exact: %s\n", wrong == 0 ? "all values right" : "wrong values");
    return wrong == 0 ? 0 : 1;
}
