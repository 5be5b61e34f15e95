// A kernel unit test as a host program writes it.
#include "tikicpulib.h"

#include <cstring>

using namespace AscendC;

struct CopyTiling {
    uint32_t count;
    uint32_t key;
};

static void CopyKernel(GM_ADDR x, GM_ADDR y, GM_ADDR, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(CopyTiling, t, tiling);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 4096);
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
    LocalTensor<float> tile = queue.AllocTensor<float>();
    DataCopy(tile, in, t.count);
    queue.EnQue(tile);
    tile = queue.DeQue<float>();
    DataCopy(out, tile, t.count);
    queue.FreeTensor(tile);
}

// Adds up what two copies of x leave in y; x goes through the workspace.
static void SumKernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(CopyTiling, t, tiling);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(t.key == 1 ? workspace : x));
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
    LocalTensor<float> tile = queue.AllocTensor<float>();
    DataCopy(tile, in, 8);
    queue.EnQue(tile);
    tile = queue.DeQue<float>();
    SetAtomicAdd<float>();
    DataCopy(out, tile, 8);
    SetAtomicNone();
    queue.FreeTensor(tile);
}

// 1 and the text when the kernel stops. `bits`: 1 reads the workspace, 2 the test clears y, 4 it clears the workspace.
extern "C" int sum(uint32_t bits, char* text, size_t size)
{
    auto* x = static_cast<float*>(GmAlloc(8 * sizeof(float)));
    auto* y = static_cast<float*>(GmAlloc(8 * sizeof(float)));
    auto* workspace = static_cast<uint8_t*>(GmAlloc(1024));
    auto* tiling = static_cast<CopyTiling*>(GmAlloc(sizeof(CopyTiling)));
    std::memset(x, 0, 8 * sizeof(float));
    if ((bits & 2) != 0) {
        std::memset(y, 0, 8 * sizeof(float));
    }
    if ((bits & 4) != 0) {
        std::memset(workspace, 0, 1024);
    }
    *tiling = {8, bits & 1};
    int status = 0;
    try {
        ICPU_RUN_KF(SumKernel, 1, reinterpret_cast<uint8_t*>(x), reinterpret_cast<uint8_t*>(y), workspace,
                    reinterpret_cast<uint8_t*>(tiling));
    } catch (const std::runtime_error& error) {
        std::strncpy(text, error.what(), size - 1);
        status = 1;
    }
    for (void* block :
         {static_cast<void*>(x), static_cast<void*>(y), static_cast<void*>(workspace), static_cast<void*>(tiling)}) {
        GmFree(block);
    }
    return status;
}

// Copies `count` of 8 floats with tiling data in a block of that size. 1 and the text when the kernel stops, 2 when the
// result is wrong.
extern "C" int run(uint32_t count, uint32_t tilingBytes, char* text, size_t size)
{
    auto* x = static_cast<float*>(GmAlloc(8 * sizeof(float)));
    auto* y = static_cast<float*>(GmAlloc(8 * sizeof(float)));
    auto* tiling = static_cast<uint8_t*>(GmAlloc(tilingBytes));
    for (int i = 0; i < 8; ++i) {
        x[i] = static_cast<float>(i);
        y[i] = 0.0F;
    }
    const CopyTiling data = {count, 0};
    std::memcpy(tiling, &data, tilingBytes < sizeof(data) ? tilingBytes : sizeof(data));
    int status = 0;
    try {
        ICPU_RUN_KF(CopyKernel, 1, reinterpret_cast<uint8_t*>(x), reinterpret_cast<uint8_t*>(y), nullptr, tiling);
        status = std::memcmp(x, y, 8 * sizeof(float)) == 0 ? 0 : 2;
    } catch (const std::runtime_error& error) {
        std::strncpy(text, error.what(), size - 1);
        status = 1;
    }
    GmFree(x);
    GmFree(y);
    GmFree(tiling);
    return status;
}

// What a kernel without tiling data reads from its last argument: 0 by a copy, 1 by GetValue, 2 by a copy of what it
// has written itself, 3 a word far beyond the first page, 4 by the soft SyncAll, 5 by IBSet and IBWait.
static void WorkspaceKernel(GM_ADDR x, GM_ADDR y, uint32_t kind, GM_ADDR workspace)
{
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    TQue<TPosition::VECCALC, 1> words;
    pipe.InitBuffer(queue, 2, 32);
    pipe.InitBuffer(words, 1, 64);
    GlobalTensor<float> in, out, work;
    in.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
    work.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace));
    const auto copy = [&](const GlobalTensor<float>& to, const GlobalTensor<float>& from) {
        LocalTensor<float> tile = queue.AllocTensor<float>();
        DataCopy(tile, from, 8);
        queue.EnQue(tile);
        tile = queue.DeQue<float>();
        DataCopy(to, tile, 8);
        queue.FreeTensor(tile);
        PipeBarrier<PIPE_ALL>();
    };
    if (kind == 1) {
        copy(out, work.GetValue(3) == 0.0F ? in : out);
    } else if (kind == 2) {
        copy(work, in);
        copy(out, work);
    } else if (kind == 4) {
        GlobalTensor<int32_t> sync;
        sync.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(workspace));
        LocalTensor<int32_t> ub = words.AllocTensor<int32_t>();
        SyncAll(sync, ub);
        words.FreeTensor(ub);
        if (GetBlockIdx() == 0) {
            copy(out, in);
        }
    } else if (kind == 5) {
        GlobalTensor<int32_t> sync;
        sync.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(workspace));
        LocalTensor<int32_t> ub = words.AllocTensor<int32_t>();
        if (GetBlockIdx() == 0) {
            copy(out, in);
            IBSet(sync, ub, 0, 0);
        } else {
            IBWait(sync, ub, 0, 0);
        }
        words.FreeTensor(ub);
    } else {
        copy(out, work[kind == 3 ? 8192 : 0]);
    }
}

// 1 and the text when the kernel stops. `bits`: 1 the test writes the first 64 bytes of the workspace, 2 and the 64
// bytes at 32768, 4 a launch that writes the workspace comes first.
extern "C" int workspace(uint32_t kind, uint32_t bits, char* text, size_t size)
{
    auto* x = static_cast<float*>(GmAlloc(8 * sizeof(float)));
    auto* y = static_cast<float*>(GmAlloc(8 * sizeof(float)));
    auto* work = static_cast<uint8_t*>(GmAlloc(65536));
    // Straight through the pointers, zeros as well.
    std::memset(x, 0, 8 * sizeof(float));
    if ((bits & 1) != 0) {
        std::memset(work, 0, 64);
    }
    if ((bits & 2) != 0) {
        std::memset(work + 32768, 0, 64);
    }
    int status = 0;
    try {
        const auto run = [&](uint32_t what) {
            ICPU_RUN_KF(WorkspaceKernel, what >= 4 ? 2 : 1, reinterpret_cast<uint8_t*>(x),
                        reinterpret_cast<uint8_t*>(y), what, work);
        };
        if ((bits & 4) != 0) {
            run(2);
        }
        run(kind);
    } catch (const std::runtime_error& error) {
        std::strncpy(text, error.what(), size - 1);
        status = 1;
    }
    for (void* block : {static_cast<void*>(x), static_cast<void*>(y), static_cast<void*>(work)}) {
        GmFree(block);
    }
    return status;
}
