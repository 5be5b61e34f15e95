#ifndef CHECKED_SCALE_AICPU_H
#define CHECKED_SCALE_AICPU_H

#include "cpu_kernel.h"

namespace aicpu {
class CheckedScaleCpuKernel : public CpuKernel {
public:
    uint32_t Compute(CpuKernelContext& ctx) override;

private:
    uint32_t ScaleIntegers(CpuKernelContext& ctx, int64_t factor);
};
} // namespace aicpu

#endif
