// A part of kernel_operator.h, under the name the toolkit gives it.
#pragma once
#include "adv_api/pad/pad.h"
#include "kernel_operator.h"
