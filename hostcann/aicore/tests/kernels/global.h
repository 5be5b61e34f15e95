// Tensors of test kernels in global memory, and the order between two pipes.
#pragma once
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
inline GlobalTensor<T> Global(void* p)
{
    GlobalTensor<T> g;
    g.SetGlobalBuffer(static_cast<T*>(p));
    return g;
}

template <HardEvent event>
inline void Order()
{
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}
