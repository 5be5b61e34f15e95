#include "cpu_registry.h"

#include <dirent.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "hostcann/host_abi.h"
#include "log.h"

namespace aicpu {
namespace {

constexpr const char* kKernelDir = "/op_impl/cpu/aicpu_kernel/impl";

struct Registry {
    std::mutex mutex;
    std::map<std::string, KERNEL_CREATOR_FUN> creators;
};

// Never destroyed: libraries that are unloaded at exit may still ask for it.
Registry& TheRegistry()
{
    static auto* registry = new Registry();
    return *registry;
}

std::string& FirstError()
{
    thread_local std::string text;
    return text;
}

std::vector<std::string> LibrariesIn(const std::string& dir)
{
    std::vector<std::string> found;
    DIR* open = opendir(dir.c_str());
    while (open != nullptr) {
        const dirent* entry = readdir(open);
        if (entry == nullptr) {
            break;
        }
        const std::string name = entry->d_name;
        if (name.size() > 3 && name.compare(name.size() - 3, 3, ".so") == 0) {
            found.push_back(dir + "/" + name);
        }
    }
    if (open != nullptr) {
        (void)closedir(open);
    }
    std::sort(found.begin(), found.end());
    return found;
}

struct Loaded {
    std::mutex mutex;
    std::set<std::string> tried;
    std::string failures; // "<library> could not be loaded: <why>", one behind the other
};

Loaded& TheLoaded()
{
    static auto* loaded = new Loaded();
    return *loaded;
}

// Every library once; its initialisers make the kernels known, those of packages that are searched first before others.
void LoadInstalled()
{
    Loaded& loaded = TheLoaded();
    const std::lock_guard<std::mutex> lock(loaded.mutex);
    for (size_t i = 0; i < hc_vendor_count(); ++i) {
        for (const std::string& path : LibrariesIn(hc_vendor_dir(i) + std::string(kKernelDir))) {
            if (loaded.tried.insert(path).second && dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
                // Its kernels may be nobody's business: who does not find one is told.
                const char* why = dlerror();
                loaded.failures += "; " + path + " could not be loaded: " + (why == nullptr ? "unknown" : why);
            }
        }
    }
}

} // namespace

bool RegistCpuKernel(const std::string& type, const KERNEL_CREATOR_FUN& fun)
{
    Registry& registry = TheRegistry();
    const std::lock_guard<std::mutex> lock(registry.mutex);
    return fun != nullptr && registry.creators.emplace(type, fun).second;
}

namespace hostcann {

KERNEL_CREATOR_FUN FindCpuKernel(const std::string& opType)
{
    LoadInstalled();
    Registry& registry = TheRegistry();
    const std::lock_guard<std::mutex> lock(registry.mutex);
    const auto found = registry.creators.find(opType);
    return found == registry.creators.end() ? nullptr : found->second;
}

std::string LoadFailures()
{
    Loaded& loaded = TheLoaded();
    const std::lock_guard<std::mutex> lock(loaded.mutex);
    return loaded.failures;
}

std::string TakeFirstError()
{
    std::string text;
    text.swap(FirstError());
    return text;
}

void KernelLog(int32_t level, const char* function, const char* format, ...)
{
    const bool logged = hc_log_enabled(level) != 0;
    if (!logged && level != HC_LOG_ERROR) {
        return;
    }
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)std::vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (level == HC_LOG_ERROR && FirstError().empty()) {
        FirstError() = text;
    }
    if (logged) {
        hc_log(level, "AICPU", (std::string("[") + function + "] " + text).c_str());
    }
}

} // namespace hostcann
} // namespace aicpu
