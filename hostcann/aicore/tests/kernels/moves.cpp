// Gathering, reducing and sorting through the façade.
#include "kernel_operator.h"

using namespace AscendC;

namespace {
using Gm = GlobalTensor<float>;

Gm Global(void* p)
{
    Gm g;
    g.SetGlobalBuffer(static_cast<float*>(p));
    return g;
}

LocalTensor<float> Load(TBuf<>& buf, TPipe& pipe, void* from, uint32_t n)
{
    pipe.InitBuffer(buf, n * sizeof(float));
    LocalTensor<float> x = buf.Get<float>();
    DataCopy(x, Global(from), n);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    return x;
}

void Store(void* to, const LocalTensor<float>& x, uint32_t n)
{
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(Global(to), x, n);
    PipeBarrier<PIPE_ALL>();
}
} // namespace

namespace {
// args: T[n], T[n] out, uint32_t[n] out, n. n is a multiple of 32. Values and indices of all elements, or of runs
// of 32.
template <typename T, bool isFullSort>
void SortAll(void* const* args)
{
    const uint32_t n = *static_cast<const uint32_t*>(args[3]);
    const auto runs = static_cast<int32_t>(n / 32);
    TPipe pipe;
    TBuf<> in, indices, pairs, work, value, order;
    pipe.InitBuffer(in, n * sizeof(T));
    pipe.InitBuffer(indices, n * 4);
    pipe.InitBuffer(pairs, n * 8);
    pipe.InitBuffer(work, n * 8);
    pipe.InitBuffer(value, n * sizeof(T));
    pipe.InitBuffer(order, n * 4);
    LocalTensor<T> x = in.Get<T>();
    GlobalTensor<T> from, sortedValues;
    GlobalTensor<uint32_t> sortedIndices;
    from.SetGlobalBuffer(static_cast<T*>(args[0]));
    sortedValues.SetGlobalBuffer(static_cast<T*>(args[1]));
    sortedIndices.SetGlobalBuffer(static_cast<uint32_t*>(args[2]));
    DataCopy(x, from, n);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    CreateVecIndex(indices.Get<int32_t>(), 0, n);
    LocalTensor<T> sorted = pairs.Get<T>();
    LocalTensor<T> tmp = work.Get<T>();
    LocalTensor<T> joined;
    Concat(joined, x, tmp, static_cast<int32_t>(n / 16));
    Sort<T, isFullSort>(sorted, joined, indices.Get<uint32_t>(), tmp, runs);
    Extract(value.Get<T>(), order.Get<uint32_t>(), sorted, runs);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(sortedValues, value.Get<T>(), n);
    DataCopy(sortedIndices, order.Get<uint32_t>(), n);
}
} // namespace

extern "C" void sort_full_f32(void* const* args) { SortAll<float, true>(args); }
extern "C" void sort_full_f16(void* const* args) { SortAll<half, true>(args); }
extern "C" void sort_runs_f32(void* const* args) { SortAll<float, false>(args); }
extern "C" void sort_runs_f16(void* const* args) { SortAll<half, false>(args); }

// args: float[256], float[64] out, uint64_t[8] out.
extern "C" void reduce_and_gather(void* const* args)
{
    TPipe pipe;
    TBuf<> in, out, work;
    LocalTensor<float> x = Load(in, pipe, args[0], 256);
    pipe.InitBuffer(out, 256);
    pipe.InitBuffer(work, 2048);
    LocalTensor<float> y = out.Get<float>();
    LocalTensor<float> tmp = work.Get<float>();
    auto* counts = static_cast<uint64_t*>(args[2]);
    Duplicate(y, 0.0f, 64);
    WholeReduceMax(y, x, 64, 4, 1, 1, 8);
    float value;
    float index;
    GetReduceRepeatMaxMinSpr(value, index);
    counts[0] = GetScalarBitcodeValue(value);
    counts[1] = GetScalarBitcodeValue(index);
    ReduceRepeat<ReduceType::SUM>(y[8], x, 64, 4, 1, 1, 8);
    ReduceSum(y[12], x, tmp, 256);
    counts[2] = GetScalarBitcodeValue(GetReduceRepeatSumSpr<float>());
    ReduceSum(y[13], x, tmp, 64, 4, 8);
    // The first of each four.
    GatherMask(y[16], x, 3, false, 0, {1, 1, 8, 0}, counts[3]);
    Compare(x, x[64], CMPMODE::GT, 64, {1, 1, 1, 8, 8, 8});
    SetVectorMask<float>(16);
    Select<float, SELMODE::VSEL_CMPMASK_SPR>(y[32], x, x[64], 1, {1, 1, 1, 8, 8, 8});
    ResetMask();
    Store(args[1], y, 64);
}

// args: float[256], float[320] out. Whole tensors: half of the input with the other half.
extern "C" void operators(void* const* args)
{
    TPipe pipe;
    TBuf<> in, out;
    LocalTensor<float> x = Load(in, pipe, args[0], 256);
    pipe.InitBuffer(out, 1280);
    LocalTensor<float> a = x;
    LocalTensor<float> b = x[128];
    a.SetSize(64);
    b.SetSize(64);
    LocalTensor<float> sum = out.GetWithOffset<float>(64, 0);
    LocalTensor<float> difference = out.GetWithOffset<float>(64, 256);
    LocalTensor<float> both = out.GetWithOffset<float>(64, 512);
    LocalTensor<int32_t> bits = out.GetWithOffset<int32_t>(64, 768);
    LocalTensor<uint8_t> less = out.GetWithOffset<uint8_t>(8, 1024);
    Duplicate(out.GetWithOffset<float>(64, 1024), 0.0f, 64);
    sum = a + b;
    difference = a - b;
    both = sum * difference;
    bits = a.ReinterpretCast<int32_t>() | b.ReinterpretCast<int32_t>();
    less = a < b;
    Store(args[1], sum, 320);
}

// args: half[64] of which every second is the largest, half[6 * 64] out, int64_t[8] out. Saturation modes, and pads.
extern "C" void modes(void* const* args)
{
    TPipe pipe;
    TBuf<> in, out;
    pipe.InitBuffer(in, 256);
    pipe.InitBuffer(out, 768);
    LocalTensor<half> x = in.Get<half>();
    LocalTensor<half> y = out.Get<half>();
    GlobalTensor<half> from, to;
    from.SetGlobalBuffer(static_cast<half*>(args[0]));
    to.SetGlobalBuffer(static_cast<half*>(args[1]));
    auto* flags = static_cast<int64_t*>(args[2]);
    DataCopy(x, from, 64);
    SetPadValue(static_cast<half>(3));
    DataCopyPad(x[64], from, DataCopyExtParams(1, 20, 0, 0, 0), DataCopyPadExtParams<half>(false, 1, 2, half(0)));
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    flags[0] = GetCtrlSpr<48, 48>();
    flags[1] = GetSaturationFlag<SaturationMode::FLOAT>() + 2 * GetSaturationFlag<SaturationMode::INT>() +
               4 * GetSaturationFlag<SaturationMode::CAST>();
    Add(y, x, x, 64);
    SetSaturationFlag<SaturationMode::FLOAT>(true);
    flags[2] = GetCtrlSpr<48, 48>();
    Add(y[64], x, x, 64);
    SetCtrlSpr<48, 48>(1);
    Add(y[128], x, x, 64);
    SetSaturationFlag<SaturationMode::INT>(true);
    SetSaturationFlag<SaturationMode::CAST>(false);
    flags[3] = GetSaturationFlag<SaturationMode::FLOAT>() + 2 * GetSaturationFlag<SaturationMode::INT>() +
               4 * GetSaturationFlag<SaturationMode::CAST>();
    AscendCUtils::SetOverflow(0);
    flags[4] = GetCtrlSpr<48, 48>();
    AscendCUtils::SetOverflow(1);
    flags[5] = GetCtrlSpr<48, 48>();
    LocalTensor<int16_t> bits = x.ReinterpretCast<int16_t>();
    Adds(y[192].ReinterpretCast<int16_t>(), bits, int16_t(0x7000), 64);
    Cast(y[256].ReinterpretCast<int8_t>(), x, RoundMode::CAST_TRUNC, 64);
    uint64_t all[2] = {~uint64_t(0), 0};
    Duplicate(y[320], half(0), 64);
    ShiftRight<int16_t, int16_t>(y[320].ReinterpretCast<int16_t>(), bits[64], int16_t(1), all, 1, {1, 1, 8, 8}, true);
    Or(y[352].ReinterpretCast<uint32_t>(), x[64].ReinterpretCast<uint32_t>(), x[64].ReinterpretCast<uint32_t>(), 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(to, y, 384);
}
