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
#include "opdev/op_log.h"

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

// Every library once; its initialisers make the kernels known, those of packages that are searched first before others.
void LoadInstalled()
{
    static std::mutex mutex;
    static std::set<std::string> tried;
    const std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < hc_vendor_count(); ++i) {
        for (const std::string& path : LibrariesIn(hc_vendor_dir(i) + std::string(kKernelDir))) {
            if (tried.insert(path).second && dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
                const char* why = dlerror();
                OP_LOGE(ACLNN_ERR_INNER, "the AI CPU kernels in %s could not be loaded: %s", path.c_str(),
                        why == nullptr ? "unknown" : why);
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

namespace internal {

KERNEL_CREATOR_FUN FindCpuKernel(const std::string& opType)
{
    LoadInstalled();
    Registry& registry = TheRegistry();
    const std::lock_guard<std::mutex> lock(registry.mutex);
    const auto found = registry.creators.find(opType);
    return found == registry.creators.end() ? nullptr : found->second;
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

} // namespace internal
} // namespace aicpu
