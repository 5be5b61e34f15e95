// The name of toolkit 8.1.
#pragma once
#include "adv_api/sort/topk_tiling.h"
