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
#undef DTYPE_X
#define DTYPE_X int32_t
namespace KernelInt32 {
#include "../../../op_kernel/my_op.cpp"
}

namespace {
// The kernel's signature: inputs, outputs, workspace, tiling data. ICPU_RUN_KF passes the same.
using Kernel = void (*)(GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR);
constexpr int64_t CORE_LENGTH = 2048;

//@gm.cpp

// Shares of 2048 elements, in tiles of tileLength.
template <typename T>
void Check(Kernel kernel, int64_t length, int64_t tileLength)
{
    SCOPED_TRACE(std::to_string(length) + " elements in tiles of " + std::to_string(tileLength));
    std::vector<float> values;
    for (int64_t i = 0; i < length; i++) {
        values.push_back(static_cast<float>(i * 7 % 201 - 100));
    }
    const Gm<T> x(values);
    const Gm<T> y(values.size());
    const MyOpTilingData tiling{length, CORE_LENGTH, tileLength};
    auto* data = static_cast<uint8_t*>(AscendC::GmAlloc(sizeof(tiling)));
    auto* workspace = static_cast<uint8_t*>(AscendC::GmAlloc(32));
    std::memcpy(data, &tiling, sizeof(tiling));

    const auto cores = static_cast<uint32_t>((length + CORE_LENGTH - 1) / CORE_LENGTH);
    ICPU_SET_TILING_KEY(0);
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(kernel, cores, x.Address(), y.Address(), workspace, data);

    for (size_t i = 0; i < values.size(); i++) {
        const float expected = values[i] > 0.0f ? values[i] : 0.0f;
        ASSERT_EQ(y.At(i), static_cast<float>(static_cast<T>(expected))) << "element " << i;
    }
    EXPECT_TRUE(y.IsGuardWhole());
    AscendC::GmFree(workspace);
    AscendC::GmFree(data);
}

template <typename T>
void CheckLengths(Kernel kernel)
{
    for (int64_t length : {1, 31, 256, 257, 2048, 2049, 5000}) {
        Check<T>(kernel, length, 256);
    }
    Check<T>(kernel, 5000, 2048);
}
} // namespace

TEST(MyOpKernelTest, float32) { CheckLengths<float>(&KernelFloat::my_op<0>); }

TEST(MyOpKernelTest, float16) { CheckLengths<half>(&KernelHalf::my_op<0>); }

TEST(MyOpKernelTest, int32) { CheckLengths<int32_t>(&KernelInt32::my_op<0>); }
