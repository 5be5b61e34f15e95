// The AI CPU kernels of this process, by op type.
#ifndef HOSTCANN_AICPU_CPU_KERNEL_REGISTER_H
#define HOSTCANN_AICPU_CPU_KERNEL_REGISTER_H

#include <memory>
#include <string>

#include "cpu_kernel.h"

namespace aicpu {

class AICPU_VISIBILITY CpuKernelRegister {
public:
    static CpuKernelRegister& Instance();
    // Null when nobody has made one known.
    std::shared_ptr<CpuKernel> GetCpuKernel(const std::string& op_type);
    // What the kernel returns; KERNEL_STATUS_INNER_ERROR when there is none.
    uint32_t RunCpuKernel(CpuKernelContext& ctx);

private:
    CpuKernelRegister() = default;
};

} // namespace aicpu

#endif // HOSTCANN_AICPU_CPU_KERNEL_REGISTER_H
