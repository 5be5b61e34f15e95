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

// The offset of y's element `index` in a contiguous operand that broadcasts to y.
int64_t OffsetIn(const Shape& x, const Shape& y, int64_t index)
{
    int64_t offset = 0;
    int64_t stride = 1;
    for (size_t i = 1; i <= y.size(); i++) {
        const int64_t dim = y[y.size() - i];
        if (i <= x.size()) {
            const int64_t own = x[x.size() - i];
            offset += own == 1 ? 0 : index % dim * stride;
            stride *= own;
        }
        index /= dim;
    }
    return offset;
}

// Small integers of both signs: every type holds them and their results exactly.
template <typename T>
std::vector<T> Values(const Shape& shape, int64_t step)
{
    std::vector<T> values;
    for (int64_t i = 0; i < CountOf(shape); i++) {
        values.push_back(static_cast<T>(i * step % 201 - 100));
    }
    return values;
}

template <typename T>
T Golden(T x1, T x2)
{
    return x1 + x2;
}

template <typename T>
int32_t Run(aclrtStream stream, aclDataType dtype, const Shape& x1Shape, const Shape& x2Shape, const Shape& yShape)
{
    const std::vector<T> x1Host = Values<T>(x1Shape, 7);
    const std::vector<T> x2Host = Values<T>(x2Shape, 11);
    std::vector<T> expected;
    for (int64_t i = 0; i < CountOf(yShape); i++) {
        expected.push_back(Golden(x1Host[OffsetIn(x1Shape, yShape, i)], x2Host[OffsetIn(x2Shape, yShape, i)]));
    }
    DeviceTensor x1;
    CHECK_STATUS(CreateTensor(x1Host, x1Shape, dtype, x1));
    DeviceTensor x2;
    CHECK_STATUS(CreateTensor(x2Host, x2Shape, dtype, x2));
    DeviceTensor y;
    CHECK_STATUS(CreateTensor(std::vector<T>(expected.size()), yShape, dtype, y));

    // Phase 1 checks the arguments and tells the workspace, phase 2 queues the computation.
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    CHECK_STATUS(aclnnMyOpGetWorkspaceSize(x1.tensor, x2.tensor, y.tensor, &workspaceSize, &executor));
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
    std::printf("%ld elements of %zu bytes: %d wrong\n", CountOf(yShape), sizeof(T), wrong);

    DestroyTensor(x1);
    DestroyTensor(x2);
    DestroyTensor(y);
    if (workspace != nullptr) {
        CHECK_STATUS(aclrtFree(workspace));
    }
    return wrong;
}

struct Case {
    Shape x1;
    Shape x2;
    Shape y;
};
} // namespace

int main()
{
    const int32_t deviceId = 0;
    aclrtStream stream = nullptr;
    CHECK_STATUS(aclInit(nullptr));
    CHECK_STATUS(aclrtSetDevice(deviceId));
    CHECK_STATUS(aclrtCreateStream(&stream));
    int32_t failed = 0;
    const std::vector<Case> cases = {
        {{7}, {7}, {7}},                            // the same shape
        {{100003}, {100003}, {100003}},             // on every core
        {{60, 700}, {700}, {60, 700}},              // a row
        {{60, 700}, {60, 1}, {60, 700}},            // a column
        {{1}, {20000}, {20000}},                    // one element
        {{4, 1, 33}, {5, 1}, {4, 5, 33}},           // both sides
        {{2, 3, 1, 17}, {3, 5, 17}, {2, 3, 5, 17}}, // axes that merge on one side only
    };
    for (const Case& one : cases) {
        failed += Run<float>(stream, ACL_FLOAT, one.x1, one.x2, one.y);
        failed += Run<int32_t>(stream, ACL_INT32, one.x1, one.x2, one.y);
    }
    CHECK_STATUS(aclrtDestroyStream(stream));
    CHECK_STATUS(aclrtResetDevice(deviceId));
    CHECK_STATUS(aclFinalize());
    std::printf("my_op: %s\n", failed == 0 ? "all values right" : "wrong values");
    return failed == 0 ? 0 : 1;
}
