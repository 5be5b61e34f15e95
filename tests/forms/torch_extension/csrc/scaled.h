// What the functions of torch call: y = x * scale + shift for count elements, queued on a stream.
#pragma once
#include <cstdint>

enum class Element : int32_t { FLOAT = 0, INT32 = 1 };

extern "C" void LaunchScaled(Element element, uint32_t blocks, void* stream, void* x, void* y, uint32_t count,
                             float scale, float shift);
