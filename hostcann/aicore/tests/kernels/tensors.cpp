// Tensors at addresses of the kernel's choice, what tensors carry, pools, and the SPM buffer.
#include "kernel_operator.h"

using namespace AscendC;

namespace {
constexpr uint32_t COUNT = 64;

template <typename T>
GlobalTensor<T> Gm(void* p)
{
    GlobalTensor<T> t;
    t.SetGlobalBuffer(static_cast<T*>(p), COUNT);
    return t;
}

template <HardEvent event>
void Order()
{
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}
} // namespace

// args: float x[64], float y[64], float z[64]: x + y without a TPipe.
extern "C" void placed(void* const* args)
{
    LocalMemAllocator<Hardware::UB> allocator;
    const LocalTensor<float> x = allocator.Alloc<float, COUNT>();
    const LocalTensor<float> y = allocator.Alloc<TPosition::VECIN, float>(COUNT);
    ascendc_assert(allocator.GetCurAddr() == 512);
    LocalTensor<float> z(TPosition::VECOUT, 1024, COUNT);
    ascendc_assert(z.GetSize() == COUNT && z.GetPhyAddr() == 1024);
    ascendc_assert(z.GetPosition() == static_cast<int32_t>(TPosition::VECOUT));
    DataCopy(x, Gm<float>(args[0]), COUNT);
    DataCopy(y, Gm<float>(args[1]), COUNT);
    Order<HardEvent::MTE2_V>();
    Add(z, x, y, COUNT);
    Order<HardEvent::V_MTE3>();
    DataCopy(Gm<float>(args[2]), z, COUNT);
}
extern "C" void fault_position(void* const*) { LocalTensor<half> a1(TPosition::A1, 0, 16); }
extern "C" void fault_allocator(void* const*)
{
    LocalMemAllocator<> allocator;
    allocator.Alloc<half>(90000);
    allocator.Alloc<half, 9000>();
}

// args: int32 x[64], y[64].
extern "C" void traits(void* const* args)
{
    using Trait = TensorTrait<int32_t>;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, COUNT * 4);
    pipe.InitBuffer(out, 1, COUNT * 4);
    GlobalTensor<Trait> x;
    GlobalTensor<Trait> y;
    x.SetGlobalBuffer(static_cast<int32_t*>(args[0]));
    y.SetGlobalBuffer(static_cast<int32_t*>(args[1]));
    LocalTensor<Trait> a = in.AllocTensor<Trait>();
    DataCopy(a, x, COUNT);
    in.EnQue(a);
    LocalTensor<Trait> b = in.DeQue<Trait>();
    LocalTensor<Trait> c = out.AllocTensor<Trait>();
    Add(c, b, b, COUNT);
    out.EnQue(c);
    in.FreeTensor(b);
    c = out.DeQue<Trait>();
    DataCopy(y, c, COUNT);
    out.FreeTensor(c);

    using Placed = TensorTrait<half, TPosition::VECIN, Layout<Shape<Std::Int<16>, Std::Int<4>>, Stride<Std::Int<0>>>>;
    LocalMemAllocator<Hardware::UB> allocator;
    allocator.Alloc<half, 32>();
    const auto placed = allocator.Alloc<Placed>();
    ascendc_assert(placed.GetPhyAddr() == 64 && placed.GetSize() == 64 && allocator.GetCurAddr() == 192);
}

// args: float x[64]; char file[].
extern "C" void carried(void* const* args)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    pipe.InitBuffer(in, 2, COUNT * 4);
    const uint32_t shape[] = {4, 16};
    const uint32_t original[] = {3, 5, 7};
    for (int32_t i = 1; i <= 4; ++i) {
        LocalTensor<float> a = in.AllocTensor<float>();
        ascendc_assert(a.GetUserTag() == 0 && a.GetShapeInfo().shapeDim == 0);
        a.SetShapeInfo(ShapeInfo(2, shape, 3, original, DataFormat::NHWC));
        a.SetUserTag(10 * i);
        const LocalTensor<half> b = a[8].ReinterpretCast<half>();
        ascendc_assert(b.GetUserTag() == 10 * i && b.GetShapeInfo().originalShape[2] == 7);
        ascendc_assert(b.GetShapeInfo().dataFormat == DataFormat::NHWC && GetShapeSize(a.GetShapeInfo()) == 64);
        DataCopy(a, Gm<float>(args[0]), COUNT);
        in.EnQue(a);
        LocalTensor<float> c = in.DeQue<float>();
        ascendc_assert(c.GetUserTag() == 10 * i);
        LocalTensor<half> d;
        d.SetAddrWithOffset(c, 16);
        ascendc_assert(d.GetPhyAddr() == c.GetPhyAddr() + 64 && d.GetLength() == 192);
        if (i == 4) {
            c.SetSize(12);
            ascendc_assert(c.ToFile(static_cast<const char*>(args[1])) == 0);
            ascendc_assert(c.ToFile("no/such/directory/file") != 0);
            c.Print();
            c.Print(3);
        }
        in.FreeTensor(c);
    }
    GlobalTensor<float> gm = Gm<float>(args[0]);
    gm.SetShapeInfo(ShapeInfo(2, shape));
    ascendc_assert(gm[4].GetShapeInfo().shape[1] == 16 && gm.GetShapeInfo().originalShape[0] == 4);
}

namespace {
class MyPool {
public:
    MyPool() { Init(); }
    // Every second block of memory.
    template <class T>
    bool InitBuffer(T& que, uint8_t num, uint32_t len)
    {
        TBufHandle handle = GetBufHandle(GetCurBufSize());
        que.InitStartBufHandle(handle, num, len);
        for (uint32_t i = 0; i < num; ++i) {
            que.InitBufHandle(this, i, handle, GetCurAddr() + 2 * i * len, len);
        }
        SetCurAddr(GetCurAddr() + 2 * num * len);
        SetCurBufSize(static_cast<uint8_t>(GetCurBufSize() + num));
        return true;
    }
    template <TPosition pos>
    bool InitBuffer(TBuf<pos>& buf, uint32_t len)
    {
        buf.InitStartBufHandle(GetBufHandle(GetCurBufSize()), 1, len);
        buf.InitBufHandle(this, 0, GetBufHandle(GetCurBufSize()), GetCurAddr(), len);
        SetCurAddr(GetCurAddr() + len);
        return true;
    }
    EXTERN_IMPL_BUFPOOL(MyPool, TPosition::VECCALC, 16);
};

constexpr uint32_t BYTES = COUNT * 4;

template <typename In, typename Out>
void AddThrough(In& x, In& y, Out& z, void* const* args, int32_t offset)
{
    LocalTensor<float> a = x.template AllocTensor<float>();
    LocalTensor<float> b = y.template AllocTensor<float>();
    DataCopy(a, Gm<float>(args[0]), COUNT);
    DataCopy(b, Gm<float>(args[1]), COUNT);
    x.EnQue(a);
    y.EnQue(b);
    a = x.template DeQue<float>();
    b = y.template DeQue<float>();
    LocalTensor<float> c = z.template AllocTensor<float>();
    Add(c, a, b, COUNT);
    z.EnQue(c);
    x.FreeTensor(a);
    y.FreeTensor(b);
    c = z.template DeQue<float>();
    DataCopy(Gm<float>(args[2])[offset], c, COUNT);
    z.FreeTensor(c);
}
} // namespace

// args: float x[64], y[64], z[4 * 64]: four sums through pools that share memory.
extern "C" void pools(void* const* args)
{
    TPipe pipe;
    TBufPool<TPosition::VECCALC> outer;
    TBufPool<TPosition::VECCALC> first;
    TBufPool<TPosition::VECCALC> second;
    TQue<TPosition::VECIN, 1> x, y, u, v;
    TQue<TPosition::VECOUT, 1> z, w;
    pipe.InitBufPool(outer, BYTES * 4);
    outer.InitBufPool(first, BYTES * 3);
    outer.InitBufPool(second, BYTES * 3, first);
    first.InitBuffer(x, 1, BYTES);
    first.InitBuffer(y, 1, BYTES);
    first.InitBuffer(z, 1, BYTES);
    AddThrough(x, y, z, args, 0);
    first.Reset();
    second.InitBuffer(u, 1, BYTES);
    second.InitBuffer(v, 1, BYTES);
    second.InitBuffer(w, 1, BYTES);
    AddThrough(u, v, w, args, COUNT);
    second.Reset();
    outer.Reset();
    // The queues of a pool are there again after another one was used.
    AddThrough(x, y, z, args, 2 * COUNT);
    first.Reset();
    pipe.Reset();

    MyPool mine;
    TQue<TPosition::VECIN, 2> in;
    TBuf<TPosition::VECIN> buf;
    pipe.InitBufPool(mine, BYTES * 7);
    mine.InitBuffer(in, 2, BYTES);
    mine.InitBuffer(buf, BYTES);
    mine.InitBuffer(z, 1, BYTES);
    LocalTensor<float> a = in.AllocTensor<float>();
    LocalTensor<float> b = in.AllocTensor<float>();
    ascendc_assert(a.GetPhyAddr() == 0 && b.GetPhyAddr() == 2 * BYTES && buf.Get<float>().GetPhyAddr() == 4 * BYTES);
    in.FreeTensor(a);
    in.FreeTensor(b);
    AddThrough(in, in, z, args, 3 * COUNT);
    mine.Reset();
}
extern "C" void fault_pool_full(void* const*)
{
    TPipe pipe;
    TBufPool<TPosition::VECCALC> pool;
    TBuf<> buf;
    pipe.InitBufPool(pool, 100);
    pool.InitBuffer(buf, 64);
    pool.InitBuffer(buf, 96);
}
extern "C" void fault_pool_ids(void* const*)
{
    TPipe pipe;
    TBufPool<TPosition::VECCALC, 2> pool;
    TQue<TPosition::VECIN, 1> que;
    pipe.InitBufPool(pool, 1024);
    pool.InitBuffer(que, 3, 32);
}
extern "C" void fault_pool_share(void* const*)
{
    TPipe pipe;
    TBufPool<TPosition::VECCALC> a;
    TBufPool<TPosition::VECCALC> b;
    pipe.InitBufPool(a, 64);
    pipe.InitBufPool(b, 96, a);
}

// args: x, y, z: three queues at addresses of the kernel's choice.
extern "C" void addressed(void* const* args)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> x;
    TQue<TPosition::VECIN, 1> y;
    TQue<TPosition::VECOUT, 1> z;
    pipe.InitBuffer(x, Std::make_tuple(4096, 256), Std::make_tuple(8192, 512));
    pipe.InitBuffer(y, Std::make_tuple(1024u, 256u));
    pipe.InitBuffer(z, Std::make_tuple(int64_t{0}, int64_t{256}));
    AddThrough(x, y, z, args, 0);
    LocalTensor<float> second = x.AllocTensor<float>();
    ascendc_assert(second.GetPhyAddr() == 8192 && second.GetSize() == 128);
    x.FreeTensor(second);
    // The ids of freed buffers are free again.
    x.FreeAllEvent();
    y.FreeAllEvent();
    ascendc_assert(pipe.FetchEventID(HardEvent::V_MTE2) == 0);
    ascendc_assert(GetTPipePtr()->GetBaseAddr(0) == nullptr);
    pipe.DestroyWithoutPipeAll();
}
extern "C" void fault_addressed(void* const*)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> x;
    pipe.InitBuffer(x, Std::make_tuple(196608, 256));
    const LocalTensor<float> beyond = x.AllocTensor<float>();
    Duplicate(beyond, 0.0f, 64);
}

// args: float x[64], float y[64], workspace of 512 bytes.
extern "C" void spilled(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, COUNT * 4);
    LocalTensor<float> x = buf.Get<float>();
    pipe.InitSpmBuffer(Gm<float>(args[2]), 512);
    DataCopy(x, Gm<float>(args[0]), COUNT);
    pipe.WriteSpmBuffer(x, COUNT, 32);
    Order<HardEvent::MTE2_V>();
    Duplicate(x, 0.0f, COUNT);
    // The blocks 0, 2 and 4 of what was written.
    pipe.ReadSpmBuffer(x, DataCopyParams(3, 1, 1, 0), 32);
    Order<HardEvent::V_MTE3>();
    DataCopy(Gm<float>(args[1]), x, COUNT);
}
extern "C" void fault_spm(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, COUNT * 4);
    pipe.InitSpmBuffer(Gm<float>(args[2]), 256);
    pipe.WriteSpmBuffer(buf.Get<float>(), COUNT, 32);
}
