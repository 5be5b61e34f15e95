// AI CPU kernels: what their headers promise, and launches of kernels that this program makes known.
#include <stdexcept>

#include "cpu_kernel.h"
#include "cpu_kernel_utils.h"
#include "device.h"
#include "gtest/gtest.h"
#include "node_def_builder.h"
#include "opdev/aicpu/aicpu_task.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_def.h"
#include "recorder.h"
#include "utils/bcast.h"
#include "utils/kernel_util.h"

namespace l0op {
OP_TYPE_REGISTER(HostcannMany);
} // namespace l0op

namespace aicpu {

// out0[i]: sum of all inputs + bias of attribute kinds; out1: number of inputs with data.
class ManyKernel : public CpuKernel {
public:
    uint32_t Compute(CpuKernelContext& ctx) override
    {
        if (ctx.GetAttr("throw")->GetBool()) {
            throw std::runtime_error("on purpose");
        }
        KERNEL_HANDLE_ERROR(NormalCheck(ctx, kDynamicInput, 2, {"ints"}), "not reached by the first error");
        int64_t bias = static_cast<int64_t>(ctx.GetAttr("real")->GetFloat());
        for (const int64_t value : ctx.GetAttr("ints")->GetListInt()) {
            bias += value;
        }
        bias += static_cast<int64_t>(ctx.GetAttr("name")->GetString().size());
        auto* out = static_cast<int64_t*>(ctx.Output(0)->GetData());
        for (int64_t i = 0; i < ctx.Output(0)->NumElements(); ++i) {
            out[i] = bias;
        }
        for (uint32_t in = 0; in < ctx.GetInputsSize(); ++in) {
            const auto* values = static_cast<const int64_t*>(ctx.Input(in)->GetData());
            for (int64_t i = 0; i < ctx.Input(in)->NumElements(); ++i) {
                out[i] += values[i];
            }
        }
        *static_cast<int64_t*>(ctx.Output(1)->GetData()) = ctx.GetInputsSize();
        return KERNEL_STATUS_OK;
    }
};

const char* const kMany = "HostcannMany";
REGISTER_CPU_KERNEL(kMany, ManyKernel);

} // namespace aicpu

namespace {

using l0op::HostcannManyOpTypeId;

aclnnStatus Launch(const aclTensor* x, const aclTensorList* list, const aclIntArray* array, const aclTensor* y,
                   const aclTensor* count, bool throws, aclOpExecutor* executor, const aclIntArray* ints)
{
    static op::internal::AicpuTaskSpace space("HostcannMany");
    return ADD_TO_LAUNCHER_LIST_AICPU(HostcannMany, OP_ATTR_NAMES({"ints", "real", "name", "throw"}),
                                      OP_INPUT(x, list, array), OP_OUTPUT(y, count),
                                      OP_ATTR(ints, 2.5F, std::string("abc"), throws));
}

int32_t RunOn(UniqueExecutor& unique)
{
    const uint64_t size = unique->GetWorkspaceSize();
    aclOpExecutor* executor = nullptr;
    unique.ReleaseTo(&executor);
    return test::Run(executor, size);
}

} // namespace

TEST(AicpuLaunch, TensorsListsArraysAndAttributes)
{
    ResetRecorder();
    test::Buffer<int64_t> left({1, 2});
    test::Buffer<int64_t> right({10, 20});
    test::Buffer<int64_t> out({0, 0});
    test::Buffer<int64_t> number({0});
    const auto x = test::MakeTensor({2}, ACL_INT64, left.Get());
    const auto other = test::MakeTensor({2}, ACL_INT64, right.Get());
    const auto y = test::MakeTensor({2}, ACL_INT64, out.Get());
    const auto count = test::MakeTensor({1}, ACL_INT64, number.Get());
    const int64_t words[] = {100, 200};
    const int64_t bias[] = {1000, 2000};
    aclIntArray* array = aclCreateIntArray(words, 2);
    aclIntArray* ints = aclCreateIntArray(bias, 2);
    {
        auto unique = CREATE_EXECUTOR();
        const aclTensor* members[] = {x.get(), other.get()};
        aclTensorList* list = unique->AllocTensorList(members, 2);
        EXPECT_EQ(Launch(x.get(), list, array, y.get(), count.get(), false, unique.get(), ints), 0);
        EXPECT_EQ(RunOn(unique), 0);
        // 3000 + 2 + 3, and x twice, the list's second and the array
        EXPECT_EQ(out.Values(), (std::vector<int64_t>{3117, 3229}));
        EXPECT_EQ(number.Values(), (std::vector<int64_t>{4}));
    }
    aclDestroyIntArray(array);
    aclDestroyIntArray(ints);
}

TEST(AicpuLaunch, RefusalsNameTheOperator)
{
    ResetRecorder();
    int64_t data = 0;
    const auto x = test::MakeTensor({1}, ACL_INT64, &data);
    const auto text = test::MakeTensor({1}, ACL_STRING, &data);
    auto unique = CREATE_EXECUTOR();
    aclOpExecutor* executor = unique.get();
    static op::internal::AicpuTaskSpace space("HostcannMany");
    (void)test::LastError();
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICPU(HostcannMany, OP_ATTR_NAMES({"a"}), OP_INPUT(x.get()), OP_OUTPUT(x.get())),
              561000);
    EXPECT_TRUE(test::LastError().find("HostcannMany on the AI CPU: OP_ATTR_NAMES has 1 names for 0 values") !=
                std::string::npos);
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICPU(HostcannMany, OP_ATTR_NAMES({}), OP_INPUT(text.get()), OP_OUTPUT(x.get())),
              561000);
    EXPECT_TRUE(test::LastError().find("input 0 has the data type") != std::string::npos);
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICPU(HostcannMany, OP_ATTR_NAMES({"d"}), OP_INPUT(x.get()), OP_OUTPUT(x.get()),
                                         OP_ATTR(1.0)),
              561000);
    EXPECT_TRUE(test::LastError().find("the attribute d: expected bool") != std::string::npos);
}

TEST(AicpuLaunch, ComputedShapesAreRefused)
{
    ResetRecorder();
    int64_t data = 0;
    const auto x = test::MakeTensor({1}, ACL_INT64, &data);
    auto unique = CREATE_EXECUTOR();
    aclOpExecutor* executor = unique.get();
    const auto launch = [&x, executor](const char* type, ge::UnknowShapeOpType shapes) {
        op::internal::AicpuTaskSpace space(type, shapes);
        return ADD_TO_LAUNCHER_LIST_AICPU(HostcannMany, OP_ATTR_NAMES({}), OP_INPUT(x.get()), OP_OUTPUT(x.get()));
    };
    (void)test::LastError();
    EXPECT_EQ(launch("HostcannMany", ge::DEPEND_COMPUTE), 561000);
    EXPECT_TRUE(test::LastError().find("ge::DEPEND_COMPUTE: the kernel computes the shapes of its outputs") !=
                std::string::npos);
    EXPECT_EQ(launch("HostcannMany", ge::DEPEND_SHAPE_RANGE), 561000);
    EXPECT_TRUE(test::LastError().find("ge::DEPEND_SHAPE_RANGE: the kernel computes") != std::string::npos);
}

TEST(AicpuLaunch, AKernelThatNobodyHasIsNamed)
{
    ResetRecorder();
    int64_t data = 0;
    const auto x = test::MakeTensor({1}, ACL_INT64, &data);
    auto unique = CREATE_EXECUTOR();
    aclOpExecutor* executor = unique.get();
    static op::internal::AicpuTaskSpace space("HostcannNowhere");
    (void)test::LastError();
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICPU(HostcannMany, OP_ATTR_NAMES({}), OP_INPUT(x.get()), OP_OUTPUT(x.get())),
              561000);
    const std::string said = test::LastError();
    EXPECT_TRUE(said.find("HostcannNowhere on the AI CPU: no package has the AI CPU kernel HostcannNowhere") !=
                std::string::npos);
    EXPECT_TRUE(said.find("--op-dir") != std::string::npos);
}

TEST(AicpuLaunch, WhatAKernelThrowsIsTheStreamsFailure)
{
    ResetRecorder();
    test::Buffer<int64_t> out({0});
    const auto y = test::MakeTensor({1}, ACL_INT64, out.Get());
    auto unique = CREATE_EXECUTOR();
    aclTensorList* none = unique->AllocTensorList(static_cast<const aclTensor* const*>(nullptr), 0);
    EXPECT_EQ(Launch(y.get(), none, nullptr, y.get(), y.get(), true, unique.get(), nullptr), 0);
    (void)test::LastError();
    EXPECT_EQ(RunOn(unique), 507018);
    EXPECT_TRUE(test::LastError().find("HostcannMany on the host: the AI CPU kernel threw: on purpose") !=
                std::string::npos);
}

TEST(AicpuLaunch, AKernelsStatusIsTheStreamsFailure)
{
    ResetRecorder();
    test::Buffer<int64_t> out({7});
    const auto y = test::MakeTensor({1}, ACL_INT64, out.Get());
    auto unique = CREATE_EXECUTOR();
    aclTensorList* none = unique->AllocTensorList(static_cast<const aclTensor* const*>(nullptr), 0);
    // The kernel wants data in every input.
    const aclIntArray* array = nullptr;
    EXPECT_EQ(Launch(nullptr, none, array, y.get(), y.get(), false, unique.get(), nullptr), 0);
    (void)test::LastError();
    EXPECT_EQ(RunOn(unique), 507018);
    EXPECT_TRUE(test::LastError().find("HostcannMany on the host: the AI CPU kernel returned status 1: HostcannMany: "
                                       "input 0 has no data") != std::string::npos);
    EXPECT_EQ(out.Values(), std::vector<int64_t>{7});
}

TEST(AicpuHeaders, ShapesAndSizes)
{
    const auto tensor = aicpu::CpuKernelUtils::CreateTensor();
    tensor->GetTensorShape()->SetDimSizes({2, 3});
    tensor->SetDataType(aicpu::DT_DOUBLE);
    EXPECT_EQ(tensor->NumElements(), 6);
    EXPECT_EQ(tensor->CalcDataSizeByShape(), 48);
    EXPECT_EQ(tensor->GetTensorShape()->GetDimSize(2), 0);
    tensor->GetTensorShape()->SetDimSizes({2, -1});
    EXPECT_EQ(tensor->CalcDataSizeByShape(), -1);
    EXPECT_EQ(aicpu::GetSizeByDataType(aicpu::DT_STRING), -1);
    EXPECT_EQ(aicpu::DTypeStr(aicpu::DType("DT_INT16")), "DT_INT16");
    EXPECT_TRUE(aicpu::IsValueEqual(1.0F, 1.000005F) && !aicpu::IsValueEqual(1.0F, 1.00002F));
    EXPECT_TRUE(aicpu::IsValueEqual(1.0, 1.0000000005) && !aicpu::IsValueEqual(1.0, 1.000000002));
    EXPECT_TRUE(aicpu::IsValueEqual(7, 7) && !aicpu::IsValueEqual(7, 8));
    const auto attr = aicpu::CpuKernelUtils::CreateAttrValue();
    attr->SetListFloat({1, 2});
    EXPECT_EQ(attr->ListFloatSize(), 2);
    EXPECT_EQ(attr->GetInt(), 0);
}

// Operators have such a namespace outside of aicpu: the headers' own names must not hide it.
namespace internal {
inline int Seven() { return 7; }
} // namespace internal
namespace aicpu {
inline int OfTheOperator() { return internal::Seven(); }
} // namespace aicpu

TEST(AicpuHeaders, NamesOfOperatorsAreTheirs) { EXPECT_EQ(aicpu::OfTheOperator(), 7); }

TEST(AicpuHeaders, FormatsAndNames)
{
    EXPECT_EQ(aicpu::FormatToSerialString(aicpu::FORMAT_FRACTAL_NZ), "FRACTAL_NZ");
    EXPECT_EQ(aicpu::GetPrimaryFormat(0x0012041d), 29);
    EXPECT_EQ(aicpu::GetSubFormat(0x0012041d), 0x1204);
    EXPECT_TRUE(aicpu::HasSubFormat(0x100) && !aicpu::HasSubFormat(0xff));
    auto tensor = aicpu::CpuKernelUtils::CreateTensor();
    EXPECT_EQ(aicpu::CpuKernelUtils::GetTensorName(tensor.get()), "");
    aicpu::CpuKernelUtils::SetTensorName("axes", tensor);
    EXPECT_EQ(aicpu::CpuKernelUtils::GetTensorName(tensor.get()), "axes");
}

namespace {
uint32_t FailsWithoutText()
{
    KERNEL_HANDLE_ERROR(aicpu::KERNEL_STATUS_TIMEOUT);
    return aicpu::KERNEL_STATUS_OK;
}
} // namespace

TEST(AicpuHeaders, ChecksWithoutText) { EXPECT_EQ(FailsWithoutText(), 3U); }

// As upstream's unit tests run a kernel.
TEST(AicpuHeaders, NodesOfUnitTests)
{
    ResetRecorder();
    int64_t in[] = {1, 2};
    int64_t out[] = {0, 0};
    int64_t count = 0;
    const auto node = aicpu::CpuKernelUtils::CreateNodeDef();
    aicpu::NodeDefBuilder(node.get(), "a", "HostcannMany")
        .Input({"x", aicpu::DT_INT64, {2}, in})
        .Output({"y", aicpu::DT_INT64, {2}, out})
        .Output({"n", aicpu::DT_INT64, {}, &count})
        .Attr("throw", false)
        .Attr("ints", std::vector<int64_t>{10, 20})
        .Attr("real", 100.0F)
        .Attr("name", "abc");
    EXPECT_EQ(node->MutableInputs(0)->GetDataSize(), 16U);
    EXPECT_EQ(node->MutableInputs(1), nullptr);
    EXPECT_EQ(node->InputsSize(), 1);
    EXPECT_FALSE(node->AddAttrs("name", node->Attrs().at("name").get()));
    std::string text;
    EXPECT_TRUE(node->SerializeToString(text));
    EXPECT_EQ(text, "HostcannMany inputs DT_INT64[2] outputs DT_INT64[2] DT_INT64[]");
    aicpu::CpuKernelContext ctx(aicpu::HOST);
    EXPECT_EQ(ctx.Init(node.get()), 0U);
    EXPECT_EQ(aicpu::CpuKernelRegister::Instance().RunCpuKernel(ctx), 0U);
    EXPECT_EQ((std::vector<int64_t>{out[0], out[1], count}), (std::vector<int64_t>{134, 135, 1}));

    node->SetOpType("HostcannNowhere");
    aicpu::CpuKernelContext other(aicpu::HOST);
    EXPECT_EQ(other.Init(node.get()), 0U);
    EXPECT_EQ(aicpu::CpuKernelRegister::Instance().RunCpuKernel(other), 2U);
    aicpu::CpuKernelContext none(aicpu::HOST);
    EXPECT_EQ(none.Init(nullptr), 1U);
}

TEST(AicpuHeaders, ParallelForCoversEveryElementOnce)
{
    ResetRecorder();
    const aicpu::CpuKernelContext ctx(aicpu::HOST);
    for (const int64_t total : {0, 1, 5, 7, 100}) {
        std::vector<int> seen(static_cast<size_t>(total), 0);
        const auto work = [&](int64_t from, int64_t to) {
            EXPECT_TRUE(to - from >= 3 || to == total);
            for (int64_t i = from; i < to; ++i) {
                ++seen[static_cast<size_t>(i)];
            }
        };
        EXPECT_EQ(aicpu::CpuKernelUtils::ParallelFor(ctx, total, 3, work), 0U);
        EXPECT_EQ(seen, std::vector<int>(static_cast<size_t>(total), 1));
    }
    EXPECT_EQ(aicpu::CpuKernelUtils::ParallelFor(ctx, 1, 0, [](int64_t, int64_t) {}),
              aicpu::KERNEL_STATUS_PARAM_INVALID);
}

TEST(AicpuHeaders, Broadcasting)
{
    std::vector<int64_t> x = {2, 1};
    std::vector<int64_t> y = {3};
    aicpu::Bcast bcast(x, y);
    EXPECT_TRUE(bcast.IsValid());
    EXPECT_EQ(bcast.ResultShape(), (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(bcast.XBcast(), (std::vector<int64_t>{1, 3}));
    std::vector<int64_t> left, right;
    bcast.BCastIndexes(left, right);
    EXPECT_EQ(left, (std::vector<int64_t>{0, 0, 0, 1, 1, 1}));
    EXPECT_EQ(right, (std::vector<int64_t>{0, 1, 2, 0, 1, 2}));
    std::vector<int64_t> wrong = {2, 2};
    EXPECT_TRUE(!aicpu::Bcast(wrong, y).IsValid());
}
