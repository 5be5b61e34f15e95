#include "aclnn_checked_scale.h"

#include "aclnn_util.h"
#include "aclnn_kernels/common/op_error_check.h"
#include "checked_scale.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_dfx.h"

extern "C" aclnnStatus aclnnCheckedScaleGetWorkspaceSize(const aclTensor* x, int64_t factor, aclTensor* out,
                                                         aclTensor* overflows, uint64_t* workspaceSize,
                                                         aclOpExecutor** executor)
{
    L2_DFX_PHASE_1(aclnnCheckedScale, DFX_IN(x, factor), DFX_OUT(out, overflows));
    auto unique = CREATE_EXECUTOR();
    CHECK_RET(unique.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);
    CHECK_RET(AllThere({x, out, overflows}), ACLNN_ERR_PARAM_NULLPTR);
    CHECK_RET(l0op::CheckedScale(x, factor, out, overflows, unique.get()) != nullptr, ACLNN_ERR_INNER_NULLPTR);
    *workspaceSize = unique->GetWorkspaceSize();
    unique.ReleaseTo(executor);
    return ACLNN_SUCCESS;
}

extern "C" aclnnStatus aclnnCheckedScale(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                         aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnCheckedScale);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}
