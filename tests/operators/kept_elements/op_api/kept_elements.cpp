#include "kept_elements.h"

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
