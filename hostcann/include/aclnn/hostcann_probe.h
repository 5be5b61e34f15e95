// What tests can ask hostcann about executors. Not part of CANN: do not use them in an operator.
#ifndef HOSTCANN_ACLNN_HOSTCANN_PROBE_H
#define HOSTCANN_ACLNN_HOSTCANN_PROBE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct aclOpExecutor;

// What phase 1 planned, one line for every kernel launch, cast and copy in the order they run: op type, tiling key and
// the bytes of every operand of a launch. Valid until the calling thread's next call.
const char* hc_executor_text(const struct aclOpExecutor* executor);

// Executors that exist: phase 1 done, not yet run or destroyed, or repeatable and not yet destroyed.
size_t hc_live_executors(void);
// aclTensor objects that exist, the ones owned by live executors included.
size_t hc_live_tensors(void);

#ifdef __cplusplus
}
#endif
#endif // HOSTCANN_ACLNN_HOSTCANN_PROBE_H
