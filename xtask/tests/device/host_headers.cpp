// A tiling header that kernel and tiling function share brings headers of the host, and with them all of the standard
// library. Included before the toolkit's, as its authors do.
#include <exception>

#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void shared_header(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    *reinterpret_cast<__gm__ float*>(y) = *reinterpret_cast<__gm__ float*>(x);
}
