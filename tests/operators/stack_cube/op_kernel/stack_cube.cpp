#include "kernel_operator.h"

extern "C" __global__ __aicore__ void stack_cube(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    AscendC::LocalTensor<half> a;
    AscendC::Mmad(a, a, a, {});
}
