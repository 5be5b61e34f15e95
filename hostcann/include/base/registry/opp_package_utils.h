#ifndef HOSTCANN_BASE_REGISTRY_OPP_PACKAGE_UTILS_H
#define HOSTCANN_BASE_REGISTRY_OPP_PACKAGE_UTILS_H

#include <memory>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/error_codes.h"

namespace gert {
enum class OppImplVersionTag { kOpp, kOppKernel, kVersionEnd = 20 };

// Op host libraries of one package.
class OppSoDesc {
public:
    explicit OppSoDesc(const std::vector<ge::AscendString>& so_paths, const ge::AscendString& package_name)
        : so_paths_(so_paths), package_name_(package_name)
    {
    }
    std::vector<ge::AscendString> GetSoPaths() const { return so_paths_; }
    ge::AscendString GetPackageName() const { return package_name_; }

private:
    std::vector<ge::AscendString> so_paths_;
    ge::AscendString package_name_;
};
} // namespace gert

#endif
