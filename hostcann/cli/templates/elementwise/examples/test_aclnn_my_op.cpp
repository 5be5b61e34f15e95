/**
 * Copyright (c) 2026 The MyOp operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

//@example.cpp

// Small integers of both signs: every type holds them and their results exactly.
template <typename T>
T ValueAt(int64_t i)
{
    return static_cast<T>(i * 7 % 201 - 100);
}

template <typename T>
T Golden(T x)
{
    return x > 0 ? x : 0;
}

template <typename T>
int32_t Run(aclrtStream stream, aclDataType dtype, const Shape& shape)
{
    std::vector<T> xHost;
    std::vector<T> expected;
    for (int64_t i = 0; i < CountOf(shape); i++) {
        xHost.push_back(ValueAt<T>(i));
        expected.push_back(Golden(xHost.back()));
    }
    DeviceTensor x;
    CHECK_STATUS(CreateTensor(xHost, shape, dtype, x));
    DeviceTensor y;
    CHECK_STATUS(CreateTensor(std::vector<T>(xHost.size()), shape, dtype, y));

    // Phase 1 checks the arguments and tells the workspace, phase 2 queues the computation.
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    CHECK_STATUS(aclnnMyOpGetWorkspaceSize(x.tensor, y.tensor, &workspaceSize, &executor));
    void* workspace = nullptr;
    if (workspaceSize > 0) {
        CHECK_STATUS(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    CHECK_STATUS(aclnnMyOp(workspace, workspaceSize, executor, stream));
    CHECK_STATUS(aclrtSynchronizeStream(stream));

    std::vector<T> actual(expected.size());
    const size_t bytes = actual.size() * sizeof(T);
    CHECK_STATUS(aclrtMemcpy(actual.data(), bytes, y.data, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    const int32_t wrong = Compare(actual, expected);
    std::printf("%ld elements of %zu bytes: %d wrong\n", CountOf(shape), sizeof(T), wrong);

    DestroyTensor(x);
    DestroyTensor(y);
    if (workspace != nullptr) {
        CHECK_STATUS(aclrtFree(workspace));
    }
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
    int32_t failed = 0;
    for (const Shape& shape : {Shape{1}, Shape{7}, Shape{32, 33}, Shape{100003}}) {
        failed += Run<float>(stream, ACL_FLOAT, shape);
        failed += Run<int32_t>(stream, ACL_INT32, shape);
    }
    CHECK_STATUS(aclrtDestroyStream(stream));
    CHECK_STATUS(aclrtResetDevice(deviceId));
    CHECK_STATUS(aclFinalize());
    std::printf("my_op: %s\n", failed == 0 ? "all values right" : "wrong values");
    return failed == 0 ? 0 : 1;
}
