#ifndef HOSTCANN_EXE_GRAPH_TILING_PARSE_CONTEXT_H
#define HOSTCANN_EXE_GRAPH_TILING_PARSE_CONTEXT_H

#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {
// Inputs: compiled json, platform. Output: the struct TilingParse<T> names.
class TilingParseContext : public ExtendedKernelContext {
public:
    const ge::char_t* GetCompiledJson() const { return GetInputStrPointer(0U); }
    template <typename T>
    T* GetCompiledInfo()
    {
        auto* slot = GetOutput(0U);
        return slot == nullptr ? nullptr : slot->GetValue<T*>();
    }
    fe::PlatFormInfos* GetPlatformInfo() const { return GetInputValue<fe::PlatFormInfos*>(1U); }
};
static_assert(std::is_standard_layout<TilingParseContext>::value, "a context is a KernelRunContext");
} // namespace gert

#endif
