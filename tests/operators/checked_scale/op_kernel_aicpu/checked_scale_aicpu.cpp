#include "checked_scale_aicpu.h"

#include "cpu_kernel_utils.h"
#include "log.h"
#include "status.h"
#include "utils/kernel_util.h"

namespace {
const char* const kCheckedScale = "CheckedScale";
} // namespace

namespace aicpu {

uint32_t CheckedScaleCpuKernel::Compute(CpuKernelContext& ctx)
{
    KERNEL_HANDLE_ERROR(NormalCheck(ctx, 1, 2, {"factor"}), "[%s] the arguments are wrong", kCheckedScale);
    const int64_t factor = ctx.GetAttr("factor")->GetInt();
    const DataType type = ctx.Input(0)->GetDataType();
    if (type == DT_INT64) {
        return ScaleIntegers(ctx, factor);
    }
    KERNEL_CHECK_FALSE(type == DT_DOUBLE, KERNEL_STATUS_PARAM_INVALID, "no scaling of %s", DTypeStr(type).c_str());
    const auto* x = static_cast<const double*>(ctx.Input(0)->GetData());
    auto* y = static_cast<double*>(ctx.Output(0)->GetData());
    *static_cast<int64_t*>(ctx.Output(1)->GetData()) = 0;
    return CpuKernelUtils::ParallelFor(ctx, ctx.Input(0)->NumElements(), 1, [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; ++i) {
            y[i] = x[i] * static_cast<double>(factor);
        }
    });
}

uint32_t CheckedScaleCpuKernel::ScaleIntegers(CpuKernelContext& ctx, int64_t factor)
{
    KERNEL_CHECK_FALSE(factor != 0, KERNEL_STATUS_INNER_ERROR, "the factor is 0");
    const auto* x = static_cast<const int64_t*>(ctx.Input(0)->GetData());
    auto* y = static_cast<int64_t*>(ctx.Output(0)->GetData());
    int64_t overflows = 0;
    for (int64_t i = 0; i < ctx.Input(0)->NumElements(); ++i) {
        overflows += MulWithoutOverflow(x[i], factor, y[i]) ? 0 : 1;
    }
    *static_cast<int64_t*>(ctx.Output(1)->GetData()) = overflows;
    return KERNEL_STATUS_OK;
}

REGISTER_CPU_KERNEL(kCheckedScale, CheckedScaleCpuKernel);
} // namespace aicpu
