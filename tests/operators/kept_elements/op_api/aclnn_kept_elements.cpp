#include "aclnn_kept_elements.h"

#include "aclnn_kernels/common/op_error_check.h"
#include "kept_elements.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_dfx.h"

extern "C" aclnnStatus aclnnKeptElementsGetWorkspaceSize(const aclTensor* x, aclTensor* out, uint64_t* workspaceSize,
                                                         aclOpExecutor** executor)
{
    L2_DFX_PHASE_1(aclnnKeptElements, DFX_IN(x), DFX_OUT(out));
    auto unique = CREATE_EXECUTOR();
    CHECK_RET(unique.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);
    OP_CHECK_NULL(x, return ACLNN_ERR_PARAM_NULLPTR);
    OP_CHECK_NULL(out, return ACLNN_ERR_PARAM_NULLPTR);
    CHECK_RET(l0op::KeptElements(x, out, unique.get()) != nullptr, ACLNN_ERR_INNER_NULLPTR);
    *workspaceSize = unique->GetWorkspaceSize();
    unique.ReleaseTo(executor);
    return ACLNN_SUCCESS;
}

extern "C" aclnnStatus aclnnKeptElements(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                         aclrtStream stream)
{
    L2_DFX_PHASE_2(aclnnKeptElements);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}
