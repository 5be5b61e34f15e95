// A host program's view: run a kernel through tikicpulib.
#include "tikicpulib.h"

#include <cstring>

static void Twice(GM_ADDR x, GM_ADDR y, uint32_t perBlock)
{
    using namespace AscendC;
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 1024);
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer(reinterpret_cast<half*>(x) + GetBlockIdx() * perBlock);
    out.SetGlobalBuffer(reinterpret_cast<half*>(y) + GetBlockIdx() * perBlock);
    LocalTensor<half> t = buf.Get<half>();
    DataCopy(t, in, perBlock);
    Muls(t, t, static_cast<half>(TILING_KEY_IS(2) ? 2.0 : 1.0), perBlock);
    DataCopy(out, t, perBlock);
}

// 0 when everything is as expected; `text` receives the message of the faulting run.
extern "C" int icpu_main(char* text, uint32_t size)
{
    constexpr uint32_t PER_BLOCK = 64;
    constexpr uint32_t BLOCKS = 5;
    auto* x = static_cast<half*>(AscendC::GmAlloc(PER_BLOCK * BLOCKS * sizeof(half)));
    auto* y = static_cast<half*>(AscendC::GmAlloc(PER_BLOCK * BLOCKS * sizeof(half)));
    for (uint32_t i = 0; i < PER_BLOCK * BLOCKS; ++i) {
        x[i] = i;
        y[i] = 0;
    }
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_SET_TILING_KEY(2);
    ICPU_RUN_KF(Twice, BLOCKS, reinterpret_cast<uint8_t*>(x), reinterpret_cast<uint8_t*>(y), PER_BLOCK);
    int wrong = 0;
    for (uint32_t i = 0; i < PER_BLOCK * BLOCKS; ++i) {
        wrong += y[i] != half(2 * i);
    }
    try {
        ICPU_RUN_KF(Twice, BLOCKS, nullptr, reinterpret_cast<uint8_t*>(y), PER_BLOCK);
        wrong += 1000;
    } catch (const std::runtime_error& e) {
        std::strncpy(text, e.what(), size - 1);
    }
    AscendC::GmFree(x);
    AscendC::GmFree(y);
    return wrong;
}
