#include <cstdio>

#include "kernel_operator.h"
#include "tikicpulib.h"

constexpr uint32_t BLOCKS = 2;
constexpr uint32_t COUNT = 64;

extern "C" __global__ __aicore__ void icpu_double(GM_ADDR x, GM_ADDR y)
{
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, COUNT * sizeof(int32_t));
    pipe.InitBuffer(out, 1, COUNT * sizeof(int32_t));
    AscendC::GlobalTensor<int32_t> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(x) + AscendC::GetBlockIdx() * COUNT, COUNT);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(y) + AscendC::GetBlockIdx() * COUNT, COUNT);
    auto a = in.AllocTensor<int32_t>();
    AscendC::DataCopy(a, from, COUNT);
    in.EnQue(a);
    a = in.DeQue<int32_t>();
    auto b = out.AllocTensor<int32_t>();
    AscendC::Add(b, a, a, COUNT);
    in.FreeTensor(a);
    out.EnQue(b);
    b = out.DeQue<int32_t>();
    AscendC::DataCopy(to, b, COUNT);
    out.FreeTensor(b);
}

int main()
{
    auto* const x = static_cast<uint8_t*>(AscendC::GmAlloc(BLOCKS * COUNT * sizeof(int32_t)));
    auto* const y = static_cast<uint8_t*>(AscendC::GmAlloc(BLOCKS * COUNT * sizeof(int32_t)));
    for (uint32_t i = 0; i < BLOCKS * COUNT; ++i) {
        reinterpret_cast<int32_t*>(x)[i] = static_cast<int32_t>(i) - 5;
    }
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(icpu_double, BLOCKS, x, y);
    for (uint32_t i = 0; i < BLOCKS * COUNT; ++i) {
        if (reinterpret_cast<int32_t*>(y)[i] != 2 * (static_cast<int32_t>(i) - 5)) {
            std::printf("wrong at %u\n", i);
            return 1;
        }
    }
    std::printf("all doubled\n");
    AscendC::GmFree(x);
    AscendC::GmFree(y);
    return 0;
}
