/**
 * Copyright (c) 2026 The Fmod operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

#include <cstdint>
#include <cstdio>
#include <vector>
#include "acl/acl.h"
#include "aclnnop/aclnn_fmod_tensor.h"

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

// Phase 2 queues what phase 1 has planned.
int32_t Execute(decltype(&aclnnFmodTensor) phase2, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream)
{
    void* workspace = nullptr;
    if (workspaceSize > 0) {
        CHECK_STATUS(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    CHECK_STATUS(phase2(workspace, workspaceSize, executor, stream));
    CHECK_STATUS(aclrtSynchronizeStream(stream));
    if (workspaceSize > 0) {
        CHECK_STATUS(aclrtFree(workspace));
    }
    return 0;
}

// Prints every element and returns how many differ from what C fmod gives.
int32_t Compare(const char* name, const DeviceTensor& device, const std::vector<float>& expected)
{
    std::vector<float> actual(expected.size(), 0.0f);
    const size_t bytes = actual.size() * sizeof(float);
    CHECK_STATUS(aclrtMemcpy(actual.data(), bytes, device.data, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    int32_t wrong = 0;
    for (size_t i = 0; i < actual.size(); i++) {
        const bool same = actual[i] == expected[i];
        std::printf("%s[%zu] = %.9g%s\n", name, i, actual[i], same ? "" : "   <- wrong");
        wrong += same ? 0 : 1;
    }
    return wrong;
}

int32_t Run(aclrtStream stream)
{
    const std::vector<int64_t> shape = {2, 4};
    const std::vector<float> selfHost = {5.3f, -5.3f, 5.3f, -5.3f, 7.5f, 8.5f, 9.0f, -6.25f};
    const std::vector<float> otherHost = {2.0f, 2.0f, -2.0f, -2.0f, 2.5f, 4.0f, 3.0f, 0.75f};
    const std::vector<float> expected = {1.3000002f, -1.3000002f, 1.3000002f, -1.3000002f, 0.0f, 0.5f, 0.0f, -0.25f};
    DeviceTensor self;
    CHECK_STATUS(CreateTensor(selfHost, shape, self));
    DeviceTensor other;
    CHECK_STATUS(CreateTensor(otherHost, shape, other));
    DeviceTensor out;
    CHECK_STATUS(CreateTensor(std::vector<float>(selfHost.size(), 0.0f), shape, out));

    // Phase 1 checks the arguments and gives the size of the workspace.
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    CHECK_STATUS(aclnnFmodTensorGetWorkspaceSize(self.tensor, other.tensor, out.tensor, &workspaceSize, &executor));
    CHECK_STATUS(Execute(aclnnFmodTensor, workspaceSize, executor, stream));
    int32_t wrong = Compare("out", out, expected);

    CHECK_STATUS(aclnnInplaceFmodTensorGetWorkspaceSize(self.tensor, other.tensor, &workspaceSize, &executor));
    CHECK_STATUS(Execute(aclnnInplaceFmodTensor, workspaceSize, executor, stream));
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
    std::printf("self fmod other: %s\n", wrong == 0 ? "all values right" : "wrong values");
    return wrong == 0 ? 0 : 1;
}
