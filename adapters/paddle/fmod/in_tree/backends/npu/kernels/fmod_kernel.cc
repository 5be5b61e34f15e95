// backends/npu/kernels/fmod_kernel.cc of PaddleCustomDevice: the kernel of the
// device, through aclnn.
#include "kernels/funcs/npu_op_runner.h"

namespace custom_kernel {

template <typename T, typename Context>
void FmodKernel(const Context& dev_ctx, const phi::DenseTensor& x, const phi::DenseTensor& y, int precision_mode,
                phi::DenseTensor* out)
{
    dev_ctx.template Alloc<T>(out);
    if (precision_mode < 0) {
        EXEC_NPU_CMD(aclnnFmodTensor, dev_ctx, x, y, *out);
        return;
    }
    const int8_t mode = static_cast<int8_t>(precision_mode);
    EXEC_NPU_CMD(aclnnFmodTensorV2, dev_ctx, x, y, mode, *out);
}

} // namespace custom_kernel

PD_REGISTER_PLUGIN_KERNEL(fmod, npu, ALL_LAYOUT, custom_kernel::FmodKernel, float, int, int16_t, int8_t, uint8_t,
                          phi::dtype::float16, phi::dtype::bfloat16)
{
}
