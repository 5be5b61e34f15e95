// Leak counters of hostcann for tests. Not part of CANN: do not use them in an operator.
#ifndef HOSTCANN_ACLNN_HOSTCANN_PROBE_H
#define HOSTCANN_ACLNN_HOSTCANN_PROBE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Executors that exist: phase 1 done, not yet run or destroyed, or repeatable and not yet destroyed.
size_t hc_live_executors(void);
// aclTensor objects that exist, the ones owned by live executors included.
size_t hc_live_tensors(void);

#ifdef __cplusplus
}
#endif
#endif // HOSTCANN_ACLNN_HOSTCANN_PROBE_H
