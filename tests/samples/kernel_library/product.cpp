// A kernel for the cube core: it does not compile for the vector cores that the toolkit models.
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void product(GM_ADDR a, GM_ADDR b, GM_ADDR c)
{
    AscendC::LocalTensor<half> left, right;
    AscendC::LocalTensor<float> sum;
    AscendC::MmadParams shape;
    AscendC::Mmad(sum, left, right, shape);
}

namespace launches {

void Product(uint32_t blocks, void* stream, void* memory)
{
    auto* const a = static_cast<uint8_t*>(memory);
    product<<<blocks, nullptr, stream>>>(a, a, a);
}

} // namespace launches
