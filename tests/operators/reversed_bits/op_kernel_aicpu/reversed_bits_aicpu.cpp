#include "cpu_kernel.h"
#include "cpu_kernel_utils.h"
#include "log.h"
#include "status.h"
#include "utils/kernel_util.h"

namespace aicpu {

class ReversedBitsCpuKernel : public CpuKernel {
public:
    uint32_t Compute(CpuKernelContext& ctx) override
    {
        KERNEL_HANDLE_ERROR(NormalCheck(ctx, 1, 1));
        KERNEL_CHECK_FALSE(ctx.Input(0)->GetDataType() == DT_UINT64, KERNEL_STATUS_PARAM_INVALID, "not DT_UINT64");
        const auto* x = static_cast<const uint64_t*>(ctx.Input(0)->GetData());
        auto* y = static_cast<uint64_t*>(ctx.Output(0)->GetData());
        for (int64_t i = 0; i < ctx.Input(0)->NumElements(); ++i) {
            uint64_t reversed = 0; // y may be x
            for (uint32_t bit = 0; bit < 64; ++bit) {
                reversed |= (x[i] >> bit & 1) << (63 - bit);
            }
            y[i] = reversed;
        }
        return KERNEL_STATUS_OK;
    }
};

const char* const kReversedBits = "ReversedBits";
REGISTER_CPU_KERNEL(kReversedBits, ReversedBitsCpuKernel);

} // namespace aicpu
