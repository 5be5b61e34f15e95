// The same under its older name.
#pragma once
#include "adv_api/activation/logsoftmax_tilingdata.h"
