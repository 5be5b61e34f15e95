// A part of TransData, under the name the toolkit gives it.
#pragma once
#include "ascendc/trans_data_format.h"
