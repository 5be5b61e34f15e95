// Operators of the built-in package that run on the host, and shapes that kernels compute.
#include <limits>

#include "device.h"
#include "gtest/gtest.h"
#include "hostcann/l0_functions.h"
#include "opdev/framework_op.h"
#include "opdev/make_op_executor.h"
#include "recorder.h"

namespace l0op {
OP_TYPE_REGISTER(ReduceMax);
OP_TYPE_REGISTER(PadV3);
OP_TYPE_REGISTER(ReduceMean);
OP_TYPE_REGISTER(ReduceSum);
OP_TYPE_REGISTER(RealDiv);
OP_TYPE_REGISTER(Axpy);
OP_TYPE_REGISTER(Abs);
OP_TYPE_REGISTER(Sort);
OP_TYPE_REGISTER(GatherV2);
OP_TYPE_REGISTER(Cumsum);
const aclTensor* ViewCopy(const aclTensor* y, const op::Shape& dstSize, const op::Strides& dstStride, int64_t dstOffset,
                          const aclTensor* x, const op::Shape& srcSize, const op::Strides& srcStride, int64_t srcOffset,
                          aclOpExecutor* executor);
const aclTensor* ViewCopy(const aclTensor* y, const aclTensor* dstSize, const aclTensor* dstStride,
                          const aclTensor* dstOffset, const aclTensor* x, const aclTensor* srcSize,
                          const aclTensor* srcStride, const aclTensor* srcOffset, aclOpExecutor* executor);
} // namespace l0op

namespace {

// Registered with its tiling function in opdev_launch.cpp.
uint32_t HostcannProbeOpTypeId() { return op::GenOpTypeId("HostcannProbe"); }

// The values of `made` after phase 2.
template <typename T>
std::vector<T> ValuesOf(UniqueExecutor& unique, const aclTensor* made)
{
    EXPECT_TRUE(made != nullptr);
    if (made == nullptr) {
        return {};
    }
    test::Buffer<T> out(std::vector<T>(static_cast<size_t>(made->Numel())));
    std::vector<int64_t> dims;
    for (size_t i = 0; i < made->GetViewShape().GetDimNum(); ++i) {
        dims.push_back(made->GetViewShape().GetDim(i));
    }
    const auto y = test::MakeTensor(dims, static_cast<aclDataType>(made->GetDataType()), out.Get());
    EXPECT_EQ(op::CopyNpuToNpu(made, y.get(), unique.get()), 0);
    const uint64_t size = unique->GetWorkspaceSize();
    aclOpExecutor* executor = nullptr;
    unique.ReleaseTo(&executor);
    EXPECT_EQ(test::Run(executor, size), 0);
    return out.Values();
}

} // namespace

TEST(OpdevBuiltin, BinaryOperatorsBroadcast)
{
    ResetRecorder();
    test::Buffer<int32_t> left({1, 2, 3, std::numeric_limits<int32_t>::max(), 5, 6});
    test::Buffer<int32_t> right({10, 1});
    const auto a = test::MakeTensor({2, 3}, ACL_INT32, left.Get());
    const auto b = test::MakeTensor({2, 1}, ACL_INT32, right.Get());
    auto add = CREATE_EXECUTOR();
    EXPECT_TRUE((ValuesOf<int32_t>(add, l0op::Add(a.get(), b.get(), add.get())) ==
                 std::vector<int32_t>{11, 12, 13, std::numeric_limits<int32_t>::min(), 6, 7}));
    auto mul = CREATE_EXECUTOR();
    EXPECT_TRUE((ValuesOf<int32_t>(mul, l0op::Mul(b.get(), a.get(), mul.get())) ==
                 std::vector<int32_t>{10, 20, 30, std::numeric_limits<int32_t>::max(), 5, 6}));
    test::Buffer<int32_t> sums({1, 2, 3, 4, 5, 6});
    const auto into = test::MakeTensor({2, 3}, ACL_INT32, sums.Get());
    auto inplace = CREATE_EXECUTOR();
    EXPECT_TRUE((ValuesOf<int32_t>(inplace, l0op::AddInplace(b.get(), into.get(), inplace.get())) ==
                 std::vector<int32_t>{11, 12, 13, 5, 6, 7}));
    EXPECT_TRUE((sums.Values() == std::vector<int32_t>{11, 12, 13, 5, 6, 7}));
    auto ones = CREATE_EXECUTOR();
    EXPECT_TRUE((ValuesOf<int32_t>(ones, l0op::OnesLike(b.get(), ones.get())) == std::vector<int32_t>{1, 1}));
    auto refused = CREATE_EXECUTOR();
    test::Buffer<float> other({1.0F, 2.0F});
    const auto c = test::MakeTensor({2, 1}, ACL_FLOAT, other.Get());
    EXPECT_TRUE(l0op::Add(a.get(), c.get(), refused.get()) == nullptr);
    EXPECT_TRUE(test::LastError().find("one data type") != std::string::npos);
    const auto d = test::MakeTensor({2}, ACL_INT32, right.Get());
    EXPECT_TRUE(l0op::Add(a.get(), d.get(), refused.get()) == nullptr);
    EXPECT_TRUE(l0op::AddInplace(a.get(), b.get(), refused.get()) == nullptr);
    EXPECT_TRUE(test::LastError().find("does not hold") != std::string::npos);
    EXPECT_TRUE(Recorded().kernels.empty());
}

TEST(OpdevBuiltin, BinaryOperatorsOnHalfAndBool)
{
    ResetRecorder();
    // 2048 + 1 lies between two halves and goes to the even one; 65504 + 65504 overflows.
    test::Buffer<uint16_t> left({0x6800, 0x7BFF, 0x7E00});
    test::Buffer<uint16_t> right({0x3C00, 0x7BFF, 0x3C00});
    const auto a = test::MakeTensor({3}, ACL_FLOAT16, left.Get());
    const auto b = test::MakeTensor({3}, ACL_FLOAT16, right.Get());
    auto add = CREATE_EXECUTOR();
    const auto sums = ValuesOf<uint16_t>(add, l0op::Add(a.get(), b.get(), add.get()));
    EXPECT_EQ(sums[0], 0x6800);
    EXPECT_EQ(sums[1], 0x7C00);
    auto maximum = CREATE_EXECUTOR();
    const auto most = ValuesOf<uint16_t>(maximum, l0op::Maximum(b.get(), a.get(), maximum.get()));
    EXPECT_EQ(most[0], 0x6800);
    EXPECT_EQ(most[2] & 0x7C00, 0x7C00); // NaN
    test::Buffer<uint8_t> yes({1, 1, 0});
    test::Buffer<uint8_t> no({1, 0, 0});
    const auto p = test::MakeTensor({3}, ACL_BOOL, yes.Get());
    const auto q = test::MakeTensor({3}, ACL_BOOL, no.Get());
    auto both = CREATE_EXECUTOR();
    EXPECT_TRUE(
        (ValuesOf<uint8_t>(both, l0op::LogicalAnd(p.get(), q.get(), both.get())) == std::vector<uint8_t>{1, 0, 0}));
}

TEST(OpdevBuiltin, ReductionsAndPaddings)
{
    ResetRecorder();
    using l0op::PadV3OpTypeId;
    using l0op::ReduceMaxOpTypeId;
    test::Buffer<float> values({1, 7, 3, 4, 5, 6});
    const auto x = test::MakeTensor({2, 3}, ACL_FLOAT, values.Get());
    auto reduce = CREATE_EXECUTOR();
    aclOpExecutor* executor = reduce.get();
    const int64_t axis[] = {-1};
    const aclTensor* axes = executor->ConvertToTensor(axis, 1, op::DataType::DT_INT64);
    aclTensor* most = executor->AllocTensor(op::Shape({2}), op::DataType::DT_FLOAT);
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(ReduceMax, OP_INPUT(x.get(), axes), OP_OUTPUT(most), OP_ATTR(false)), 0);
    aclTensor* wrong = executor->AllocTensor(op::Shape({3}), op::DataType::DT_FLOAT);
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(ReduceMax, OP_INPUT(x.get(), axes), OP_OUTPUT(wrong), OP_ATTR(false)),
              161002);
    EXPECT_TRUE((ValuesOf<float>(reduce, most) == std::vector<float>{7, 6}));

    auto pad = CREATE_EXECUTOR();
    executor = pad.get();
    const int64_t around[] = {1, 0, 0, 1};
    const aclTensor* paddings = executor->ConvertToTensor(around, 4, op::DataType::DT_INT64);
    test::Buffer<float> nine({9});
    const auto filler = test::MakeTensor({1}, ACL_FLOAT, nine.Get());
    aclTensor* out = executor->AllocTensor(op::Shape({3, 4}), op::DataType::DT_FLOAT);
    const std::string constant = "constant";
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(PadV3, OP_INPUT(x.get(), paddings, filler.get()), OP_OUTPUT(out),
                                          OP_ATTR(constant, true)),
              0);
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(PadV3, OP_INPUT(x.get(), paddings, filler.get()), OP_OUTPUT(out),
                                          OP_ATTR(std::string("reflect"), true)),
              161002);
    EXPECT_TRUE((ValuesOf<float>(pad, out) == std::vector<float>{9, 9, 9, 9, 1, 7, 3, 9, 4, 5, 6, 9}));
}

TEST(OpdevBuiltin, SumsMeansAndQuotients)
{
    ResetRecorder();
    using namespace l0op;
    test::Buffer<float> values({1, -7, 3, 4, 5, 6});
    const auto x = test::MakeTensor({2, 3}, ACL_FLOAT, values.Get());
    auto sum = CREATE_EXECUTOR();
    const int64_t axis[] = {1};
    const aclTensor* axes = sum->ConvertToTensor(axis, 1, op::DataType::DT_INT64);
    aclTensor* made = sum->AllocTensor(op::Shape({2}), op::DataType::DT_FLOAT);
    aclOpExecutor* executor = sum.get();
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(ReduceSum, OP_INPUT(x.get(), axes), OP_OUTPUT(made), OP_ATTR(false)), 0);
    EXPECT_TRUE((ValuesOf<float>(sum, made) == std::vector<float>{-3, 15}));

    auto mean = CREATE_EXECUTOR();
    executor = mean.get();
    axes = mean->ConvertToTensor(axis, 1, op::DataType::DT_INT64);
    made = mean->AllocTensor(op::Shape({2, 1}), op::DataType::DT_FLOAT);
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(ReduceMean, OP_INPUT(x.get(), axes), OP_OUTPUT(made), OP_ATTR(true)), 0);
    EXPECT_TRUE((ValuesOf<float>(mean, made) == std::vector<float>{-1, 5}));

    auto divided = CREATE_EXECUTOR();
    executor = divided.get();
    made = divided->AllocTensor(op::Shape({2, 3}), op::DataType::DT_FLOAT);
    aclTensor* plus = divided->AllocTensor(op::Shape({2, 3}), op::DataType::DT_FLOAT);
    aclTensor* positive = divided->AllocTensor(op::Shape({2, 3}), op::DataType::DT_FLOAT);
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(Abs, OP_INPUT(x.get()), OP_OUTPUT(positive)), 0);
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(RealDiv, OP_INPUT(x.get(), positive), OP_OUTPUT(made)), 0);
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(Axpy, OP_INPUT(made, x.get()), OP_OUTPUT(plus), OP_ATTR(0.5F)), 0);
    EXPECT_TRUE((ValuesOf<float>(divided, plus) == std::vector<float>{1.5F, -4.5F, 2.5F, 3, 3.5F, 4}));
}

TEST(OpdevBuiltin, OrdersAndRunningSums)
{
    ResetRecorder();
    using namespace l0op;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    test::Buffer<float> values({3, nan, 3, 1, 2, 0});
    const auto x = test::MakeTensor({2, 3}, ACL_FLOAT, values.Get());
    auto sorted = CREATE_EXECUTOR();
    aclOpExecutor* executor = sorted.get();
    aclTensor* most = sorted->AllocTensor(op::Shape({2, 3}), op::DataType::DT_FLOAT);
    aclTensor* places = sorted->AllocTensor(op::Shape({2, 3}), op::DataType::DT_INT32);
    const int64_t last = -1;
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(Sort, OP_INPUT(x.get()), OP_OUTPUT(most, places), OP_ATTR(last, true, true)),
              0);
    EXPECT_TRUE((ValuesOf<int32_t>(sorted, places) == std::vector<int32_t>{1, 0, 2, 1, 0, 2}));

    test::Buffer<int64_t> which({1, -2, 1});
    const auto indices = test::MakeTensor({3}, ACL_INT64, which.Get());
    auto gathered = CREATE_EXECUTOR();
    executor = gathered.get();
    const int64_t second[] = {1};
    const aclTensor* axis = gathered->ConvertToTensor(second, 1, op::DataType::DT_INT64);
    test::Buffer<int32_t> numbers({1, 2, 3, 4, 5, 6, 7, 8});
    const auto y = test::MakeTensor({2, 2, 2}, ACL_INT32, numbers.Get());
    aclTensor* slices = gathered->AllocTensor(op::Shape({2, 3, 2}), op::DataType::DT_INT32);
    const int64_t none = 0;
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(GatherV2, OP_INPUT(y.get(), indices.get(), axis), OP_OUTPUT(slices),
                                          OP_ATTR(none, false)),
              0);
    EXPECT_TRUE((ValuesOf<int32_t>(gathered, slices) == std::vector<int32_t>{3, 4, 1, 2, 3, 4, 7, 8, 5, 6, 7, 8}));

    auto running = CREATE_EXECUTOR();
    executor = running.get();
    axis = running->ConvertToTensor(second, 1, op::DataType::DT_INT64);
    aclTensor* sums = running->AllocTensor(op::Shape({2, 2, 2}), op::DataType::DT_INT32);
    EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(Cumsum, OP_INPUT(y.get(), axis), OP_OUTPUT(sums), OP_ATTR(false, false)), 0);
    EXPECT_TRUE((ValuesOf<int32_t>(running, sums) == std::vector<int32_t>{1, 2, 4, 6, 5, 6, 12, 14}));
}

TEST(OpdevBuiltin, ViewCopiesWithStrides)
{
    ResetRecorder();
    test::Buffer<int32_t> from({0, 1, 2, 3, 4, 5});
    test::Buffer<int32_t> to({9, 9, 9, 9, 9});
    const auto x = test::MakeTensor({6}, ACL_INT32, from.Get());
    const auto y = test::MakeTensor({5}, ACL_INT32, to.Get());
    auto unique = CREATE_EXECUTOR();
    // Every second element from the second on, one behind the other from the second place on.
    EXPECT_EQ(l0op::ViewCopy(y.get(), op::Shape({3}), {1}, 1, x.get(), op::Shape({3}), {2}, 1, unique.get()), y.get());
    EXPECT_TRUE(l0op::ViewCopy(y.get(), op::Shape({3}), {1}, 3, x.get(), op::Shape({3}), {2}, 1, unique.get()) ==
                nullptr);
    aclOpExecutor* executor = nullptr;
    const uint64_t size = unique->GetWorkspaceSize();
    unique.ReleaseTo(&executor);
    EXPECT_EQ(test::Run(executor, size), 0);
    EXPECT_TRUE((to.Values() == std::vector<int32_t>{9, 1, 3, 5, 9}));
}

TEST(OpdevBuiltin, ViewCopiesWithStridesInTensors)
{
    ResetRecorder();
    test::Buffer<int32_t> from({0, 1, 2, 3, 4, 5});
    test::Buffer<int32_t> to({9, 9, 9, 9, 9, 9});
    const auto x = test::MakeTensor({6}, ACL_INT32, from.Get());
    const auto y = test::MakeTensor({6}, ACL_INT32, to.Get());
    auto unique = CREATE_EXECUTOR();
    const auto host = [&unique](const std::vector<int64_t>& values) {
        return unique->ConvertToTensor(values.data(), values.size(), op::DataType::DT_INT64);
    };
    const auto copy = [&](const aclTensor* srcStride, const aclTensor* srcOffset) {
        return l0op::ViewCopy(y.get(), host({2, 2}), host({1, 2}), host({1}), x.get(), host({2, 2}), srcStride,
                              srcOffset, unique.get());
    };
    EXPECT_EQ(copy(host({3, 1}), host({1})), y.get());
    // What lies on the device is not known yet.
    const auto later = test::MakeTensor({2}, ACL_INT64, to.Get());
    EXPECT_TRUE(copy(later.get(), host({1})) == nullptr);
    EXPECT_TRUE(copy(nullptr, host({1})) == nullptr);
    EXPECT_TRUE(copy(host({3, 1}), host({1, 0})) == nullptr);
    EXPECT_TRUE(copy(unique->ConvertToTensor(std::vector<int32_t>{3, 1}.data(), 2, op::DataType::DT_INT32),
                     host({1})) == nullptr);
    aclOpExecutor* executor = nullptr;
    const uint64_t size = unique->GetWorkspaceSize();
    unique.ReleaseTo(&executor);
    EXPECT_EQ(test::Run(executor, size), 0);
    EXPECT_TRUE((to.Values() == std::vector<int32_t>{9, 1, 4, 2, 5, 9}));
}

// opbase, outshape.cpp: the rank and its dims, every output's nine elements behind the one's before. Only the dims of
// the rank are read, so that the tensor may end behind them.
TEST(OpdevBuiltin, ShapesThatKernelsCompute)
{
    const auto run = [](std::vector<int64_t> words, const aclTensor** seen, const test::TensorPtr& y) {
        ResetRecorder();
        static int data = 0;
        test::Buffer<int64_t> written(words);
        const auto count = static_cast<int64_t>(words.size());
        const auto shapes = test::MakeTensor({count}, ACL_INT64, written.Get());
        const auto x = test::MakeTensor({2, 2}, ACL_FLOAT, &data);
        auto unique = CREATE_EXECUTOR();
        aclOpExecutor* executor = unique.get();
        EXPECT_EQ(ADD_TO_LAUNCHER_LIST_AICORE(HostcannProbe, OP_INPUT(x.get(), nullptr), OP_OUTPUT(y.get()),
                                              OP_ATTR(1.0F, 0), OP_OUTSHAPE({shapes.get(), 0})),
                  0);
        EXPECT_EQ(Recorded().kernels[0].outputs.size(), 2U); // the kernel's parameter behind its outputs
        EXPECT_EQ(Recorded().kernels[0].outputs[1].bytes, 8 * words.size());
        EXPECT_EQ(Recorded().foundOutputs.size(), 1U);
        *seen = y.get();
        const uint64_t size = unique->GetWorkspaceSize();
        unique.ReleaseTo(&executor);
        return test::Run(executor, size);
    };
    test::Buffer<float> out({0, 0, 0, 0});
    const aclTensor* seen = nullptr;
    const auto y = test::MakeTensor({4}, ACL_FLOAT, out.Get());
    EXPECT_EQ(run({1, 3, 0, 0, 0, 0, 0, 0, 0}, &seen, y), 0);
    EXPECT_TRUE(seen->GetViewShape() == op::Shape({3}));
    const auto z = test::MakeTensor({4}, ACL_FLOAT, out.Get());
    EXPECT_EQ(run({9, 1, 1, 1, 1, 1, 1, 1, 1}, &seen, z), 561000);
    EXPECT_EQ(run({1, 5, 0, 0, 0, 0, 0, 0, 0}, &seen, z), 561000);
    EXPECT_TRUE(seen->GetViewShape() == op::Shape({4}));
    EXPECT_EQ(run({1, 2}, &seen, z), 0);
    EXPECT_TRUE(seen->GetViewShape() == op::Shape({2}));
    EXPECT_EQ(run({2, 2}, &seen, z), 561000); // no room for a second dim
    EXPECT_TRUE(seen->GetViewShape() == op::Shape({2}));
}
