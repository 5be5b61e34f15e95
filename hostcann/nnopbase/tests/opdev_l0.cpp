// The l0op helpers, with values.
#include <vector>

#include "hostcann/l0_functions.h"
#include "device.h"
#include "gtest/gtest.h"
#include "opdev/framework_op.h"
#include "opdev/shape_utils.h"
#include "recorder.h"

namespace l0op {
// Their headers belong to the operator repository.
const aclTensor* BroadcastTo(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor);
const aclTensor* BroadcastTo(const aclTensor* x, const aclTensor* y, const aclTensor* shape, aclOpExecutor* executor);
const aclTensor* Fill(const aclTensor* dims, const aclTensor* value, const aclIntArray* outShape,
                      aclOpExecutor* executor);
const aclTensor* SqueezeNd(const aclTensor* x, const aclIntArray* dim, aclOpExecutor* executor);
const aclTensor* SqueezeNd(const aclTensor* x, int64_t dim, aclOpExecutor* executor);
const aclTensor* UnsqueezeNd(const aclTensor* x, const aclIntArray* dim, aclOpExecutor* executor);
} // namespace l0op

namespace {

using Dims = std::vector<int64_t>;

aclIntArray* Array(UniqueExecutor& unique, const Dims& values)
{
    return unique->AllocIntArray(values.data(), values.size());
}

// Copies `result` to `out`, runs, and returns out's values.
template <typename T>
std::vector<T> RunInto(UniqueExecutor& unique, const aclTensor* result, test::Buffer<T>& out, aclDataType dtype)
{
    if (result == nullptr) {
        return {};
    }
    const auto tensor = test::MakeTensor({result->Numel()}, dtype, out.Get());
    const aclTensor* flat = result->Numel() == 0 ? result :
                                                   l0op::Reshape(result, op::Shape({result->Numel()}), unique.get());
    EXPECT_TRUE(l0op::ViewCopy(flat, tensor.get(), unique.get()) != nullptr);
    const uint64_t size = unique->GetWorkspaceSize();
    aclOpExecutor* executor = nullptr;
    unique.ReleaseTo(&executor);
    EXPECT_EQ(test::Run(executor, size), 0);
    return out.Values();
}

std::vector<int32_t> Zeros(size_t count) { return std::vector<int32_t>(count, 0); }

} // namespace

TEST(OpdevL0, ContiguousWithoutAKernel)
{
    ResetRecorder();
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto plain = test::MakeTensor({2, 3}, ACL_FLOAT, &data);
    EXPECT_EQ(l0op::Contiguous(plain.get(), unique.get()), plain.get());
    const auto part = test::MakeTensor({2, 3}, ACL_FLOAT, &data, {3, 1}, 1, {10});
    const aclTensor* view = l0op::Contiguous(part.get(), unique.get());
    EXPECT_TRUE(view != part.get());
    EXPECT_TRUE(view->GetStorageShape() == op::Shape({2, 3}) && view->GetOriginalShape() == op::Shape({2, 3}));
    EXPECT_EQ(view->GetViewOffset(), 1);
    EXPECT_EQ(view->GetStorage(), part->GetStorage());
    const auto empty = test::MakeTensor({0, 3}, ACL_FLOAT, nullptr, {9, 9}, 0, {1});
    EXPECT_TRUE(l0op::Contiguous(empty.get(), unique.get()) != nullptr);
    EXPECT_TRUE(l0op::Contiguous(nullptr, unique.get()) == nullptr);
    EXPECT_EQ(Recorded().copies, 0);
    EXPECT_EQ(unique->GetWorkspaceSize(), 0U);
}

TEST(OpdevL0, ContiguousCopiesStridedViews)
{
    const struct {
        const char* name;
        Dims dims;
        Dims strides;
        int64_t offset;
        std::vector<int32_t> expected;
    } rows[] = {{"transposed", {3, 2}, {1, 3}, 0, {0, 3, 1, 4, 2, 5}},
                {"sliced", {2, 2}, {3, 1}, 1, {1, 2, 4, 5}},
                {"stepped", {3}, {2}, 0, {0, 2, 4}},
                {"broadcast", {2, 2}, {0, 1}, 4, {4, 5, 4, 5}},
                {"overlapping", {2, 3}, {1, 1}, 2, {2, 3, 4, 3, 4, 5}}};
    test::Buffer<int32_t> in({0, 1, 2, 3, 4, 5});
    for (const auto& row : rows) {
        ResetRecorder();
        auto unique = CREATE_EXECUTOR();
        test::Buffer<int32_t> out(Zeros(row.expected.size()));
        const auto x = test::MakeTensor(row.dims, ACL_INT32, in.Get(), row.strides, row.offset, {6});
        const aclTensor* y = l0op::Contiguous(x.get(), unique.get());
        const bool same = RunInto(unique, y, out, ACL_INT32) == row.expected;
        EXPECT_EQ(same, true) << row.name;
        EXPECT_EQ(Recorded().copies, 1) << row.name; // the ViewCopy behind it is a redirection
        EXPECT_EQ(Recorded().redirects, 1U) << row.name;
    }
}

TEST(OpdevL0, ViewCopyRules)
{
    int data = 0;
    auto unique = CREATE_EXECUTOR();
    const auto y = test::MakeTensor({2, 3}, ACL_FLOAT, &data);
    const aclTensor* workspace = unique->AllocTensor(op::Shape({2, 3}), op::DataType::DT_FLOAT);
    EXPECT_TRUE(l0op::ViewCopy(y.get(), workspace, unique.get()) == nullptr);
    EXPECT_TRUE(l0op::ViewCopy(unique->AllocTensor(op::Shape({2, 3}), op::DataType::DT_INT32), y.get(), unique.get()) ==
                nullptr);
    EXPECT_TRUE(l0op::ViewCopy(unique->AllocTensor(op::Shape({3, 2}), op::DataType::DT_FLOAT), y.get(), unique.get()) ==
                nullptr);
    const auto outside = test::MakeTensor({2, 3}, ACL_FLOAT, &data, {9, 1}, 0, {6});
    EXPECT_TRUE(l0op::ViewCopy(workspace, outside.get(), unique.get()) == nullptr);
    const auto single = test::MakeTensor({1, 1}, ACL_FLOAT, &data);
    EXPECT_TRUE(l0op::ViewCopy(unique->AllocTensor(op::Shape(), op::DataType::DT_FLOAT), single.get(), unique.get()) ==
                single.get());
    EXPECT_TRUE(l0op::ViewCopy(nullptr, y.get(), unique.get()) == nullptr);
}

TEST(OpdevL0, ViewCopyIntoStridedTensors)
{
    test::Buffer<int32_t> in({1, 2, 3, 4});
    test::Buffer<int32_t> out({-1, -1, -1, -1, -1, -1, -1, -1});
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({2, 2}, ACL_INT32, in.Get());
    const auto y = test::MakeTensor({2, 2}, ACL_INT32, out.Get(), {1, 4}, 1, {8});
    EXPECT_EQ(l0op::ViewCopy(x.get(), y.get(), unique.get()), y.get());
    const uint64_t size = unique->GetWorkspaceSize();
    aclOpExecutor* executor = nullptr;
    unique.ReleaseTo(&executor);
    EXPECT_EQ(test::Run(executor, size), 0);
    EXPECT_TRUE((out.Values() == std::vector<int32_t>{-1, 1, 3, -1, -1, 2, 4, -1}));
}

// A second output of the same workspace tensor is copied, since its memory is the first output's by then.
TEST(OpdevL0, ViewCopyToTwoOutputs)
{
    ResetRecorder();
    test::Buffer<int16_t> in({1, 2});
    test::Buffer<int32_t> first({0, 0});
    test::Buffer<int32_t> second({0, 0});
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({2}, ACL_INT16, in.Get());
    const auto a = test::MakeTensor({2}, ACL_INT32, first.Get());
    const auto b = test::MakeTensor({2}, ACL_INT32, second.Get());
    const aclTensor* cast = l0op::Cast(x.get(), op::DataType::DT_INT32, unique.get());
    EXPECT_TRUE(l0op::ViewCopy(cast, a.get(), unique.get()) != nullptr);
    EXPECT_TRUE(l0op::ViewCopy(cast, b.get(), unique.get()) != nullptr);
    EXPECT_EQ(Recorded().redirects, 1U);
    EXPECT_EQ(Recorded().copies, 1);
    const uint64_t size = unique->GetWorkspaceSize();
    EXPECT_EQ(size, 0U);
    aclOpExecutor* executor = nullptr;
    unique.ReleaseTo(&executor);
    EXPECT_EQ(test::Run(executor, size), 0);
    EXPECT_TRUE((first.Values() == std::vector<int32_t>{1, 2}));
    EXPECT_TRUE((second.Values() == std::vector<int32_t>{1, 2}));
}

// A part of a workspace tensor is copied: redirecting it would let the producer write all of itself to the output.
TEST(OpdevL0, ViewCopyOfAPart)
{
    ResetRecorder();
    test::Buffer<int16_t> in({1, 2, 3});
    test::Buffer<int32_t> out({0, -1, -1});
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({3}, ACL_INT16, in.Get());
    const auto y = test::MakeTensor({1}, ACL_INT32, out.Get());
    const aclTensor* cast = l0op::Cast(x.get(), op::DataType::DT_INT32, unique.get());
    const aclTensor* last = unique->CreateView(cast, op::Shape({1}), 2);
    EXPECT_TRUE(l0op::ViewCopy(last, y.get(), unique.get()) != nullptr);
    EXPECT_EQ(Recorded().redirects, 0U);
    const uint64_t size = unique->GetWorkspaceSize();
    EXPECT_EQ(size, 512U);
    EXPECT_EQ(unique->GetLinearWorkspaceSize(), 512U);
    aclOpExecutor* executor = nullptr;
    unique.ReleaseTo(&executor);
    EXPECT_EQ(test::Run(executor, size), 0);
    EXPECT_TRUE((out.Values() == std::vector<int32_t>{3, -1, -1}));
}

// The hand-written form of a redirection, without ViewCopy.
TEST(OpdevL0, StorageMovedByHand)
{
    test::Buffer<int16_t> in({4, 5});
    test::Buffer<int32_t> out({-1, 0, 0});
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({2}, ACL_INT16, in.Get());
    auto* cast = const_cast<aclTensor*>(l0op::Cast(x.get(), op::DataType::DT_INT32, unique.get()));
    cast->SetFromWorkspace(false);
    cast->SetStorageAddr(out.Get());
    cast->SetStorageOffset(1);
    const uint64_t size = unique->GetWorkspaceSize();
    EXPECT_EQ(size, 0U);
    aclOpExecutor* executor = nullptr;
    unique.ReleaseTo(&executor);
    EXPECT_EQ(test::Run(executor, size), 0);
    EXPECT_TRUE((out.Values() == std::vector<int32_t>{-1, 4, 5}));
}

TEST(OpdevL0, CastRules)
{
    ResetRecorder();
    auto unique = CREATE_EXECUTOR();
    int data = 0;
    const auto x = test::MakeTensor({2}, ACL_INT16, &data);
    EXPECT_EQ(l0op::Cast(x.get(), op::DataType::DT_INT16, unique.get()), x.get());
    (void)test::LastError();
    EXPECT_TRUE(l0op::Cast(x.get(), op::DataType::DT_STRING, unique.get()) == nullptr);
    EXPECT_TRUE(test::LastError().find("DT_INT16") != std::string::npos);
    const auto part = test::MakeTensor({2}, ACL_INT16, &data, {1}, 0, {5});
    EXPECT_TRUE(l0op::Cast(part.get(), op::DataType::DT_FLOAT, unique.get()) == nullptr);
    EXPECT_TRUE(test::LastError().find("Contiguous") != std::string::npos);
    const aclTensor* cast = l0op::Cast(x.get(), op::DataType::DT_FLOAT, unique.get());
    EXPECT_EQ(cast->GetDataType(), op::DataType::DT_FLOAT);
    EXPECT_TRUE(cast->IsFromWorkspace());
    EXPECT_EQ(Recorded().casts, 1);
    EXPECT_EQ(unique->GetWorkspaceSize(), 512U);
    EXPECT_EQ(l0op::CastOnlyForConvBackward(x.get(), op::DataType::DT_INT16, unique.get()), x.get());
    EXPECT_TRUE(l0op::CastOnlyForConvBackward(part.get(), op::DataType::DT_FLOAT, unique.get()) == nullptr);
    x->SetViewFormat(op::Format::FORMAT_NCHW);
    EXPECT_EQ(l0op::Cast(x.get(), op::DataType::DT_FLOAT, unique.get())->GetViewFormat(), op::Format::FORMAT_ND);
    cast = l0op::CastOnlyForConvBackward(x.get(), op::DataType::DT_FLOAT, unique.get());
    EXPECT_EQ(cast->GetViewFormat(), op::Format::FORMAT_NCHW);
    EXPECT_EQ(cast->GetDataType(), op::DataType::DT_FLOAT);
}

TEST(OpdevL0, CastValues)
{
    test::Buffer<float> in({1.5F, -2.5F, 100000.0F});
    test::Buffer<uint16_t> out({0, 0, 0});
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({3}, ACL_FLOAT, in.Get());
    const aclTensor* y = l0op::Cast(x.get(), op::DataType::DT_BF16, unique.get());
    EXPECT_TRUE((RunInto(unique, y, out, ACL_BF16) == std::vector<uint16_t>{0x3FC0, 0xC020, 0x47C3}));
}

TEST(OpdevL0, ReshapeRules)
{
    auto unique = CREATE_EXECUTOR();
    int data = 0;
    const auto x = test::MakeTensor({2, 6}, ACL_FLOAT, &data, {6, 1}, 3, {20});
    const aclTensor* y = l0op::Reshape(x.get(), op::Shape({3, -1, 2}), unique.get());
    EXPECT_TRUE(y->GetViewShape() == op::Shape({3, 2, 2}) && y->GetStorageShape() == op::Shape({3, 2, 2}));
    EXPECT_EQ(y->GetViewOffset(), 3);
    EXPECT_TRUE(l0op::Reshape(x.get(), Array(unique, {12}), unique.get())->GetViewShape() == op::Shape({12}));
    EXPECT_TRUE(l0op::Reshape(x.get(), op::Shape({5, -1}), unique.get()) == nullptr);
    EXPECT_TRUE(l0op::Reshape(x.get(), op::Shape({-1, -1}), unique.get()) == nullptr);
    EXPECT_TRUE(l0op::Reshape(x.get(), op::Shape({13}), unique.get()) == nullptr);
    EXPECT_TRUE(l0op::Reshape(x.get(), op::Shape({0, 12}), unique.get()) == nullptr);
    const auto strided = test::MakeTensor({2, 6}, ACL_FLOAT, &data, {1, 2}, 0, {20});
    EXPECT_TRUE(l0op::Reshape(strided.get(), op::Shape({12}), unique.get()) == nullptr);
}

TEST(OpdevL0, ReFormatRules)
{
    auto unique = CREATE_EXECUTOR();
    int data = 0;
    const auto x = test::MakeTensor({1, 2, 3, 4}, ACL_FLOAT, &data);
    const aclTensor* y = l0op::ReFormat(x.get(), op::Format::FORMAT_NCHW, unique.get());
    EXPECT_EQ(y->GetStorageFormat(), op::Format::FORMAT_NCHW);
    EXPECT_EQ(x->GetStorageFormat(), op::Format::FORMAT_ND);
    EXPECT_EQ(l0op::ReFormat(x.get(), op::Format::FORMAT_NHWC), x.get()); // in place without an executor
    EXPECT_EQ(x->GetViewFormat(), op::Format::FORMAT_NHWC);
    EXPECT_TRUE(l0op::ReFormat(x.get(), op::Format::FORMAT_NCL, unique.get()) == nullptr);
}

TEST(OpdevL0, TransDataKnowsNoPrivateFormats)
{
    auto unique = CREATE_EXECUTOR();
    int data = 0;
    const auto x = test::MakeTensor({1, 2, 3, 4}, ACL_FLOAT, &data);
    const aclTensor* y = l0op::ReFormat(x.get(), op::Format::FORMAT_NCHW, unique.get());
    EXPECT_EQ(l0op::TransDataSpecial(y, op::Format::FORMAT_NCHW, 0, unique.get()), y);
    EXPECT_TRUE(l0op::TransData(y, op::Format::FORMAT_NC1HWC0, 1, unique.get()) == nullptr);
    const std::string message = test::LastError();
    EXPECT_TRUE(message.find("TransData from NCHW to NC1HWC0: not implemented by hostcann") != std::string::npos);
}

TEST(OpdevL0, TransposeSliceBroadcastValues)
{
    test::Buffer<int32_t> in({0, 1, 2, 3, 4, 5});
    const auto x = test::MakeTensor({2, 3}, ACL_INT32, in.Get());
    {
        auto unique = CREATE_EXECUTOR();
        test::Buffer<int32_t> out(Zeros(6));
        const aclTensor* y = l0op::Transpose(x.get(), Array(unique, {1, 0}), unique.get());
        EXPECT_TRUE(y->GetViewShape() == op::Shape({3, 2}));
        EXPECT_TRUE((RunInto(unique, y, out, ACL_INT32) == std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
    }
    {
        auto unique = CREATE_EXECUTOR();
        test::Buffer<int32_t> out(Zeros(4));
        const aclTensor* y = l0op::Slice(x.get(), Array(unique, {0, 1}), Array(unique, {2, -1}), unique.get());
        EXPECT_TRUE((RunInto(unique, y, out, ACL_INT32) == std::vector<int32_t>{1, 2, 4, 5}));
    }
    {
        auto unique = CREATE_EXECUTOR();
        test::Buffer<int32_t> out(Zeros(12));
        const aclTensor* row = l0op::Slice(x.get(), Array(unique, {1, 0}), Array(unique, {1, 3}), unique.get());
        const aclTensor* y = l0op::BroadcastTo(row, Array(unique, {2, 2, 3}), unique.get());
        EXPECT_TRUE((RunInto(unique, y, out, ACL_INT32) == std::vector<int32_t>{3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5}));
    }
    {
        auto unique = CREATE_EXECUTOR();
        test::Buffer<int32_t> out(Zeros(6));
        const aclTensor* row = l0op::Slice(x.get(), Array(unique, {1, 0}), Array(unique, {1, 3}), unique.get());
        const aclTensor* target = unique->AllocTensor(op::Shape({2, 3}), op::DataType::DT_INT32);
        const aclTensor* dims = unique->ConvertToTensor(Array(unique, {2, 3}), op::DataType::DT_INT64);
        const aclTensor* y = l0op::BroadcastTo(row, target, dims, unique.get());
        EXPECT_TRUE((RunInto(unique, y, out, ACL_INT32) == std::vector<int32_t>{3, 4, 5, 3, 4, 5}));
        EXPECT_TRUE(l0op::BroadcastTo(row, nullptr, dims, unique.get()) == nullptr);
    }
    {
        auto unique = CREATE_EXECUTOR();
        test::Buffer<int32_t> out(Zeros(6));
        aclIntArray* shape = Array(unique, {3, 2});
        const aclTensor* dims = unique->ConvertToTensor(shape, op::DataType::DT_INT64);
        const aclTensor* value = unique->ConvertToTensor(unique->AllocScalar(int64_t{-7}), op::DataType::DT_INT32);
        const aclTensor* y = l0op::Fill(dims, value, shape, unique.get());
        EXPECT_TRUE((RunInto(unique, y, out, ACL_INT32) == std::vector<int32_t>{-7, -7, -7, -7, -7, -7}));
    }
    auto unique = CREATE_EXECUTOR();
    EXPECT_TRUE(l0op::Fill(x.get(), x.get(), Array(unique, {2}), unique.get()) == nullptr);
    EXPECT_TRUE(l0op::Transpose(x.get(), Array(unique, {0, 0}), unique.get()) == nullptr);
    EXPECT_TRUE(l0op::Transpose(x.get(), Array(unique, {0}), unique.get()) == nullptr);
    EXPECT_TRUE(l0op::Slice(x.get(), Array(unique, {0, 2}), Array(unique, {1, 2}), unique.get()) == nullptr);
    EXPECT_TRUE(l0op::Slice(x.get(), Array(unique, {0}), Array(unique, {1}), unique.get()) == nullptr);
    EXPECT_TRUE(l0op::BroadcastTo(x.get(), Array(unique, {3, 3}), unique.get()) == nullptr);
    EXPECT_TRUE(l0op::BroadcastTo(x.get(), Array(unique, {3}), unique.get()) == nullptr);
}

TEST(OpdevL0, PermutedDenseTensorsRoundTrip)
{
    test::Buffer<int32_t> in({0, 1, 2, 3, 4, 5});
    test::Buffer<int16_t> out({0, 0, 0, 0, 0, 0});
    auto unique = CREATE_EXECUTOR();
    const auto x = test::MakeTensor({3, 2}, ACL_INT32, in.Get(), {1, 3}, 0, {6});
    const auto y = test::MakeTensor({3, 2}, ACL_INT16, out.Get(), {1, 3}, 0, {6});
    const aclTensor* picked = l0op::PickViewAsContiguous(x.get(), unique.get());
    const aclTensor* cast = l0op::Cast(picked, op::DataType::DT_INT16, unique.get());
    EXPECT_EQ(l0op::ReViewToOut(cast, y.get(), unique.get()), y.get());
    const uint64_t size = unique->GetWorkspaceSize();
    EXPECT_EQ(size, 0U);
    aclOpExecutor* executor = nullptr;
    unique.ReleaseTo(&executor);
    EXPECT_EQ(test::Run(executor, size), 0);
    EXPECT_TRUE((out.Values() == std::vector<int16_t>{0, 1, 2, 3, 4, 5}));
}

TEST(OpdevL0, CopiesOfTheFramework)
{
    test::Buffer<int32_t> out({0, 0});
    auto unique = CREATE_EXECUTOR();
    const int64_t values[] = {8, 9};
    const aclTensor* host = unique->ConvertToTensor(values, 2, op::DataType::DT_INT32);
    const aclTensor* device = op::CopyToNpu(host, unique.get());
    EXPECT_TRUE(device->IsFromWorkspace());
    const auto y = test::MakeTensor({2}, ACL_INT32, out.Get());
    EXPECT_EQ(op::CopyNpuToNpu(device, y.get(), unique.get()), 0);
    const auto other = test::MakeTensor({3}, ACL_INT32, out.Get());
    EXPECT_EQ(op::CopyNpuToNpu(device, other.get(), unique.get()), 161002);
    const uint64_t size = unique->GetWorkspaceSize();
    aclOpExecutor* executor = nullptr;
    unique.ReleaseTo(&executor);
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), 561000);
    EXPECT_EQ(test::Run(executor, size), 0);
    EXPECT_TRUE((out.Values() == std::vector<int32_t>{8, 9}));
}

TEST(OpdevL0, CopiesAtOnceStayOnTheDevice)
{
    auto unique = CREATE_EXECUTOR();
    const int64_t values[] = {8, 9};
    const aclTensor* host = unique->ConvertToTensor(values, 2, op::DataType::DT_INT32);
    const aclTensor* device = op::CopyToNpuSync(host, unique.get());
    EXPECT_TRUE(device != nullptr && !device->IsFromWorkspace());
    int32_t now[2] = {0, 0};
    EXPECT_EQ(aclrtMemcpy(now, sizeof(now), device->GetData(), sizeof(now), ACL_MEMCPY_DEVICE_TO_HOST), 0);
    EXPECT_EQ(now[1], 9);
    EXPECT_TRUE(op::CopyToNpuSync(device, unique.get()) == nullptr);
    EXPECT_EQ(aclrtFree(device->GetData()), 0);
}

TEST(OpdevL0, SqueezeAndUnsqueeze)
{
    auto unique = CREATE_EXECUTOR();
    int data = 0;
    const auto x = test::MakeTensor({1, 3, 1}, ACL_INT32, &data);
    EXPECT_TRUE(l0op::SqueezeNd(x.get(), Array(unique, {}), unique.get())->GetViewShape() == op::Shape({3}));
    EXPECT_TRUE(l0op::SqueezeNd(x.get(), -1, unique.get())->GetViewShape() == op::Shape({1, 3}));
    EXPECT_TRUE(l0op::SqueezeNd(x.get(), 1, unique.get())->GetViewShape() == op::Shape({1, 3, 1}));
    EXPECT_TRUE(l0op::SqueezeNd(x.get(), 3, unique.get()) == nullptr);
    EXPECT_TRUE(l0op::UnsqueezeNd(x.get(), Array(unique, {0, -1}), unique.get())->GetViewShape() ==
                op::Shape({1, 1, 3, 1, 1}));
    EXPECT_TRUE(l0op::UnsqueezeNd(x.get(), Array(unique, {0, 0}), unique.get()) == nullptr);
}
