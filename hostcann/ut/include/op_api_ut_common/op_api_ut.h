// One call of an aclnn interface: OP_API_UT(aclnnX, INPUT(...), OUTPUT(...)[, further arguments]).
#ifndef HOSTCANN_UT_OP_API_UT_H
#define HOSTCANN_UT_OP_API_UT_H

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "aclnn/aclnn_base.h"
#include "gtest/gtest.h"
#include "op_api_ut_common/tuple_utils.h"
#include "opdev/op_executor.h"
#include "opdev/platform.h"

// Arguments: one tuple of acl objects and plain values, in the order of the interface.
template <typename Phase1, typename Arguments>
class OpApiUt {
public:
    OpApiUt(const char* name, Phase1 phase1, Arguments arguments)
        : name_(name), phase1_(phase1), arguments_(std::move(arguments))
    {
    }

    aclnnStatus TestGetWorkspaceSize(uint64_t* workspace_size)
    {
        aclOpExecutor* executor = nullptr;
        const aclnnStatus status = Call(workspace_size, &executor);
        delete executor;
        return status;
    }

    aclnnStatus TestGetWorkspaceSizeWithNNopbaseInner(uint64_t* workspace_size, aclOpExecutor* executor)
    {
        return Call(workspace_size, &executor);
    }

    OpApiUt& InputGenFunc(const std::string&) { return *this; }

    // Upstream runs the second phase and compares with numpy scripts of its own; neither exists here.
    void TestPrecision() const
    {
        ADD_FAILURE() << name_ << ": TestPrecision is not supported by this harness; use TestGetWorkspaceSize here and "
                      << "check values in tests/ut/op_kernel or in an example";
    }

private:
    aclnnStatus Call(uint64_t* workspace_size, aclOpExecutor** executor)
    {
        return std::apply(
            [&](const auto&... argument) { return phase1_(op_api_ut::Raw(argument)..., workspace_size, executor); },
            arguments_);
    }

    std::string name_;
    Phase1 phase1_;
    Arguments arguments_;
};

#define OP_API_UT(api, input, output, ...) \
    OpApiUt(#api, api##GetWorkspaceSize,   \
            op_api_ut::MakeArguments(std::tuple_cat(input, output, std::make_tuple(__VA_ARGS__))))
#define INPUT(...) std::make_tuple(__VA_ARGS__)
#define OUTPUT(...) std::make_tuple(__VA_ARGS__)

#endif // HOSTCANN_UT_OP_API_UT_H
