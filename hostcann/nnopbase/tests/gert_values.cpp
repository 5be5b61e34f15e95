// Value classes: sizes, and the quirks operators meet on a real toolkit.
#include <limits>

#include "base/err_msg.h"
#include "gtest/gtest.h"
#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/runtime_tensor.h"
#include "exe_graph/runtime/tiling_context.h"
#include "graph/utils/type_utils.h"
#include "op_common/op_host/util/math_util.h"
#include "securec.h"

namespace {
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
}

TEST(GertValues, sizes_are_those_of_the_real_toolkit)
{
    EXPECT_EQ(sizeof(gert::Shape), 248U);
    EXPECT_EQ(sizeof(gert::Stride), 248U);
    EXPECT_EQ(sizeof(gert::StorageShape), 536U);
    EXPECT_EQ(sizeof(gert::StorageFormat), 96U);
    EXPECT_EQ(sizeof(gert::CompileTimeTensorDesc), 144U);
    EXPECT_EQ(sizeof(gert::Tensor), 752U);
    EXPECT_EQ(sizeof(gert::TensorV2), 1048U);
    EXPECT_EQ(sizeof(gert::ContinuousVector), 64U);
    EXPECT_EQ(sizeof(gert::TilingData), 64U);
    EXPECT_EQ(sizeof(gert::ComputeNodeInfo), 88U);
    EXPECT_EQ(sizeof(KernelRunContext), 48U);
    EXPECT_EQ(sizeof(gert::Dim3), 12U);
}

TEST(GertValues, set_dim_raises_the_count_only_to_the_index)
{
    gert::Shape shape;
    shape.SetDim(0, 7);
    EXPECT_EQ(shape.GetDimNum(), 0U);
    EXPECT_EQ(shape.GetDim(0), 7);
    shape.SetDim(2, 5);
    EXPECT_EQ(shape.GetDimNum(), 2U);
    shape.SetDimNum(3);
    EXPECT_EQ(shape.GetShapeSize(), 0);
    shape.SetDim(1, 2);
    EXPECT_EQ(shape.GetShapeSize(), 70);
    shape.SetDim(gert::Shape::kMaxDimNum, 1);
    EXPECT_EQ(shape.GetDimNum(), 3U);
}

TEST(GertValues, shape_bounds_and_sizes)
{
    const gert::Shape shape{2, 3};
    EXPECT_EQ(shape.GetDim(1), 3);
    EXPECT_EQ(shape.GetDim(2), 0);
    EXPECT_EQ(shape.GetDim(25), kMin);
    EXPECT_EQ(gert::Shape().GetShapeSize(), 1);
    EXPECT_TRUE(gert::Shape().IsScalar());
    EXPECT_EQ((gert::Shape{1LL << 62, 2}).GetShapeSize(), kMin);
    EXPECT_EQ((gert::Shape{1LL << 62, 2, 0}).GetShapeSize(), kMin);
    gert::Shape full;
    for (int64_t i = 0; i < 30; ++i) {
        (void)full.AppendDim(i);
    }
    EXPECT_EQ(full.GetDimNum(), 25U);
    EXPECT_TRUE((gert::Shape{1, 2}) != (gert::Shape{1, 2, 1}));
    gert::Shape scalar{4};
    scalar.SetScalar();
    EXPECT_TRUE(scalar == gert::Shape());
}

TEST(GertValues, stride_follows_the_shape_rules)
{
    gert::Stride stride{4, 1};
    EXPECT_EQ(stride.GetStride(0), 4);
    EXPECT_EQ(stride.GetStride(25), kMin);
    stride.SetStride(3, 9);
    EXPECT_EQ(stride.GetDimNum(), 3U);
    (void)stride.AppendStride(2);
    EXPECT_EQ(stride.GetDimNum(), 4U);
    EXPECT_EQ(stride[3], 2);
}

TEST(GertValues, tensor_data_sits_where_its_placement_says)
{
    float values[6] = {1, 2, 3, 4, 5, 6};
    gert::Tensor tensor({{2, 3}, {2, 3}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnHost, ge::DT_FLOAT, values);
    EXPECT_EQ(tensor.GetSize(), 24U);
    EXPECT_EQ(tensor.GetShapeSize(), 6);
    EXPECT_EQ(tensor.GetData<float>()[5], 6.0F);
    EXPECT_EQ(tensor.GetVersion(), gert::kTensorV1);

    size_t total = 0;
    const auto buffer = gert::Tensor::CreateFollowing(4, ge::DT_INT32, total);
    EXPECT_EQ(total, sizeof(gert::Tensor) + 16U);
    auto* following = reinterpret_cast<gert::Tensor*>(buffer.get());
    EXPECT_EQ(static_cast<void*>(following->GetData<int32_t>()),
              static_cast<void*>(buffer.get() + sizeof(gert::Tensor)));

    const auto buffer2 = gert::TensorV2::CreateFollowing(4, ge::DT_INT32, total);
    EXPECT_EQ(total, sizeof(gert::TensorV2) + 16U);
    gert::Tensor* base = reinterpret_cast<gert::TensorV2*>(buffer2.get());
    EXPECT_EQ(base->GetAddr(), static_cast<void*>(buffer2.get() + sizeof(gert::TensorV2)));
}

TEST(GertValues, tensor_v2_has_strides_and_offset)
{
    gert::TensorV2 tensor({{2, 3}, {100}}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnDeviceHbm, ge::DT_BF16, nullptr,
                          nullptr, {1, 2}, 5);
    EXPECT_EQ(tensor.GetVersion(), gert::kTensorV2);
    EXPECT_EQ(tensor.GetStride().GetStride(1), 2);
    EXPECT_EQ(tensor.GetOffset(), 5);
    EXPECT_EQ(tensor.GetSize(), 200U);
    EXPECT_EQ(tensor.GetOriginShape().GetShapeSize(), 6);
}

TEST(GertValues, tensor_data_frees_through_its_manager_once)
{
    static int freed = 0;
    freed = 0;
    const auto manager = [](gert::TensorAddress addr, gert::TensorOperateType operate, void** out) {
        if (operate == gert::kGetTensorAddress) {
            *out = addr;
        }
        freed += operate == gert::kFreeTensor ? 1 : 0;
        return ge::GRAPH_SUCCESS;
    };
    int value = 0;
    {
        gert::TensorData first(&value, manager, 4U, gert::kOnHost);
        gert::TensorData second(std::move(first));
        EXPECT_EQ(first.GetAddr(), nullptr);
        EXPECT_EQ(second.GetAddr(), static_cast<void*>(&value));
    }
    EXPECT_EQ(freed, 1);
}

TEST(GertValues, continuous_vector_refuses_more_than_its_capacity)
{
    const auto buffer = gert::ContinuousVector::Create<int64_t>(3);
    auto* list = reinterpret_cast<gert::TypedContinuousVector<int64_t>*>(buffer.get());
    EXPECT_EQ(list->SetSize(3), ge::GRAPH_SUCCESS);
    EXPECT_EQ(list->SetSize(4), ge::GRAPH_PARAM_OUT_OF_RANGE);
    EXPECT_EQ(list->GetSize(), 3U);
    EXPECT_EQ(list->GetCapacity(), 3U);
}

TEST(GertValues, tiling_data_appends_up_to_its_capacity)
{
    const auto buffer = gert::TilingData::CreateCap(12);
    auto* data = reinterpret_cast<gert::TilingData*>(buffer.get());
    EXPECT_EQ(data->Append(int64_t{1}), ge::GRAPH_SUCCESS);
    EXPECT_EQ(data->Append(int64_t{2}), ge::GRAPH_FAILED);
    EXPECT_EQ(data->GetDataSize(), 8U);
    EXPECT_TRUE(data->Expand(4) != nullptr);
    EXPECT_TRUE(data->Expand(1) == nullptr);
}

TEST(GertValues, data_types_and_formats)
{
    EXPECT_EQ(static_cast<int>(ge::DT_BF16), 27);
    EXPECT_EQ(static_cast<int>(ge::DT_MAX), 43);
    EXPECT_EQ(static_cast<int>(ge::FORMAT_FRACTAL_NZ), 29);
    EXPECT_EQ(static_cast<int>(ge::FORMAT_NCL), 47);
    EXPECT_EQ(static_cast<int>(ge::FORMAT_C1HWC0), 49);
    EXPECT_EQ(static_cast<int>(ge::FORMAT_FRACTAL_NZ_C0_8), 54);
    EXPECT_EQ(ge::GetSizeByDataType(ge::DT_BF16), 2);
    EXPECT_EQ(ge::GetSizeByDataType(ge::DT_INT4), 1004);
    EXPECT_EQ(ge::GetSizeByDataType(ge::DT_UNDEFINED), -1);
    EXPECT_EQ(ge::GetSizeByDataType(static_cast<ge::DataType>(5)), -1);
    EXPECT_EQ(ge::GetSizeInBytes(3, ge::DT_INT4), 2);
    EXPECT_EQ(ge::GetSizeInBytes(-1, ge::DT_FLOAT), -1);
    EXPECT_EQ(ge::GetSizeInBytes(1LL << 62, ge::DT_FLOAT), -1);
    EXPECT_EQ(ge::TypeUtils::DataTypeToSerialString(ge::DT_FLOAT), std::string("DT_FLOAT"));
    EXPECT_EQ(ge::TypeUtils::DataTypeToSerialString(ge::DT_BF16), std::string("DT_BFLOAT16"));
    EXPECT_EQ(ge::TypeUtils::SerialStringToDataType("DT_INT16"), ge::DT_INT16);
    EXPECT_EQ(ge::TypeUtils::SerialStringToDataType("int16"), ge::DT_UNDEFINED);
    EXPECT_EQ(ge::TypeUtils::FormatToSerialString(ge::FORMAT_ND), std::string("ND"));
    EXPECT_EQ(ge::TypeUtils::SerialStringToFormat("NHWC"), ge::FORMAT_NHWC);
    uint32_t length = 0;
    EXPECT_TRUE(ge::TypeUtils::GetDataTypeLength(ge::DT_INT64, length));
    EXPECT_EQ(length, 8U);
    EXPECT_TRUE(!ge::TypeUtils::GetDataTypeLength(ge::DT_UNDEFINED, length));
    EXPECT_EQ(ge::GRAPH_PARAM_INVALID, 50331649U);
}

TEST(GertValues, ascend_string)
{
    const ge::AscendString text("abc");
    EXPECT_EQ(text.GetLength(), 3U);
    EXPECT_TRUE(text == "abc");
    EXPECT_TRUE(text < ge::AscendString("abd"));
    EXPECT_EQ(text.Find(ge::AscendString("c")), 2U);
    EXPECT_EQ(std::string(ge::AscendString().GetString()), std::string());
    EXPECT_EQ(std::hash<ge::AscendString>()(text), std::hash<ge::AscendString>()(ge::AscendString("abc")));
}

TEST(GertValues, rounding_helpers)
{
    using namespace Ops::Base;
    EXPECT_EQ(CeilDiv(7, 2), 4);
    EXPECT_EQ(CeilDiv(8, 2), 4);
    EXPECT_EQ(CeilDiv(5, 0), 5);
    EXPECT_EQ(CeilDiv(0, 3), 0);
    EXPECT_EQ(CeilDiv(-7, 2), -3);
    EXPECT_EQ(CeilDiv(-7, -2), 4);
    EXPECT_EQ(CeilAlign<uint32_t>(33, 32), 64U);
    EXPECT_EQ(CeilAlign(5, 0), 0);
    EXPECT_EQ(CeilAlign<uint8_t>(255, 16), 255);
    EXPECT_EQ(FloorDiv(7, 0), 7);
    EXPECT_EQ(FloorDiv(7, 2), 3);
    EXPECT_EQ(FloorAlign(70, 32), 64);
    EXPECT_EQ(FloorAlign(70, 0), 0);
    EXPECT_EQ(LastPow2(0), 1U);
    EXPECT_EQ(LastPow2(100), 64U);
}

TEST(GertValues, bounded_copies)
{
    char text[4] = "";
    EXPECT_EQ(strcpy_s(text, sizeof(text), "abc"), EOK);
    EXPECT_EQ(strcpy_s(text, sizeof(text), "abcd"), ERANGE);
    EXPECT_EQ(std::string(text), std::string("abc"));
    EXPECT_EQ(memset_s(text, sizeof(text), 0, 5), ERANGE);
    EXPECT_EQ(memcpy_s(text, sizeof(text), nullptr, 1), EINVAL);
    EXPECT_EQ(sprintf_s(text, sizeof(text), "%d", 12), 2);
    EXPECT_EQ(sprintf_s(text, sizeof(text), "%d", 12345), -1);
    EXPECT_EQ(snprintf_s(text, sizeof(text), 2, "%d", 12), 2);
    EXPECT_EQ(snprintf_s(text, sizeof(text), 1, "%d", 12), -1);
    const auto print = [&text](size_t count, const char* format, ...) {
        va_list args;
        va_start(args, format);
        const int written = vsnprintf_s(text, sizeof(text), count, format, args);
        va_end(args);
        return written;
    };
    EXPECT_EQ(print(3, "%d", 123), 3);
    EXPECT_EQ(print(sizeof(text), "%d", 1234), -1);
}

TEST(GertValues, error_message_macros_take_the_forms_of_the_toolkit)
{
    EXPECT_EQ(REPORT_PREDEFINED_ERR_MSG("EZ9999"), 0);
    EXPECT_EQ(REPORT_PREDEFINED_ERR_MSG("EZ9999", {"name"}, {"x1"}), 0);
    REPORT_USER_DEFINED_ERR_MSG("EZ9999", "plain");
    REPORT_USER_DEFINED_ERR_MSG("EZ9999", "%d of %s", 1, "many");
    REPORT_INNER_ERR_MSG("EZ9999", "%d", 1);
}
