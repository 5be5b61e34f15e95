#ifndef HOSTCANN_OP_COMMON_UTIL_PLATFORM_UTIL_H
#define HOSTCANN_OP_COMMON_UTIL_PLATFORM_UTIL_H

#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "op_common/log/log.h"
#include "tiling/platform/platform_ascendc.h"

namespace Ops {
namespace Base {
// Asks the platform of a tiling or tiling parse context; 0 with an error log when there is none.
template <typename T, typename Ask>
uint32_t AskPlatform(const T* context, const char* caller, Ask ask)
{
    OP_CHECK_IF(context == nullptr, OP_LOGE(caller, "context is nullptr"), return 0);
    fe::PlatFormInfos* infos = context->GetPlatformInfo();
    OP_CHECK_IF(infos == nullptr, OP_LOGE(caller, "the context has no platform info"), return 0);
    return ask(platform_ascendc::PlatformAscendC(infos));
}

template <typename T>
uint32_t GetAivCoreNum(const T* context)
{
    return AskPlatform(context, "GetAivCoreNum", [](const auto& platform) { return platform.GetCoreNumAiv(); });
}
template <typename T>
uint32_t GetAicCoreNum(const T* context)
{
    return AskPlatform(context, "GetAicCoreNum", [](const auto& platform) { return platform.GetCoreNumAic(); });
}
template <typename T>
uint32_t GetUbSize(const T* context)
{
    return AskPlatform(context, "GetUbSize", [](const auto& platform) {
        uint64_t size = 0;
        platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, size);
        return static_cast<uint32_t>(size);
    });
}
template <typename T>
uint32_t GetWorkspaceSize(const T* context)
{
    return AskPlatform(context, "GetWorkspaceSize",
                       [](const auto& platform) { return platform.GetLibApiWorkSpaceSize(); });
}

template <typename T>
uint32_t GetUbBlockSize([[maybe_unused]] const T* context)
{
    return 32U;
}
template <typename T>
uint32_t GetVRegSize([[maybe_unused]] const T* context)
{
    return 256U;
}
template <typename T>
uint32_t GetCacheLineSize([[maybe_unused]] const T* context)
{
    return 256U;
}
template <typename T>
uint32_t GetSectorCacheLineSize([[maybe_unused]] const T* context)
{
    return 128U;
}
template <typename T>
uint32_t GetSimtMaxThreadNum([[maybe_unused]] const T* context)
{
    return 2048U;
}
template <typename T>
uint32_t GetSimtMaxDCacheSize([[maybe_unused]] const T* context)
{
    return 131072U;
}
template <typename T>
uint32_t GetNddmaDcacheSize([[maybe_unused]] const T* context)
{
    return 8192U;
}
} // namespace Base
} // namespace Ops

#endif
