// Copies and transposes that change the layout, int4b_t, dequantisation and BilinearInterpolation through the façade.
#include "global.h"

// args: half[1024], half[1024] out, half[2 * 2 * 3 * 16] out. The example of the ND2NZ page, there and back; two
// matrices of 3 rows and 20 of 24 columns.
extern "C" void nz(void* const* args)
{
    TPipe pipe;
    TBuf<> a, b;
    pipe.InitBuffer(a, 2048);
    pipe.InitBuffer(b, 384);
    LocalTensor<half> x = a.Get<half>();
    LocalTensor<half> y = b.Get<half>();
    DataCopy(x, Global<half>(args[0]), Nd2NzParams{1, 32, 32, 0, 32, 32, 1, 0});
    DataCopy(y, Global<half>(args[0]), Nd2NzParams{2, 3, 20, 72, 24, 3, 1, 96});
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(Global<half>(args[1]), x, Nz2NdParamsFull{1, 32, 32, 4, 32, 32, 1024});
    DataCopy(Global<half>(args[2]), y, 192);
}

// args: half[1024], half[1024] out: NZ as it lies.
extern "C" void nz_as_it_is(void* const* args)
{
    TPipe pipe;
    TBuf<> a;
    pipe.InitBuffer(a, 2048);
    LocalTensor<half> x = a.Get<half>();
    DataCopy(x, Global<half>(args[0]), Nd2NzParams{1, 32, 32, 0, 32, 32, 1, 0});
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(Global<half>(args[1]), x, 1024);
}

// args: float[3 * 87], float[96] out, float[3 * 87] out. The example of the page on slices.
extern "C" void slices(void* const* args)
{
    TPipe pipe;
    TBuf<> a;
    pipe.InitBuffer(a, 384);
    LocalTensor<float> x = a.Get<float>();
    SliceInfo wide[] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}};
    SliceInfo dense[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
    DataCopy(x, Global<float>(args[0]), dense, wide, 2);
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(Global<float>(args[1]), x, 96);
    DataCopy(Global<float>(args[2]), x, wide, dense, 2);
}

// args: float[8], float[8] out. The runs of source and destination differ.
extern "C" void different_slices(void* const* args)
{
    TPipe pipe;
    TBuf<> a;
    pipe.InitBuffer(a, 384);
    SliceInfo one[] = {{0, 7, 0, 1, 8}};
    SliceInfo two[] = {{0, 15, 0, 1, 16}};
    DataCopy(a.Get<float>(), Global<float>(args[0]), two, one);
}

// args: bytes of 128 int4b_t, half[128] out, bytes of 192 and of 4 int4b_t out. Half bytes in copies and tensors.
extern "C" void half_bytes(void* const* args)
{
    GlobalTensor<int4b_t> x;
    x.SetGlobalBuffer(static_cast<__gm__ int4b_t*>(args[0]), 128);
    GlobalTensor<half> y;
    y.SetGlobalBuffer(static_cast<__gm__ half*>(args[1]));
    GlobalTensor<int4b_t> z;
    z.SetGlobalBuffer(static_cast<__gm__ int4b_t*>(args[2]), 192);
    TPipe pipe;
    TBuf<> bx;
    TBuf<> by;
    TBuf<> bt;
    pipe.InitBuffer(bx, 64);
    pipe.InitBuffer(by, 256);
    pipe.InitBuffer(bt, 8192);
    LocalTensor<int4b_t> packed = bx.Get<int4b_t>(128);
    DataCopy(packed[64], x, 64);
    DataCopy(packed, x[64], 64);
    PipeBarrier<PIPE_ALL>();
    AscendAntiQuant<int4b_t, half, false>(by.Get<half>(), packed, half(0.5f), half(1.0f), bt.Get<uint8_t>(), 128);
    PipeBarrier<PIPE_ALL>();
    DataCopy(y, by.Get<half>(), 128);
    DataCopy(z[64], packed, 128);
    PipeBarrier<PIPE_ALL>();
    GlobalTensor<int4b_t> few;
    few.SetGlobalBuffer(static_cast<__gm__ int4b_t*>(args[3]), 4);
    few.SetValue(1, x.GetValue(2));
    few.SetValue(0, x[3].GetValue(0));
    few[2].SetValue(0, static_cast<int4b_t>(x.ReinterpretCast<int8_t>().GetSize() == 64));
    few.SetValue(3, static_cast<int4b_t>(bx.Get<int4b_t>().GetSize() == 128));
    DataCacheCleanAndInvalid<int4b_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(few);
}

// args: half[64] of integers, half[64] out, int32_t[8] out. Through int4b_t and back.
extern "C" void nibbles(void* const* args)
{
    TPipe pipe;
    TBuf<> a, b;
    pipe.InitBuffer(a, 128);
    pipe.InitBuffer(b, 32);
    LocalTensor<half> x = a.Get<half>();
    LocalTensor<int4b_t> packed = b.Get<int8_t>().ReinterpretCast<int4b_t>();
    auto* out = static_cast<int32_t*>(args[2]);
    DataCopy(x, Global<half>(args[0]), 64);
    Order<HardEvent::MTE2_V>();
    Cast(packed, x, RoundMode::CAST_RINT, 64);
    Order<HardEvent::V_S>();
    out[0] = static_cast<int32_t>(packed.GetSize());
    out[1] = packed.GetValue(0);
    out[2] = packed.GetValue(3);
    out[3] = packed[4].GetValue(1);
    packed.SetValue(3, -5);
    out[4] = packed.GetValue(2);
    Order<HardEvent::S_V>();
    Cast(x, packed, RoundMode::CAST_NONE, 64);
    Order<HardEvent::V_MTE3>();
    DataCopy(Global<half>(args[1]), x, 64);
}

// args: int16_t[32], int8_t[96] out. All parameters at once, then one set for each column.
extern "C" void dequantise(void* const* args)
{
    TPipe pipe;
    TBuf<> a, b, c;
    pipe.InitBuffer(a, 64);
    pipe.InitBuffer(b, 96);
    pipe.InitBuffer(c, 128);
    LocalTensor<int16_t> x = a.Get<int16_t>();
    LocalTensor<int8_t> y = b.Get<int8_t>();
    DataCopy(x, Global<int16_t>(args[0]), 32);
    Order<HardEvent::MTE2_V>();
    Duplicate(y.ReinterpretCast<int16_t>(), int16_t(0), 48);
    SetDeqScale(0.5f, -3, true);
    CastDequant<int8_t, int16_t, false, false>(y, x, 16);
    CastDequant<int8_t, int16_t, true, false, true>(y, x[16], 16, 1, {1, 1, 8, 8});
    float scale[16];
    int16_t offset[16];
    bool sign[16];
    for (int i = 0; i < 16; i++) {
        scale[i] = static_cast<float>(i);
        offset[i] = static_cast<int16_t>(-i);
        sign[i] = true;
    }
    VdeqInfo info(scale, offset, sign);
    SetDeqScale<uint64_t>(c.Get<uint64_t>(), info);
    CastDequant<int8_t, int16_t>(y[32], x, 32);
    Order<HardEvent::V_MTE3>();
    DataCopy(Global<int8_t>(args[1]), y, 96);
}

// args: half[512], uint32_t[32], half[32], half[512] out: repeatMode false, then true. The example of the page.
extern "C" void interpolate(void* const* args)
{
    TPipe pipe;
    TBuf<> a, b, c, d, e;
    pipe.InitBuffer(a, 1024);
    pipe.InitBuffer(b, 128);
    pipe.InitBuffer(c, 64);
    pipe.InitBuffer(d, 1024);
    pipe.InitBuffer(e, 512 * 32 + 32 * 32);
    LocalTensor<half> y = d.Get<half>();
    DataCopy(a.Get<half>(), Global<half>(args[0]), 512);
    DataCopy(b.Get<uint32_t>(), Global<uint32_t>(args[1]), 32);
    DataCopy(c.Get<half>(), Global<half>(args[2]), 32);
    Order<HardEvent::MTE2_V>();
    uint64_t all[2] = {~uint64_t(0), ~uint64_t(0)};
    BilinearInterpolation(y, a.Get<half>(), b.Get<uint32_t>(), c.Get<half>(), 128, 2, false, 1, 128, 2,
                          e.Get<uint8_t>());
    BilinearInterpolation(y[256], a.Get<half>(), b.Get<uint32_t>(), c.Get<half>(), all, 2, true, 1, 128, 2,
                          e.Get<uint8_t>());
    Order<HardEvent::V_MTE3>();
    DataCopy(Global<half>(args[3]), y, 512);
}

// args: half[16 * 64], half[4 * 256] out. The overloads of TransDataTo5HD: addresses, tensors, tensors of addresses.
extern "C" void to_5hd(void* const* args)
{
    TPipe pipe;
    TBuf<> in, out, lists;
    pipe.InitBuffer(in, 2048);
    pipe.InitBuffer(out, 2048);
    pipe.InitBuffer(lists, 256);
    LocalTensor<half> x = in.Get<half>();
    LocalTensor<half> y = out.Get<half>();
    DataCopy(x, Global<half>(args[0]), 1024);
    Order<HardEvent::MTE2_V>();
    uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], srcList[NCHW_CONV_ADDR_LIST_SIZE];
    LocalTensor<half> dstTensors[16], srcTensors[16];
    LocalTensor<uint64_t> dst = lists.Get<uint64_t>();
    LocalTensor<uint64_t> src = dst[16];
    for (int i = 0; i < 16; i++) {
        dstList[i] = (uint64_t)(y[i * 16].GetPhyAddr());
        srcList[i] = (uint64_t)(x[i * 64].GetPhyAddr());
        dstTensors[i] = y[512 + i * 16];
        srcTensors[i] = x[i * 64 + 32];
        dst.SetValue(i, (uint64_t)(y[768 + i * 16].GetPhyAddr()));
        src.SetValue(i, (uint64_t)(x[i * 64 + 48].GetPhyAddr()));
    }
    TransDataTo5HDParams params;
    params.repeatTimes = 2;
    params.dstRepStride = 16;
    params.srcRepStride = 1;
    TransDataTo5HD<half>(dstList, srcList, params);
    TransDataTo5HD(dstTensors, srcTensors, {false, false, 1, 0, 0});
    Order<HardEvent::S_V>();
    TransDataTo5HD<half>(dst, src, TransDataTo5HDParams());
    Order<HardEvent::V_MTE3>();
    DataCopy(Global<half>(args[1]), y, 1024);
}

// args: half[256], half[256] out. Only the first 8 rows of a square are there, the first 8 columns of it go out.
extern "C" void part_of_a_square(void* const* args)
{
    TPipe pipe;
    TBuf<> in, out;
    pipe.InitBuffer(in, 512);
    pipe.InitBuffer(out, 512);
    LocalTensor<half> x = in.Get<half>();
    DataCopy(x, Global<half>(args[0]), 128);
    Order<HardEvent::MTE2_V>();
    Transpose(out.Get<half>(), x);
    Transpose(out.Get<half>(), out.Get<half>());
    Transpose(x, out.Get<half>());
    Order<HardEvent::V_MTE3>();
    DataCopyPad(Global<half>(args[1]), x, DataCopyExtParams(16, 16, 0, 16, 0));
}

// args: half[256], half[8] out. As above in place; what goes out is of a row that was never there.
extern "C" void a_row_that_is_not_there(void* const* args)
{
    TPipe pipe;
    TBuf<> in, out;
    pipe.InitBuffer(in, 512);
    pipe.InitBuffer(out, 512);
    LocalTensor<half> y = out.Get<half>();
    DataCopy(in.Get<half>(), Global<half>(args[0]), 128);
    Order<HardEvent::MTE2_V>();
    Transpose(y, in.Get<half>());
    Transpose(y, y);
    Order<HardEvent::V_MTE3>();
    DataCopyPad(Global<half>(args[1]), y[9 * 16], DataCopyExtParams(1, 16, 0, 0, 0));
}

// args: float[2 * 5 * 24], float out of the same length twice: channels last, and back.
extern "C" void images(void* const* args)
{
    TPipe pipe;
    TBuf<> in, out, tmp;
    pipe.InitBuffer(in, 960);
    pipe.InitBuffer(out, 960);
    pipe.InitBuffer(tmp, 11 * 512);
    LocalTensor<float> x = in.Get<float>();
    LocalTensor<float> y = out.Get<float>();
    DataCopy(x, Global<float>(args[0]), 240);
    Order<HardEvent::MTE2_V>();
    TransposeParamsExt params(2, 5, 4, 6, TransposeType::TRANSPOSE_NCHW2NHWC);
    Transpose(y, x, tmp.Get<uint8_t>(), params);
    params.transposeType = TransposeType::TRANSPOSE_NHWC2NCHW;
    Transpose(x, y, tmp.Get<uint8_t>(), params);
    Order<HardEvent::V_MTE3>();
    DataCopy(Global<float>(args[1]), y, 240);
    DataCopy(Global<float>(args[1])[240], x, 240);
}

// args: none. The temporary space lacks a byte.
extern "C" void short_of_space(void* const*)
{
    TPipe pipe;
    TBuf<> in, out, tmp;
    pipe.InitBuffer(in, 960);
    pipe.InitBuffer(out, 960);
    pipe.InitBuffer(tmp, 11 * 512 - 32);
    LocalTensor<float> y = out.Get<float>();
    Transpose(y, in.Get<float>(), tmp.Get<uint8_t>(), {2, 5, 4, 6, TransposeType::TRANSPOSE_NHWC2NCHW});
}
