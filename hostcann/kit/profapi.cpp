// libprofapi.so: where components report to a profiler. None is attached here: reports are taken and dropped, as
// without a session on a device.
#include <chrono>
#include <cstddef>
#include <cstdint>

extern "C" {

int32_t MsprofRegisterCallback(uint32_t, void*) { return 0; }

int32_t MsprofReportApi(uint32_t, const void*) { return 0; }

int32_t MsprofReportCompactInfo(uint32_t, const void*, uint32_t) { return 0; }

int32_t MsprofReportAdditionalInfo(uint32_t, const void*, uint32_t) { return 0; }

uint64_t MsprofSysCycleTime()
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// The same text has the same number (FNV-1a), and none has 0.
uint64_t MsprofGetHashId(const char* text, size_t length)
{
    uint64_t hash = 14695981039346656037ULL;
    for (size_t i = 0; text != nullptr && i < length; ++i) {
        hash = (hash ^ static_cast<unsigned char>(text[i])) * 1099511628211ULL;
    }
    return hash == 0 ? 1 : hash;
}

} // extern "C"
