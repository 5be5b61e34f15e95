// TransDataTo5HD and Transpose through the façade.
#include "global.h"

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
