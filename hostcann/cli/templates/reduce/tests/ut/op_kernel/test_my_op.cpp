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
#undef DTYPE_X
#define DTYPE_X float
namespace KernelFloat {
#include "../../../op_kernel/my_op.cpp"
}
#undef DTYPE_X
#define DTYPE_X half
namespace KernelHalf {
#include "../../../op_kernel/my_op.cpp"
}

namespace {
// The kernel's signature: inputs, outputs, workspace, tiling data. ICPU_RUN_KF passes the same.
using Kernel = void (*)(GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR);

//@gm.cpp

// Three cores at most, in tiles of tileRows x tileColumns.
template <typename T>
void Check(Kernel kernel, int64_t rows, int64_t columns, int64_t tileRows, int64_t tileColumns)
{
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " in tiles of " + std::to_string(tileRows) +
                 " x " + std::to_string(tileColumns));
    std::vector<float> values;
    for (int64_t i = 0; i < rows * columns; i++) {
        values.push_back(static_cast<float>(i * 7 % 11 - 4));
    }
    const Gm<T> x(values);
    const Gm<T> y(static_cast<size_t>(rows));
    const int64_t blockLength = MY_OP_BLOCK_BYTES / sizeof(T);
    const int64_t coreRows = (rows / 3 + blockLength) / blockLength * blockLength;
    const MyOpTilingData tiling{rows, columns, coreRows, tileRows, tileColumns};
    auto* data = static_cast<uint8_t*>(AscendC::GmAlloc(sizeof(tiling)));
    auto* workspace = static_cast<uint8_t*>(AscendC::GmAlloc(32));
    std::memcpy(data, &tiling, sizeof(tiling));

    const auto cores = static_cast<uint32_t>((rows + coreRows - 1) / coreRows);
    ICPU_SET_TILING_KEY(0);
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(kernel, cores, x.Address(), y.Address(), workspace, data);

    for (int64_t row = 0; row < rows; row++) {
        float expected = 0.0f;
        for (int64_t column = 0; column < columns; column++) {
            expected += values[row * columns + column];
        }
        ASSERT_EQ(y.At(row), expected) << "row " << row;
    }
    EXPECT_TRUE(y.IsGuardWhole());
    AscendC::GmFree(workspace);
    AscendC::GmFree(data);
}

template <typename T>
void CheckShapes(Kernel kernel)
{
    Check<T>(kernel, 1, 1, 1, 1);
    Check<T>(kernel, 100, 9, 16, 9);  // rows with padding, several tiles
    Check<T>(kernel, 40, 64, 7, 64);  // one repeat a row
    Check<T>(kernel, 5, 300, 1, 300); // several repeats a row
    Check<T>(kernel, 9, 300, 1, 128); // rows in several tiles
    Check<T>(kernel, 50, 65, 16, 65); // one element more than a repeat
}
} // namespace

TEST(MyOpKernelTest, float32) { CheckShapes<float>(&KernelFloat::my_op<0>); }

TEST(MyOpKernelTest, float16) { CheckShapes<half>(&KernelHalf::my_op<0>); }
