#include "aclnn_reversed_bits.h"

#include "aclnn_kernels/common/op_error_check.h"
#include "opdev/aicpu/aicpu_task.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_def.h"
#include "opdev/op_dfx.h"

namespace l0op {
OP_TYPE_REGISTER(ReversedBits);

const aclTensor* ReversedBits(const aclTensor* x, const aclTensor* out, aclOpExecutor* executor)
{
    L0_DFX(ReversedBits, x, out);
    static op::internal::AicpuTaskSpace space("ReversedBits");
    const aclnnStatus status = ADD_TO_LAUNCHER_LIST_AICPU(ReversedBits, OP_ATTR_NAMES({}), OP_INPUT(x), OP_OUTPUT(out));
    return status == ACLNN_SUCCESS ? out : nullptr;
}
} // namespace l0op

extern "C" aclnnStatus aclnnReversedBitsGetWorkspaceSize(const aclTensor* x, aclTensor* out, uint64_t* workspaceSize,
                                                         aclOpExecutor** executor)
{
    L2_DFX_PHASE_1(aclnnReversedBits, DFX_IN(x), DFX_OUT(out));
    auto unique = CREATE_EXECUTOR();
    CHECK_RET(unique.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);
    CHECK_RET(l0op::ReversedBits(x, out, unique.get()) != nullptr, ACLNN_ERR_INNER_NULLPTR);
    *workspaceSize = unique->GetWorkspaceSize();
    unique.ReleaseTo(executor);
    return ACLNN_SUCCESS;
}

extern "C" aclnnStatus aclnnReversedBits(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                         aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnReversedBits);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}
