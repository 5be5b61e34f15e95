#include "files.h"

#include <fstream>

bool Load(const char* path, float* to, size_t count)
{
    std::ifstream file(path, std::ios::binary);
    return static_cast<bool>(
        file.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(float))));
}

bool Save(const char* path, const float* from, size_t count)
{
    std::ofstream file(path, std::ios::binary);
    return static_cast<bool>(
        file.write(reinterpret_cast<const char*>(from), static_cast<std::streamsize>(count * sizeof(float))));
}
