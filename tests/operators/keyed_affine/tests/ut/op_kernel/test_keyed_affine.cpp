// The tiling struct has no header: it is generated from the class in op_host. In unit tests names of data types are no
// numbers for the preprocessor, so the kernel's first branch, float, is the one that is compiled.
#include <cstring>

#include "../../../op_kernel/affine.cpp"
#include "gtest/gtest.h"
#include "tikicpulib.h"

TEST(KeyedAffineKernelTest, scale_and_shift)
{
    constexpr int64_t count = 700;
    auto* x = static_cast<float*>(AscendC::GmAlloc(count * sizeof(float)));
    auto* tiling = static_cast<uint8_t*>(AscendC::GmAlloc(sizeof(KeyedAffineTilingData)));
    for (int64_t i = 0; i < count; ++i) {
        x[i] = static_cast<float>(i);
    }
    KeyedAffineTilingData data;
    std::memset(&data, 0, sizeof(data));
    data.scale = 3;
    data.shift = -5;
    data.extent.elements[0] = count;
    std::memcpy(tiling, &data, sizeof(data));
    ICPU_SET_TILING_KEY(11);
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(keyed_affine, 1, reinterpret_cast<GM_ADDR>(x), nullptr, reinterpret_cast<GM_ADDR>(x), nullptr, tiling);
    for (int64_t i = 0; i < count; ++i) {
        ASSERT_EQ(x[i], 3.0F * static_cast<float>(i) - 5.0F) << i;
    }
    AscendC::GmFree(x);
    AscendC::GmFree(tiling);
}
