/**
 * Copyright (c) 2026 The MyOp operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

#include <cstring>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "tikicpulib.h"
#include "../../../op_kernel/my_op.h"

// Read without REGISTER_TILING_DEFAULT, the harness asks for the tiling struct by this name.
using TestUtDefaultTilingStruct = MyOpTilingData;

// The entry takes its data type from a macro: one copy of it for each, in a namespace of its own.
#undef DTYPE_X1
#define DTYPE_X1 float
namespace KernelFloat {
#include "../../../op_kernel/my_op.cpp"
}
#undef DTYPE_X1
#define DTYPE_X1 half
namespace KernelHalf {
#include "../../../op_kernel/my_op.cpp"
}
#undef DTYPE_X1
#define DTYPE_X1 int32_t
namespace KernelInt32 {
#include "../../../op_kernel/my_op.cpp"
}

namespace {
// The kernel's signature: inputs, outputs, workspace, tiling data. ICPU_RUN_KF passes the same.
using Kernel = void (*)(GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR);
using Dims = std::vector<int64_t>;

//@gm.cpp

std::vector<float> Values(int64_t count, int64_t step)
{
    std::vector<float> values;
    for (int64_t i = 0; i < count; i++) {
        values.push_back(static_cast<float>(i * step % 201 - 100));
    }
    return values;
}

// y[rows][columns] = x1 + x2 with these strides, in tiles of tileLength on three cores.
template <typename T>
void Check(Kernel kernel, const Dims& dims, const Dims& x1Stride, const Dims& x2Stride, int64_t tileLength)
{
    SCOPED_TRACE(std::to_string(dims[0]) + " rows of " + std::to_string(dims[1]) + " in tiles of " +
                 std::to_string(tileLength));
    MyOpTilingData tiling = {};
    for (uint32_t i = 0; i < MY_OP_MAX_DIM; i++) {
        tiling.dims[i] = 1;
    }
    int64_t x1Count = 1;
    int64_t x2Count = 1;
    for (uint32_t i = 0; i < 2; i++) {
        tiling.dims[MY_OP_MAX_DIM - 2 + i] = dims[i];
        tiling.x1Stride[MY_OP_MAX_DIM - 2 + i] = x1Stride[i];
        tiling.x2Stride[MY_OP_MAX_DIM - 2 + i] = x2Stride[i];
        x1Count += (dims[i] - 1) * x1Stride[i];
        x2Count += (dims[i] - 1) * x2Stride[i];
    }
    tiling.tileLength = tileLength;
    tiling.rowTiles = (dims[1] + tileLength - 1) / tileLength;
    tiling.totalTiles = dims[0] * tiling.rowTiles;
    tiling.coreTiles = (tiling.totalTiles + 2) / 3;

    const std::vector<float> x1Values = Values(x1Count, 7);
    const std::vector<float> x2Values = Values(x2Count, 11);
    const Gm<T> x1(x1Values);
    const Gm<T> x2(x2Values);
    const Gm<T> y(static_cast<size_t>(dims[0] * dims[1]));
    auto* data = static_cast<uint8_t*>(AscendC::GmAlloc(sizeof(tiling)));
    auto* workspace = static_cast<uint8_t*>(AscendC::GmAlloc(32));
    std::memcpy(data, &tiling, sizeof(tiling));
    ICPU_SET_TILING_KEY(0);
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(kernel, 3, x1.Address(), x2.Address(), y.Address(), workspace, data);

    for (int64_t row = 0; row < dims[0]; row++) {
        for (int64_t column = 0; column < dims[1]; column++) {
            const float a = x1Values[row * x1Stride[0] + column * x1Stride[1]];
            const float b = x2Values[row * x2Stride[0] + column * x2Stride[1]];
            ASSERT_EQ(y.At(row * dims[1] + column), a + b) << "row " << row << " column " << column;
        }
    }
    EXPECT_TRUE(y.IsGuardWhole());
    AscendC::GmFree(workspace);
    AscendC::GmFree(data);
}

template <typename T>
void CheckLayouts(Kernel kernel)
{
    Check<T>(kernel, {1, 1000}, {1000, 1}, {1000, 1}, 128); // the same shape
    Check<T>(kernel, {7, 300}, {300, 1}, {0, 1}, 128);      // a row
    Check<T>(kernel, {7, 300}, {300, 1}, {1, 0}, 128);      // a column
    Check<T>(kernel, {7, 33}, {0, 0}, {33, 1}, 128);        // one element
    Check<T>(kernel, {5, 9}, {0, 1}, {1, 0}, 512);          // both sides
}
} // namespace

TEST(MyOpKernelTest, float32) { CheckLayouts<float>(&KernelFloat::my_op<0>); }

TEST(MyOpKernelTest, float16) { CheckLayouts<half>(&KernelHalf::my_op<0>); }

TEST(MyOpKernelTest, int32) { CheckLayouts<int32_t>(&KernelInt32::my_op<0>); }
