#include "aclnn_kept_elements.h"

#include "aclnn_kernels/common/op_error_check.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_def.h"
#include "opdev/op_dfx.h"
#include "opdev/op_log.h"

namespace l0op {
OP_TYPE_REGISTER(KeptElements);

const aclTensor* KeptElements(const aclTensor* x, const aclTensor* out, aclOpExecutor* executor)
{
    L0_DFX(KeptElements, x, out);
    aclTensor* shapes = executor->AllocTensor(op::Shape({9}), op::DataType::DT_INT64);
    if (shapes == nullptr) {
        return nullptr;
    }
    const aclnnStatus status = ADD_TO_LAUNCHER_LIST_AICORE(KeptElements, OP_INPUT(x), OP_OUTPUT(out),
                                                           OP_OUTSHAPE({shapes, 0}));
    return status == ACLNN_SUCCESS ? out : nullptr;
}
} // namespace l0op

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
