// Matmul objects. Arguments: A, B, bias, C, quantisation parameters or workspace, and a Case.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

// What a launch multiplies; numbers as in tests/matmul.rs.
struct Case {
    TCubeTiling tiling;
    int32_t org[5]; // 0: those of the tiling
    int32_t tail[3];
    int32_t hasBias;
    int32_t hasQuant; // 1: scalar, 2: vector
    int32_t atomic;
    int32_t hf32;
    int32_t parts; // of K, on top of each other
    uint64_t scale;
};

template <TPosition position, CubeFormat format, typename T, bool isTrans = false>
using Type = MatmulType<position, format, T, isTrans>;

template <typename T>
GlobalTensor<T> Global(void* address)
{
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(static_cast<T*>(address));
    return tensor;
}

template <typename MM, typename A, typename B, typename Bias>
void Prepare(MM& mm, void* const* args, const Case& c)
{
    if (c.org[0] != 0) {
        mm.SetOrgShape(c.org[0], c.org[1], c.org[2], c.org[3], c.org[4]);
    }
    if (c.tail[0] != 0) {
        mm.SetTail(c.tail[0], c.tail[1], c.tail[2]);
    }
    if (c.hf32 != 0) {
        mm.SetHF32(true, c.hf32 - 1);
    }
    mm.SetTensorA(Global<typename A::T>(args[0]), A::isTrans);
    mm.SetTensorB(Global<typename B::T>(args[1]), B::isTrans);
    if (c.hasBias != 0) {
        mm.SetBias(Global<typename Bias::T>(args[2]));
    }
    if (c.hasQuant == 1) {
        mm.SetQuantScalar(c.scale);
    } else if (c.hasQuant == 2) {
        mm.SetQuantVector(Global<uint64_t>(args[4]));
    }
}

// IterateAll to global memory.
template <typename A, typename B, typename C, typename Bias = C, const auto& CFG = CFG_NORM>
void All(void* const* args)
{
    TPipe pipe;
    const Case c = *static_cast<const Case*>(args[5]);
    Matmul<A, B, C, Bias, CFG> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &c.tiling);
    if (GetBlockIdx() != 0) {
        return;
    }
    Prepare<decltype(mm), A, B, Bias>(mm, args, c);
    mm.IterateAll(Global<typename C::T>(args[3]), static_cast<uint8_t>(c.atomic));
    mm.End();
}

using HalfGm = Type<TPosition::GM, CubeFormat::ND, half>;
using HalfGmT = Type<TPosition::GM, CubeFormat::ND, half, true>;
using HalfNz = Type<TPosition::GM, CubeFormat::NZ, half>;
using HalfNzT = Type<TPosition::GM, CubeFormat::NZ, half, true>;
using FloatGm = Type<TPosition::GM, CubeFormat::ND, float>;
using FloatNz = Type<TPosition::GM, CubeFormat::NZ, float>;
using BfGm = Type<TPosition::GM, CubeFormat::ND, bfloat16_t>;
using IntGm = Type<TPosition::GM, CubeFormat::ND, int8_t>;
using IntGmT = Type<TPosition::GM, CubeFormat::ND, int8_t, true>;
using Int32Gm = Type<TPosition::GM, CubeFormat::ND, int32_t>;
using Int4Gm = Type<TPosition::GM, CubeFormat::ND, int4b_t>;

#define KERNEL(name, ...) \
    extern "C" void name(void* const* args) { All<__VA_ARGS__>(args); }
KERNEL(half_float, HalfGm, HalfGm, FloatGm)
KERNEL(half_half, HalfGm, HalfGm, HalfGm)
KERNEL(half_at, HalfGmT, HalfGm, FloatGm)
KERNEL(half_bt, HalfGm, HalfGmT, FloatGm)
KERNEL(half_nz, HalfNz, HalfNz, FloatNz, FloatGm)
KERNEL(half_nzt, HalfNzT, HalfNzT, FloatGm)
KERNEL(bfloat, BfGm, BfGm, BfGm, FloatGm)
KERNEL(floats, FloatGm, FloatGm, FloatGm)
KERNEL(ints, IntGm, IntGmT, Int32Gm)
KERNEL(int4s, Int4Gm, Int4Gm, Int32Gm)
KERNEL(int_half, IntGm, IntGm, HalfGm, Int32Gm)
KERNEL(int_int, IntGm, IntGm, IntGm, Int32Gm)
KERNEL(half_mdl, HalfGm, HalfGm, FloatGm, FloatGm, CFG_MDL)

// Each part of K on top of the one before it, then the result to global memory.
extern "C" void partial(void* const* args)
{
    TPipe pipe;
    Case c = *static_cast<const Case*>(args[5]);
    Matmul<HalfGm, HalfGm, FloatGm> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &c.tiling);
    if (GetBlockIdx() != 0) {
        return;
    }
    const int32_t k = c.tiling.Ka / c.parts;
    const auto a = Global<half>(args[0]);
    const auto b = Global<half>(args[1]);
    for (int32_t part = 0; part < c.parts; ++part) {
        mm.SetSingleShape(c.tiling.M, c.tiling.N, k);
        mm.SetTensorA(a[part * k]);
        mm.SetTensorB(b[part * k * c.tiling.N]);
        mm.Iterate(part != 0);
    }
    mm.GetTensorC(Global<float>(args[3]));
    mm.End();
}

// A from the unified buffer, C back to it, block by block, and LeakyRelu on the way out.
extern "C" void leaky(void* const* args)
{
    TPipe pipe;
    const Case c = *static_cast<const Case*>(args[5]);
    const TCubeTiling& t = c.tiling;
    Matmul<Type<TPosition::VECOUT, CubeFormat::ND, half>, HalfGm, Type<TPosition::VECIN, CubeFormat::ND, float>,
           FloatGm>
        mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    TQue<TPosition::VECOUT, 1> inQueue;
    TQue<TPosition::VECIN, 1> cubeQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TQue<TPosition::VECIN, 1> loadQueue;
    const uint32_t inBytes = static_cast<uint32_t>(t.singleCoreM * t.Ka * 2);
    pipe.InitBuffer(loadQueue, 1, inBytes);
    pipe.InitBuffer(inQueue, 1, inBytes);
    pipe.InitBuffer(cubeQueue, 1, static_cast<uint32_t>(t.baseM * t.baseN * 4));
    pipe.InitBuffer(outQueue, 1, static_cast<uint32_t>(t.baseM * t.baseN * 4));
    // Each vector core has a part of M.
    const auto rows = static_cast<uint64_t>(GetBlockIdx() * t.singleCoreM);
    auto loaded = loadQueue.AllocTensor<half>();
    DataCopy(loaded, Global<half>(args[0])[rows * t.Ka], static_cast<uint32_t>(t.singleCoreM * t.Ka));
    loadQueue.EnQue(loaded);
    loaded = loadQueue.DeQue<half>();
    auto in = inQueue.AllocTensor<half>();
    Muls(in, loaded, half(2.0f), t.singleCoreM * t.Ka);
    loadQueue.FreeTensor(loaded);
    inQueue.EnQue(in);
    in = inQueue.DeQue<half>();
    mm.SetOrgShape(t.singleCoreM, t.N, t.Ka);
    mm.SetTensorA(in);
    mm.SetTensorB(Global<half>(args[1]));
    mm.SetBias(Global<float>(args[2]));
    auto out = Global<float>(args[3]);
    int32_t block = 0;
    while (mm.Iterate()) {
        auto result = cubeQueue.AllocTensor<float>();
        mm.GetTensorC(result, 0, true);
        cubeQueue.EnQue(result);
        result = cubeQueue.DeQue<float>();
        auto relu = outQueue.AllocTensor<float>();
        LeakyRelu(relu, result, 0.5f, t.baseM * t.baseN);
        cubeQueue.FreeTensor(result);
        outQueue.EnQue(relu);
        relu = outQueue.DeQue<float>();
        const int32_t perColumn = t.singleCoreM / t.baseM;
        const uint64_t at = (rows + block % perColumn * t.baseM) * t.N + block / perColumn * t.baseN;
        const auto gap = static_cast<uint16_t>((t.N - t.baseN) / 8);
        DataCopy(out[at], relu, {static_cast<uint16_t>(t.baseM), static_cast<uint16_t>(t.baseN / 8), 0, gap});
        outQueue.FreeTensor(relu);
        ++block;
    }
    inQueue.FreeTensor(in);
    mm.End();
}

// An asynchronous Iterate: blocks come from the workspace.
extern "C" void later(void* const* args)
{
    TPipe pipe;
    const Case c = *static_cast<const Case*>(args[5]);
    const TCubeTiling& t = c.tiling;
    Matmul<HalfGm, HalfGm, Type<TPosition::VECIN, CubeFormat::ND, float>> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) {
        return;
    }
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    const auto elements = static_cast<uint32_t>(t.baseM * t.baseN);
    pipe.InitBuffer(queue, 1, elements * 4);
    GlobalTensor<float> workspace;
    workspace.SetGlobalBuffer(static_cast<float*>(args[4]), static_cast<uint64_t>(t.M * t.N));
    mm.SetWorkspace(workspace);
    mm.SetTensorA(Global<half>(args[0]));
    mm.SetTensorB(Global<half>(args[1]));
    mm.Iterate<false>();
    auto out = Global<float>(args[3]);
    for (int32_t block = 0; block < t.M / t.baseM * (t.N / t.baseN); ++block) {
        auto result = queue.AllocTensor<float>();
        mm.GetTensorC<false>(result);
        queue.EnQue(result);
        result = queue.DeQue<float>();
        DataCopy(out[block * elements], result, elements);
        queue.FreeTensor(result);
    }
    mm.End();
}

// The cube core multiplies, its vector cores wait for it and add one. A third object runs on the cube core itself.
extern "C" void by_flags(void* const* args)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    const Case c = *static_cast<const Case*>(args[5]);
    const TCubeTiling& t = c.tiling;
    const auto work = Global<float>(args[4]);
    if ASCEND_IS_AIC {
        MatmulImpl<HalfGm, HalfGm, FloatGm> mm;
        mm.Init(&t, &pipe);
        const auto row = static_cast<uint64_t>(GetBlockIdx() * t.singleCoreM);
        mm.SetTensorA(Global<half>(args[0])[row * t.Ka]);
        mm.SetTensorB(Global<half>(args[1]));
        mm.IterateAll(work[row * t.N]);
        mm.End();
        CrossCoreSetFlag<2, PIPE_FIX>(3);
    }
    if ASCEND_IS_AIV {
        TBuf<TPosition::VECCALC> buffer;
        const auto half = static_cast<uint32_t>(t.singleCoreM * t.N / 2);
        pipe.InitBuffer(buffer, half * 4);
        auto x = buffer.Get<float>();
        const uint64_t at = static_cast<uint64_t>(GetBlockIdx()) * half;
        CrossCoreWaitFlag(3);
        DataCopy(x, work[at], half);
        PipeBarrier<PIPE_ALL>();
        Adds(x, x, static_cast<float>(GetBlockIdx() == GetBlockNum() * GetTaskRation() - 1 ? 2 : 1),
             static_cast<int32_t>(half));
        PipeBarrier<PIPE_ALL>();
        DataCopy(Global<float>(args[3])[at], x, half);
    }
}

// Who runs: a number for every core of a launch.
extern "C" void who(void* const* args)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    auto out = Global<int32_t>(args[3]);
    const int64_t cube = GetBlockNum() * 2;
    const int64_t at = (ASCEND_IS_AIC ? cube + GetBlockIdx() : GetBlockIdx()) * 16;
    out.SetValue(static_cast<uint64_t>(at), static_cast<int32_t>(100 * GetSubBlockIdx() + GetBlockIdx() + 1));
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(out);
    SyncAll<false>();
}

// A write comes before the type.
extern "C" void late(void* const* args)
{
    auto out = Global<int32_t>(args[3]);
    out.SetValue(0, 1);
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
}
