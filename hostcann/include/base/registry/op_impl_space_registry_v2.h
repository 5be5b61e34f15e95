#ifndef HOSTCANN_BASE_REGISTRY_OP_IMPL_SPACE_REGISTRY_V2_H
#define HOSTCANN_BASE_REGISTRY_OP_IMPL_SPACE_REGISTRY_V2_H

#include <array>
#include <cstddef>
#include <memory>

#include "base/registry/opp_package_utils.h"
#include "register/op_impl_kernel_registry.h"

namespace gert {
class OpImplSpaceRegistryImpl;

// Functions by op type. Libraries are merged in the order they are added, the first one wins. An op type no added
// library knows is looked up among everything registered in the process. Safe to use from several threads.
class OpImplSpaceRegistryV2 {
public:
    OpImplSpaceRegistryV2();
    ~OpImplSpaceRegistryV2() = default;
    // Loads every library (for the life of the process). GRAPH_FAILED with an error log when one cannot be loaded.
    ge::graphStatus AddSoToRegistry(const OppSoDesc& so_desc);
    // nullptr when unknown. Stays valid as long as the registry.
    const OpImplKernelRegistry::OpImplFunctionsV2* GetOpImpl(const char* op_type) const;

private:
    std::shared_ptr<OpImplSpaceRegistryImpl> impl_;
};

using OpImplSpaceRegistryV2Ptr = std::shared_ptr<OpImplSpaceRegistryV2>;
using OpImplSpaceRegistryV2Array = std::array<OpImplSpaceRegistryV2Ptr,
                                              static_cast<size_t>(OppImplVersionTag::kVersionEnd)>;

class DefaultOpImplSpaceRegistryV2Impl;
class DefaultOpImplSpaceRegistryV2 {
public:
    DefaultOpImplSpaceRegistryV2(const DefaultOpImplSpaceRegistryV2&) = delete;
    DefaultOpImplSpaceRegistryV2& operator=(const DefaultOpImplSpaceRegistryV2&) = delete;
    static DefaultOpImplSpaceRegistryV2& GetInstance();

    // kOpp starts as an empty registry, the other tags as nullptr.
    const std::shared_ptr<OpImplSpaceRegistryV2> GetSpaceRegistry(
        gert::OppImplVersionTag opp_impl_version = gert::OppImplVersionTag::kOpp) const;
    ge::graphStatus SetSpaceRegistry(const std::shared_ptr<OpImplSpaceRegistryV2>& space_registry_v2,
                                     gert::OppImplVersionTag version_tag = gert::OppImplVersionTag::kOpp);
    void ClearSpaceRegistry();

private:
    DefaultOpImplSpaceRegistryV2();
    ~DefaultOpImplSpaceRegistryV2() = default;
    std::shared_ptr<DefaultOpImplSpaceRegistryV2Impl> impl_;
};
} // namespace gert

#endif
