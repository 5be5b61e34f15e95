// The name of toolkit 8.1.
#pragma once
#include "tiling/tiling_api.h"
