// Kernels whose duration on a device is published. args: x, y, z, tiling.
#include "kernel_operator.h"

using namespace AscendC;

namespace {

struct Tiling {
    uint64_t total;     // elements
    uint64_t per_block; // elements of every block but the last ones
    uint32_t tile;      // elements
    uint32_t mode;      // of add_study: 1 one buffer, 2 two, 3 two and inputs past the L2
};

// A block's part of the elements, tile after tile, through queues with two buffers.
template <typename T, int INPUTS, typename Compute>
void Elementwise(void* const* args, Compute compute)
{
    Tiling t;
    aic_load_tiling(&t, args[3], sizeof(t), nullptr);
    const uint64_t from = GetBlockIdx() * t.per_block;
    const uint64_t end = from + t.per_block < t.total ? from + t.per_block : t.total;
    GlobalTensor<T> x;
    GlobalTensor<T> y;
    GlobalTensor<T> z;
    x.SetGlobalBuffer(static_cast<__gm__ T*>(args[0]));
    y.SetGlobalBuffer(static_cast<__gm__ T*>(args[1]));
    z.SetGlobalBuffer(static_cast<__gm__ T*>(args[2]));
    TPipe pipe;
    TQue<TPosition::VECIN, 2> xs;
    TQue<TPosition::VECIN, 2> ys;
    TQue<TPosition::VECOUT, 2> zs;
    TBuf<> work;
    const uint32_t bytes = t.tile * static_cast<uint32_t>(sizeof(T));
    pipe.InitBuffer(xs, 2, bytes);
    if (INPUTS == 2) {
        pipe.InitBuffer(ys, 2, bytes);
    }
    pipe.InitBuffer(zs, 2, bytes);
    compute.Init(pipe, t.tile);
    for (uint64_t at = from; at < end; at += t.tile) {
        const uint32_t n = static_cast<uint32_t>(end - at < t.tile ? end - at : t.tile);
        const DataCopyExtParams row{1, n * static_cast<uint32_t>(sizeof(T)), 0, 0, 0};
        const DataCopyPadExtParams<T> none{false, 0, 0, 0};
        LocalTensor<T> a = xs.template AllocTensor<T>();
        LocalTensor<T> b;
        if (INPUTS == 2) {
            b = ys.template AllocTensor<T>();
        }
        DataCopyPad(a, x[at], row, none);
        if (INPUTS == 2) {
            DataCopyPad(b, y[at], row, none);
        }
        xs.EnQue(a);
        if (INPUTS == 2) {
            ys.EnQue(b);
        }
        a = xs.template DeQue<T>();
        if (INPUTS == 2) {
            b = ys.template DeQue<T>();
        }
        LocalTensor<T> c = zs.template AllocTensor<T>();
        compute.Run(c, a, b, n);
        zs.EnQue(c);
        xs.FreeTensor(a);
        if (INPUTS == 2) {
            ys.FreeTensor(b);
        }
        c = zs.template DeQue<T>();
        DataCopyPad(z[at], c, row);
        zs.FreeTensor(c);
    }
}

struct WithRelu {
    void Init(TPipe&, uint32_t) {}
    template <typename T>
    void Run(LocalTensor<T>& c, LocalTensor<T>& a, LocalTensor<T>&, uint32_t n)
    {
        Relu(c, a, n);
    }
};

struct WithMul {
    void Init(TPipe&, uint32_t) {}
    template <typename T>
    void Run(LocalTensor<T>& c, LocalTensor<T>& a, LocalTensor<T>& b, uint32_t n)
    {
        Mul(c, a, b, n);
    }
};

// Three in a row, without a flag between them.
struct WithAdds {
    void Init(TPipe&, uint32_t) {}
    template <typename T>
    void Run(LocalTensor<T>& c, LocalTensor<T>& a, LocalTensor<T>& b, uint32_t n)
    {
        Add(c, a, b, n);
        Add(c, c, b, n);
        Add(c, c, b, n);
    }
};

// 1 / (1 + e^-x) in float; the ones lie half of the bank groups away.
struct WithSigmoid {
    TBuf<> work;
    uint32_t ones;
    void Init(TPipe& pipe, uint32_t tile)
    {
        ones = tile + 64;
        pipe.InitBuffer(work, (2 * tile + 64) * sizeof(float));
        LocalTensor<float> one = work.Get<float>()[ones];
        Duplicate(one, 1.0f, tile);
    }
    void Chain(const LocalTensor<float>& to, const LocalTensor<float>& from, const LocalTensor<float>& one, uint32_t n)
    {
        Muls(to, from, -1.0f, n);
        Exp(to, to, n);
        Adds(to, to, 1.0f, n);
        Div(to, one, to, n);
    }
    template <typename T>
    void Run(LocalTensor<T>& c, LocalTensor<T>& a, LocalTensor<T>&, uint32_t n)
    {
        LocalTensor<float> wide = work.Get<float>();
        LocalTensor<float> one = wide[ones];
        if constexpr (sizeof(T) == 4) {
            Chain(c, a, one, n);
        } else {
            Cast(wide, a, RoundMode::CAST_NONE, n);
            Chain(wide, wide, one, n);
            Cast(c, wide, RoundMode::CAST_RINT, n);
        }
    }
};

} // namespace

extern "C" void relu(void* const* args) { Elementwise<half, 1>(args, WithRelu{}); }
extern "C" void mul(void* const* args) { Elementwise<half, 2>(args, WithMul{}); }
extern "C" void adds(void* const* args) { Elementwise<half, 2>(args, WithAdds{}); }
extern "C" void mul_f32(void* const* args) { Elementwise<float, 2>(args, WithMul{}); }
extern "C" void sigmoid_f32(void* const* args) { Elementwise<float, 1>(args, WithSigmoid{}); }
extern "C" void sigmoid_b16(void* const* args) { Elementwise<half, 1>(args, WithSigmoid{}); }

// Two inputs at fixed addresses, with events of its own.
extern "C" void add_study(void* const* args)
{
    Tiling t;
    aic_load_tiling(&t, args[3], sizeof(t), nullptr);
    const uint64_t from = GetBlockIdx() * t.per_block;
    const uint64_t end = from + t.per_block < t.total ? from + t.per_block : t.total;
    const bool twice = t.mode >= 2;
    GlobalTensor<half> x;
    GlobalTensor<half> y;
    GlobalTensor<half> z;
    x.SetGlobalBuffer(static_cast<__gm__ half*>(args[0]));
    y.SetGlobalBuffer(static_cast<__gm__ half*>(args[1]));
    z.SetGlobalBuffer(static_cast<__gm__ half*>(args[2]));
    if (t.mode == 3) {
        x.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        y.SetL2CacheHint<CacheRwMode::READ>(CacheMode::CACHE_MODE_DISABLE);
    }
    const uint32_t bytes = t.tile * static_cast<uint32_t>(sizeof(half));
    SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    if (twice) {
        SetFlag<HardEvent::V_MTE2>(EVENT_ID1);
        SetFlag<HardEvent::MTE3_V>(EVENT_ID1);
    }
    uint32_t turn = 0;
    for (uint64_t at = from; at < end; at += t.tile) {
        const uint32_t n = static_cast<uint32_t>(end - at < t.tile ? end - at : t.tile);
        const uint32_t base = turn * 3 * bytes;
        const event_t id = turn == 0 ? EVENT_ID0 : EVENT_ID1;
        LocalTensor<half> a(TPosition::VECIN, base, t.tile);
        LocalTensor<half> b(TPosition::VECIN, base + bytes, t.tile);
        LocalTensor<half> c(TPosition::VECOUT, base + 2 * bytes, t.tile);
        WaitFlag<HardEvent::V_MTE2>(id);
        DataCopy(a, x[at], n);
        DataCopy(b, y[at], n);
        SetFlag<HardEvent::MTE2_V>(id);
        WaitFlag<HardEvent::MTE2_V>(id);
        WaitFlag<HardEvent::MTE3_V>(id);
        Add(c, a, b, n);
        SetFlag<HardEvent::V_MTE2>(id);
        SetFlag<HardEvent::V_MTE3>(id);
        WaitFlag<HardEvent::V_MTE3>(id);
        DataCopy(z[at], c, n);
        SetFlag<HardEvent::MTE3_V>(id);
        turn = twice ? 1 - turn : 0;
    }
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
    if (twice) {
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID1);
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID1);
    }
}

namespace {
struct CopyTiling {
    uint32_t rows_total; // of a block
    uint32_t columns;    // elements of a row of the matrix
    uint32_t rows;       // of a tile
    uint32_t width;      // elements of a tile's row
    uint32_t rounds;
};
} // namespace

// Copies the rows of a matrix into one place, nothing else.
extern "C" void copy_study(void* const* args)
{
    CopyTiling t;
    aic_load_tiling(&t, args[3], sizeof(t), nullptr);
    GlobalTensor<half> x;
    x.SetGlobalBuffer(static_cast<__gm__ half*>(args[0]));
    LocalTensor<half> to(TPosition::VECIN, 0, 65536);
    const uint64_t first = static_cast<uint64_t>(GetBlockIdx()) * t.rows_total;
    for (uint32_t round = 0; round < t.rounds; ++round) {
        for (uint32_t r = 0; r < t.rows_total; r += t.rows) {
            for (uint32_t c = 0; c < t.columns; c += t.width) {
                const uint32_t n = t.columns - c < t.width ? t.columns - c : t.width;
                const DataCopyParams params{static_cast<uint16_t>(t.rows), static_cast<uint16_t>(n * sizeof(half)),
                                            static_cast<uint16_t>((t.columns - n) * sizeof(half)), 0};
                DataCopyPad(to, x[(first + r) * t.columns + c], params, DataCopyPadParams{false, 0, 0, 0});
            }
        }
    }
}

// Every core copies a whole matrix of columns x rows_total, past the L2: 128 rows at a time, all cores in one order or
// each from its own place on (`rounds` 1).
extern "C" void same_rows(void* const* args)
{
    CopyTiling t;
    aic_load_tiling(&t, args[3], sizeof(t), nullptr);
    GlobalTensor<half> x;
    x.SetGlobalBuffer(static_cast<__gm__ half*>(args[0]));
    x.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    LocalTensor<half> to(TPosition::VECIN, 0, 65536);
    const uint32_t parts = t.rows_total / t.rows;
    const DataCopyParams params{static_cast<uint16_t>(t.rows), static_cast<uint16_t>(t.width * sizeof(half)),
                                static_cast<uint16_t>((t.columns - t.width) * sizeof(half)), 0};
    for (uint32_t part = 0; part < parts; ++part) {
        const uint64_t at = t.rounds == 1 ? (part + GetBlockIdx()) % parts : part;
        for (uint32_t c = 0; c < t.columns; c += t.width) {
            DataCopyPad(to, x[at * t.rows * t.columns + c], params, DataCopyPadParams{false, 0, 0, 0});
        }
    }
}

// Broadcasts inside of rows: every element of x becomes two of z.
extern "C" void polar(void* const* args)
{
    Tiling t;
    aic_load_tiling(&t, args[3], sizeof(t), nullptr);
    const uint64_t from = GetBlockIdx() * t.per_block;
    const uint64_t end = from + t.per_block < t.total ? from + t.per_block : t.total;
    GlobalTensor<float> x;
    GlobalTensor<float> z;
    x.SetGlobalBuffer(static_cast<__gm__ float*>(args[0]));
    z.SetGlobalBuffer(static_cast<__gm__ float*>(args[2]));
    TPipe pipe;
    TQue<TPosition::VECIN, 2> xs;
    TQue<TPosition::VECOUT, 2> zs;
    pipe.InitBuffer(xs, 2, t.tile * sizeof(float));
    pipe.InitBuffer(zs, 2, 2 * t.tile * sizeof(float));
    for (uint64_t at = from; at < end; at += t.tile) {
        const uint32_t n = static_cast<uint32_t>(end - at < t.tile ? end - at : t.tile);
        LocalTensor<float> a = xs.AllocTensor<float>();
        DataCopy(a, x[at], n);
        xs.EnQue(a);
        a = xs.DeQue<float>();
        LocalTensor<float> c = zs.AllocTensor<float>();
        Muls(c, a, 0.5f, n);
        Muls(c[t.tile], a, 2.0f, n);
        zs.EnQue(c);
        xs.FreeTensor(a);
        c = zs.DeQue<float>();
        DataCopy(z[2 * at], c, 2 * n);
        zs.FreeTensor(c);
    }
}

// An instruction, and then a value by the scalar unit, an instruction that depends on nothing, and what is written out.
// mode 0: the value is what the instruction writes; 1: with a flag; 2: one that it does not touch; 3: written where it
// reads. 4 and 5: read from where a copy puts it, without and with a flag.
extern "C" void value(void* const* args)
{
    Tiling t;
    aic_load_tiling(&t, args[3], sizeof(t), nullptr);
    GlobalTensor<float> x;
    x.SetGlobalBuffer(static_cast<__gm__ float*>(args[0]));
    LocalTensor<float> from(TPosition::VECIN, 0, t.tile);
    LocalTensor<float> to(TPosition::VECCALC, 65536, t.tile);
    LocalTensor<float> free(TPosition::VECCALC, 131072, t.tile);
    if (t.mode >= 4) {
        DataCopy(from, x, t.tile);
    } else {
        Muls(to, from, 2.0f, t.tile);
    }
    if (t.mode == 1) {
        SetFlag<HardEvent::V_S>(EVENT_ID0);
        WaitFlag<HardEvent::V_S>(EVENT_ID0);
    } else if (t.mode == 5) {
        SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    }
    if (t.mode == 3) {
        from.SetValue(0, 1.0f);
    } else {
        (t.mode >= 4 ? from : t.mode == 2 ? free : to).GetValue(0);
    }
}

namespace {
struct SmallTiling {
    uint64_t count;
};
struct LargeTiling {
    uint64_t count;
    uint64_t others[381];
};

// A copy of as many elements as the tiling data says.
template <typename T>
void AfterTiling(void* const* args)
{
    GM_ADDR tiling = static_cast<GM_ADDR>(args[3]);
    GET_TILING_DATA_WITH_STRUCT(T, t, tiling);
    GlobalTensor<half> x;
    x.SetGlobalBuffer(static_cast<__gm__ half*>(args[0]));
    LocalTensor<half> to(TPosition::VECIN, 0, 4096);
    DataCopy(to, x, static_cast<uint32_t>(t.count));
}
} // namespace

extern "C" void after_small_tiling(void* const* args) { AfterTiling<SmallTiling>(args); }
extern "C" void after_large_tiling(void* const* args) { AfterTiling<LargeTiling>(args); }
