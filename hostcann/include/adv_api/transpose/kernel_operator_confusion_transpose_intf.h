// The high-level Transpose, under the name the toolkit gives it.
#pragma once
#include "adv_api/transpose/confusion_transpose.h"
