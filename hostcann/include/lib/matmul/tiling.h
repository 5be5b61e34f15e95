// Matmul needs a cube core: its names are there, a use of one does not compile.
#pragma once
#include "ascendc/kernel/matmul_absent.h"
