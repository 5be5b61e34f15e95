// What the bindings are made from: the toolkit's acl headers and the op package's public headers.
#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnn_fmod_scalar.h"
#include "aclnn_fmod_scalar_v2.h"
#include "aclnn_fmod_tensor.h"
#include "aclnn_fmod_tensor_v2.h"

// Counters that only the host toolkit has: its own header serves next to every toolkit's.
#include "../hostcann/include/hostcann/stats.h"
