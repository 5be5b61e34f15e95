#pragma once
#include <cstddef>

bool Load(const char* path, float* to, size_t count);
bool Save(const char* path, const float* from, size_t count);
