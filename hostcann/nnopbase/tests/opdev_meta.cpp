// The C functions of acl_meta.h.
#include <string>
#include <vector>

#include "aclnn/aclnn_base.h"
#include "aclnn/hostcann_probe.h"
#include "device.h"
#include "gtest/gtest.h"

namespace {

struct Shown {
    std::vector<int64_t> values;
    int status;
};

template <typename Getter>
Shown Fetch(Getter getter, const aclTensor* tensor)
{
    int64_t* values = nullptr;
    uint64_t count = 0;
    Shown shown;
    shown.status = getter(tensor, &values, &count);
    if (shown.status == 0) {
        shown.values.assign(values, values + count);
        delete[] values;
    }
    return shown;
}

} // namespace

TEST(OpdevMeta, CreateTensorQuirks)
{
    const int64_t dims[] = {2, 3};
    const int64_t storage[] = {10};
    const int64_t strides[] = {4, 1};
    int data = 0;
    EXPECT_TRUE(aclCreateTensor(nullptr, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, storage, 1, &data) == nullptr);
    EXPECT_TRUE(aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 1, &data) == nullptr);
    const std::vector<int64_t> many(26, 1);
    EXPECT_TRUE(aclCreateTensor(many.data(), 26, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, storage, 1, &data) == nullptr);

    aclTensor* plain = aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCHW, storage, 1, &data);
    EXPECT_TRUE((Fetch(aclGetViewShape, plain).values == std::vector<int64_t>{2, 3}));
    EXPECT_TRUE((Fetch(aclGetViewStrides, plain).values == std::vector<int64_t>{3, 1}));
    EXPECT_TRUE((Fetch(aclGetStorageShape, plain).values == std::vector<int64_t>{10}));
    // The gert tensor carries the storage dims in both shapes; only the wrapper knows the view.
    EXPECT_EQ(plain->GetOriginalShape().GetDimNum(), 1U);
    EXPECT_EQ(plain->GetTensor()->GetStride().GetDimNum(), 0U);
    EXPECT_EQ(plain->GetOriginalFormat(), op::Format::FORMAT_NCHW);
    EXPECT_EQ(plain->Size(), 10);
    EXPECT_EQ(plain->Numel(), 6);
    EXPECT_EQ(aclDestroyTensor(plain), 0);

    aclTensor* strided = aclCreateTensor(dims, 2, ACL_BF16, strides, 2, ACL_FORMAT_ND, storage, 1, &data);
    EXPECT_TRUE((Fetch(aclGetViewStrides, strided).values == std::vector<int64_t>{4, 1}));
    int64_t offset = 0;
    EXPECT_EQ(aclGetViewOffset(strided, &offset), 0);
    EXPECT_EQ(offset, 2);
    EXPECT_EQ(strided->GetData(), static_cast<void*>(reinterpret_cast<char*>(&data) + 4));
    aclDataType type = ACL_FLOAT;
    EXPECT_EQ(aclGetDataType(strided, &type), 0);
    EXPECT_EQ(type, ACL_BF16);
    aclFormat format = ACL_FORMAT_NCHW;
    EXPECT_EQ(aclGetFormat(strided, &format), 0);
    EXPECT_EQ(format, ACL_FORMAT_ND);
    aclDestroyTensor(strided);

    aclTensor* scalar = aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
    EXPECT_EQ(scalar->Numel(), 1);
    EXPECT_FALSE(scalar->IsEmpty());
    aclDestroyTensor(scalar);
}

TEST(OpdevMeta, NullArguments)
{
    const auto tensor = test::MakeTensor({1}, ACL_FLOAT, nullptr);
    int64_t* values = nullptr;
    uint64_t count = 0;
    int64_t offset = 0;
    void* address = nullptr;
    EXPECT_EQ(aclGetViewShape(nullptr, &values, &count), 161001);
    EXPECT_EQ(aclGetViewShape(tensor.get(), nullptr, &count), 161001);
    EXPECT_EQ(aclGetViewStrides(tensor.get(), &values, nullptr), 161001);
    EXPECT_EQ(aclGetStorageShape(nullptr, &values, &count), 161001);
    EXPECT_EQ(aclGetViewOffset(nullptr, &offset), 161001);
    EXPECT_EQ(aclGetFormat(tensor.get(), nullptr), 161001);
    EXPECT_EQ(aclGetDataType(nullptr, nullptr), 161001);
    EXPECT_EQ(aclSetRawTensorAddr(nullptr, nullptr), 161001);
    EXPECT_EQ(aclGetRawTensorAddr(tensor.get(), nullptr), 161001);
    EXPECT_EQ(aclGetRawTensorAddr(tensor.get(), &address), 0);
    EXPECT_EQ(aclInitTensor(nullptr, nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr), 161001);
    EXPECT_EQ(aclGetIntArraySize(nullptr, &count), 161001);
    EXPECT_EQ(aclDestroyTensor(nullptr), 0);
    EXPECT_EQ(aclDestroyScalar(nullptr), 0);
    EXPECT_EQ(aclDestroyTensorList(nullptr), 0);
    EXPECT_EQ(aclDestroyScalarList(nullptr), 0);
    EXPECT_EQ(aclDestroyIntArray(nullptr), 0);
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(nullptr), 561103);
    (void)test::LastError();
    EXPECT_EQ(aclDestroyAclOpExecutor(nullptr), 561103);
    EXPECT_TRUE(test::LastError().find("EZ1011") != std::string::npos);
    EXPECT_EQ(aclSetTensorAddr(nullptr, 0, tensor.get(), nullptr), 561103);
    EXPECT_EQ(AclSetInputTensorAddr(nullptr, 0, nullptr, nullptr), 561103);
    EXPECT_EQ(aclnnInit(nullptr), 0);
    EXPECT_EQ(aclnnFinalize(), 0);
}

TEST(OpdevMeta, ArraysCopyListsOwn)
{
    const size_t before = hc_live_tensors();
    int64_t ints[] = {4, 5};
    aclIntArray* array = aclCreateIntArray(ints, 2);
    ints[0] = 9;
    uint64_t size = 0;
    EXPECT_EQ(aclGetIntArraySize(array, &size), 0);
    EXPECT_EQ(size, 2U);
    EXPECT_EQ((*array)[0], 4);
    EXPECT_EQ(std::string(ToString(array).GetString()), "[4, 5]");
    EXPECT_EQ(aclDestroyIntArray(array), 0);
    const bool flags[] = {true, false};
    aclBoolArray* bools = aclCreateBoolArray(flags, 2);
    EXPECT_TRUE(bools->GetData()[0] && !bools->GetData()[1]);
    aclDestroyBoolArray(bools);

    const aclTensor* tensors[] = {test::MakeTensor({2}, ACL_FLOAT, nullptr).release(),
                                  test::MakeTensor({3}, ACL_FLOAT, nullptr).release()};
    EXPECT_EQ(hc_live_tensors(), before + 2);
    aclTensorList* list = aclCreateTensorList(tensors, 2);
    EXPECT_EQ(aclGetTensorListSize(list, &size), 0);
    EXPECT_EQ(size, 2U);
    EXPECT_EQ((*list)[1]->Numel(), 3);
    EXPECT_EQ(aclDestroyTensorList(list), 0);
    EXPECT_EQ(hc_live_tensors(), before);
}

TEST(OpdevMeta, InitTensorReplacesEverything)
{
    const auto tensor = test::MakeTensor({2}, ACL_FLOAT, nullptr);
    const int64_t dims[] = {3, 2};
    const int64_t strides[] = {1, 3};
    int data = 0;
    EXPECT_EQ(aclInitTensor(tensor.get(), dims, 2, ACL_INT16, strides, 1, ACL_FORMAT_ND, dims, 2, &data), 0);
    EXPECT_EQ(tensor->GetDataType(), op::DataType::DT_INT16);
    EXPECT_EQ(tensor->GetViewStrides()[1], 3);
    EXPECT_EQ(tensor->GetViewOffset(), 1);
    EXPECT_EQ(tensor->GetStorageAddr(), static_cast<void*>(&data));
}

TEST(OpdevMeta, DescriptionsOfObjects)
{
    EXPECT_EQ(std::string(ToString(static_cast<const aclTensor*>(nullptr)).GetString()), "nullptr");
    const auto tensor = test::MakeTensor({2, 3}, ACL_FLOAT, nullptr, {1, 2}, 0, {6});
    const std::string text = ToString(tensor.get()).GetString();
    for (const char* part : {"[2, 3]", "[1, 2]", "[6]", "DT_FLOAT"}) {
        EXPECT_TRUE(text.find(part) != std::string::npos);
    }
}
