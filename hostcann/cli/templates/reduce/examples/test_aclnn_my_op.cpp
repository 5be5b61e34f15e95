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

// Small integers of both signs: float holds them and their sums exactly, in any order.
float ValueAt(int64_t i) { return static_cast<float>(i * 7 % 201 - 90); }

int32_t Run(aclrtStream stream, const Shape& xShape)
{
    const Shape yShape(xShape.begin(), xShape.end() - 1);
    const int64_t columns = xShape.back();
    std::vector<float> xHost;
    std::vector<float> expected;
    for (int64_t row = 0; row < CountOf(yShape); row++) {
        expected.push_back(0.0f);
        for (int64_t column = 0; column < columns; column++) {
            xHost.push_back(ValueAt(row * columns + column));
            expected.back() += xHost.back();
        }
    }
    DeviceTensor x;
    CHECK_STATUS(CreateTensor(xHost, xShape, ACL_FLOAT, x));
    DeviceTensor y;
    CHECK_STATUS(CreateTensor(std::vector<float>(expected.size()), yShape, ACL_FLOAT, y));

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

    std::vector<float> actual(expected.size());
    const size_t bytes = actual.size() * sizeof(float);
    CHECK_STATUS(aclrtMemcpy(actual.data(), bytes, y.data, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    const int32_t wrong = Compare(actual, expected);
    std::printf("%ld sums of %ld elements: %d wrong\n", CountOf(yShape), columns, wrong);

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
    for (const Shape& shape : {Shape{1}, Shape{7, 5}, Shape{3, 40, 1000}, Shape{2, 20011}, Shape{5000, 9}}) {
        failed += Run(stream, shape);
    }
    CHECK_STATUS(aclrtDestroyStream(stream));
    CHECK_STATUS(aclrtResetDevice(deviceId));
    CHECK_STATUS(aclFinalize());
    std::printf("my_op: %s\n", failed == 0 ? "all values right" : "wrong values");
    return failed == 0 ? 0 : 1;
}
