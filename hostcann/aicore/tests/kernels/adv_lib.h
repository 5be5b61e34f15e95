// Tensors of test kernels in the unified buffer.
#pragma once
#include "kernel_operator.h"

using namespace AscendC;

struct Args {
    void* const* args;
    uint32_t Size(int i) const { return static_cast<const uint32_t*>(args[0])[i]; }
    float Real(int i) const { return static_cast<const float*>(args[0])[i]; }
};

// Columns in whole blocks.
template <typename T>
uint32_t Whole(uint32_t n)
{
    return (n * sizeof(T) + 31) / 32 * 32 / sizeof(T);
}

class Ub {
public:
    // A buffer of n elements, never written.
    template <typename T>
    LocalTensor<T> Take(uint32_t n)
    {
        TBuf<>& buffer = buffers_[used_++];
        pipe_.InitBuffer(buffer, Whole<T>(n) * sizeof(T));
        return buffer.Get<T>();
    }
    LocalTensor<uint8_t> Tmp(uint32_t bytes) { return bytes == 0 ? LocalTensor<uint8_t>() : Take<uint8_t>(bytes); }
    template <typename T>
    LocalTensor<T> In(const Args& args, int from, uint32_t n)
    {
        const LocalTensor<T> x = Take<T>(n);
        GlobalTensor<T> gm;
        gm.SetGlobalBuffer(static_cast<T*>(args.args[from]));
        DataCopyPad(x, gm, DataCopyExtParams(1, n * sizeof(T), 0, 0, 0), DataCopyPadExtParams<T>(false, 0, 0, T()));
        return x;
    }
    void Start()
    {
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    }
    template <typename T>
    void Out(const Args& args, int to, const LocalTensor<T>& y, uint32_t n)
    {
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        GlobalTensor<T> gm;
        gm.SetGlobalBuffer(static_cast<T*>(args.args[to]));
        DataCopyPad(gm, y, DataCopyExtParams(1, n * sizeof(T), 0, 0, 0));
    }

private:
    TPipe pipe_;
    TBuf<> buffers_[20];
    int used_ = 0;
};

#define KERNEL(name)                                               \
    static void name##_body(Args args);                            \
    extern "C" void name(void* const* a) { name##_body(Args{a}); } \
    static void name##_body(Args args)
