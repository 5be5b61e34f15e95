#include "data_utils.h"

bool ReadFile(const std::string& filePath, size_t& fileSize, void* buffer, size_t bufferSize)
{
    std::ifstream file(filePath, std::ios::binary | std::ios::ate);
    if (!file || buffer == nullptr) {
        ERROR_LOG("%s cannot be opened, or there is no buffer", filePath.c_str());
        return false;
    }
    const std::streamoff size = file.tellg();
    if (size <= 0 || static_cast<size_t>(size) > bufferSize) {
        ERROR_LOG("%s holds %lld bytes, the buffer %zu", filePath.c_str(), static_cast<long long>(size), bufferSize);
        return false;
    }
    fileSize = static_cast<size_t>(size);
    file.seekg(0);
    return static_cast<bool>(file.read(static_cast<char*>(buffer), size));
}

bool WriteFile(const std::string& filePath, const void* buffer, size_t size)
{
    std::ofstream file(filePath, std::ios::binary | std::ios::trunc);
    if (!file || buffer == nullptr ||
        !file.write(static_cast<const char*>(buffer), static_cast<std::streamsize>(size)).flush()) {
        ERROR_LOG("%s cannot be written", filePath.c_str());
        return false;
    }
    return true;
}
