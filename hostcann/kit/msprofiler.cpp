// libmsprofiler.so: profiling sessions. They begin and end as documented, and record nothing: there is no device whose
// times could be written, so no file appears below the path of aclprofInit, and readers find no numbers.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

#include "acl/acl.h"

struct aclprofConfig {
    bool isRunning = false;
};

namespace {

struct Session {
    std::mutex lock;
    bool isOpen = false;
    std::string path;
    std::set<const aclprofConfig*> configs;
};

// Never destroyed: programs end sessions while the process exits.
Session& TheSession()
{
    static auto* session = new Session;
    return *session;
}

bool IsDeviceList(const uint32_t* devices, uint32_t count)
{
    uint32_t known = 0;
    if (devices == nullptr || count == 0 || aclrtGetDeviceCount(&known) != ACL_SUCCESS) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (devices[i] >= known) {
            return false;
        }
    }
    return true;
}

// Starts or stops: a config of this library, in an open session, that is in the other state.
aclError Run(const aclprofConfig* config, bool start)
{
    Session& session = TheSession();
    const std::lock_guard<std::mutex> guard(session.lock);
    if (session.configs.count(config) == 0) {
        return ACL_ERROR_INVALID_PARAM;
    }
    if (!session.isOpen) {
        return ACL_ERROR_PROF_NOT_RUN;
    }
    auto* own = const_cast<aclprofConfig*>(config);
    if (own->isRunning == start) {
        return start ? ACL_ERROR_PROF_ALREADY_RUN : ACL_ERROR_PROF_NOT_RUN;
    }
    own->isRunning = start;
    if (start) {
        std::fprintf(
            stderr,
            "hostcann: aclprofStart: no device runs here, so no times are recorded and nothing is written to %s\n",
            session.path.c_str());
    }
    return ACL_SUCCESS;
}

} // namespace

extern "C" {

uint64_t MsprofGetHashId(const char* text, size_t length); // profapi.cpp

aclError aclprofInit(const char* path, size_t length)
{
    if (path == nullptr || length == 0) {
        return ACL_ERROR_INVALID_PARAM;
    }
    Session& session = TheSession();
    const std::lock_guard<std::mutex> guard(session.lock);
    if (session.isOpen) {
        return ACL_ERROR_PROF_ALREADY_RUN;
    }
    session.isOpen = true;
    session.path.assign(path, length);
    return ACL_SUCCESS;
}

aclError aclprofFinalize()
{
    Session& session = TheSession();
    const std::lock_guard<std::mutex> guard(session.lock);
    if (!session.isOpen) {
        return ACL_ERROR_PROF_NOT_RUN;
    }
    session.isOpen = false;
    return ACL_SUCCESS;
}

aclprofConfig* aclprofCreateConfig(uint32_t* devices, uint32_t count, int, const void*, uint64_t)
{
    if (!IsDeviceList(devices, count)) {
        return nullptr;
    }
    auto* config = new aclprofConfig;
    Session& session = TheSession();
    const std::lock_guard<std::mutex> guard(session.lock);
    session.configs.insert(config);
    return config;
}

aclError aclprofDestroyConfig(const aclprofConfig* config)
{
    Session& session = TheSession();
    const std::lock_guard<std::mutex> guard(session.lock);
    if (session.configs.erase(config) == 0) {
        return ACL_ERROR_INVALID_PARAM;
    }
    delete config;
    return ACL_SUCCESS;
}

aclError aclprofStart(const aclprofConfig* config) { return Run(config, true); }

aclError aclprofStop(const aclprofConfig* config) { return Run(config, false); }

// Ranges that a program marks: nested ones end in the reverse order, on the thread that began them.
static thread_local unsigned openRanges = 0;

aclError aclprofRangePushEx(const void* attributes)
{
    if (attributes == nullptr) {
        return ACL_ERROR_INVALID_PARAM;
    }
    ++openRanges;
    return ACL_SUCCESS;
}

aclError aclprofRangePop()
{
    if (openRanges == 0) {
        return ACL_ERROR_INVALID_PARAM;
    }
    --openRanges;
    return ACL_SUCCESS;
}

// A text as a range's attributes name it; none has 0.
uint64_t aclprofStr2Id(const char* message)
{
    return message == nullptr ? 0 : MsprofGetHashId(message, std::strlen(message));
}

} // extern "C"
