// One call of a generated interface: what its phase 1 was given, and the launch made of it.
#ifndef HOSTCANN_NNOPBASE_INDIVIDUAL_CALL_H
#define HOSTCANN_NNOPBASE_INDIVIDUAL_CALL_H

#include <optional>
#include <string>
#include <vector>

#include "../opdev/op_impl.h"
#include "hostcann/individual_op.h"

namespace op {
namespace internal {

struct IndividualParam {
    enum class Kind { kRequired, kOptional, kDynamic };
    Kind kind{Kind::kRequired};
    std::string name;
    TensorArg arg;
    bool ignoreContiguous{false};
    std::optional<size_t> ref; // index of the output or input of the same name
    // A scalar or a list of them, which becomes a host tensor when its data type is known.
    std::vector<const aclScalar*> scalars;
    bool scalarList{false};
    int32_t scalarSource{-1};
    DataType scalarType{DataType::DT_UNDEFINED};
};

struct IndividualCall {
    std::string opType;
    std::vector<IndividualParam> inputs, outputs;
    OpArgList attrs;
    const OpSocSupportInfo* support{nullptr}; // of the modelled SoC
    bool strictFormat{false};
    bool makeContiguous{false};
    bool launchEmpty{false};

    aclnnStatus Plan(aclOpExecutor* executor);

private:
    aclnnStatus ResolveScalars(aclOpExecutor* executor);
    aclnnStatus CheckTypes() const;
    aclnnStatus Prepare(IndividualParam& param, bool isInput, aclOpExecutor* executor);
    const aclTensor* AsKernelSeesIt(const aclTensor* tensor, const IndividualParam& param, bool isInput,
                                    aclOpExecutor* executor) const;
    bool AllOutputsEmpty() const;
};

} // namespace internal
} // namespace op
#endif // HOSTCANN_NNOPBASE_INDIVIDUAL_CALL_H
