// A kernel of PTO ISA, which the toolkit does not model.
#include <pto/pto-inst.hpp>

#include "kernel_operator.h"

extern "C" __global__ __aicore__ void tiles(GM_ADDR x) {}
