// The same under its older name.
#pragma once
#include "adv_api/activation/softmax_tilingdata.h"
