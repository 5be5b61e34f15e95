// The name of toolkit 8.1.
#pragma once
#include "adv_api/pad/pad.h"
