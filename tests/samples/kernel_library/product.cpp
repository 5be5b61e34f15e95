// A kernel for the cube core: it does not compile for the vector cores that the toolkit models.
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void product(GM_ADDR a, GM_ADDR b, GM_ADDR c)
{
    AscendC::LocalTensor<half> left, right;
    AscendC::LocalTensor<float> sum;
    AscendC::MmadParams shape;
    AscendC::Mmad(sum, left, right, shape);
}
