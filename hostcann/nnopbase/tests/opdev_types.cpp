// Data types, 16-bit floats, scalars.
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "acl/acl.h"
#include "device.h"
#include "gtest/gtest.h"
#include "opdev/data_type_utils.h"
#include "opdev/format_utils.h"
#include "opdev/op_common/data_type_utils.h"

using op::DataType;

namespace {

const char* Name(DataType type)
{
    static std::map<int, std::string> names;
    return (names[type] = op::ToString(type).GetString()).c_str();
}

// Reference document §2.6: the rows and columns of the promotion table.
const std::vector<DataType> kPromoted = {
    DataType::DT_FLOAT,     DataType::DT_FLOAT16,   DataType::DT_BF16,      DataType::DT_DOUBLE, DataType::DT_INT8,
    DataType::DT_UINT8,     DataType::DT_INT16,     DataType::DT_INT32,     DataType::DT_INT64,  DataType::DT_BOOL,
    DataType::DT_COMPLEX32, DataType::DT_COMPLEX64, DataType::DT_COMPLEX128};

constexpr DataType f4 = DataType::DT_FLOAT, f2 = DataType::DT_FLOAT16, bf = DataType::DT_BF16, f8 = DataType::DT_DOUBLE,
                   i1 = DataType::DT_INT8, u1 = DataType::DT_UINT8, i2 = DataType::DT_INT16, i4 = DataType::DT_INT32,
                   i8 = DataType::DT_INT64, b1 = DataType::DT_BOOL, c2 = DataType::DT_COMPLEX32,
                   c4 = DataType::DT_COMPLEX64, c8 = DataType::DT_COMPLEX128;

const DataType kTable[13][13] = {
    {f4, f4, f4, f8, f4, f4, f4, f4, f4, f4, c4, c4, c8}, {f4, f2, f4, f8, f2, f2, f2, f2, f2, f2, c2, c4, c8},
    {f4, f4, bf, f8, bf, bf, bf, bf, bf, bf, c4, c4, c8}, {f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, c8, c8, c8},
    {f4, f2, bf, f8, i1, i2, i2, i4, i8, i1, c2, c4, c8}, {f4, f2, bf, f8, i2, u1, i2, i4, i8, u1, c2, c4, c8},
    {f4, f2, bf, f8, i2, i2, i2, i4, i8, i2, c2, c4, c8}, {f4, f2, bf, f8, i4, i4, i4, i4, i8, i4, c2, c4, c8},
    {f4, f2, bf, f8, i8, i8, i8, i8, i8, i8, c2, c4, c8}, {f4, f2, bf, f8, i1, u1, i2, i4, i8, b1, c2, c4, c8},
    {c4, c2, c4, c8, c2, c2, c2, c2, c2, c2, c2, c4, c8}, {c4, c4, c4, c8, c4, c4, c4, c4, c4, c4, c4, c4, c8},
    {c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, c8}};

template <typename T>
aclScalar Scalar(T value, DataType type)
{
    return aclScalar(&value, type);
}

uint32_t Bits(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

} // namespace

TEST(OpdevTypes, PromoteTypeTable)
{
    for (size_t row = 0; row < kPromoted.size(); ++row) {
        for (size_t column = 0; column < kPromoted.size(); ++column) {
            const std::string pair = std::string(Name(kPromoted[row])) + " with " + Name(kPromoted[column]);
            EXPECT_EQ(op::PromoteType(kPromoted[row], kPromoted[column]), kTable[row][column]) << pair;
        }
    }
}

TEST(OpdevTypes, PromoteTypeCorners)
{
    const DataType none = DataType::DT_UNDEFINED;
    EXPECT_EQ(op::PromoteType(DataType::DT_UINT16, DataType::DT_FLOAT), none);
    EXPECT_EQ(op::PromoteType(DataType::DT_UINT32, DataType::DT_UINT32), DataType::DT_UINT32);
    EXPECT_EQ(op::PromoteType(DataType::DT_UINT16, DataType::DT_COMPLEX64), DataType::DT_COMPLEX64);
    EXPECT_EQ(op::PromoteType(DataType::DT_COMPLEX64, DataType::DT_UINT16), none);
    EXPECT_EQ(op::PromoteType(DataType::DT_UINT64, DataType::DT_COMPLEX64), DataType::DT_COMPLEX128);
    EXPECT_EQ(op::PromoteType(DataType::DT_STRING, DataType::DT_FLOAT), none);
    EXPECT_EQ(op::PromoteType(static_cast<DataType>(-1), DataType::DT_FLOAT), none);
    EXPECT_EQ(op::PromoteType(DataType::DT_FLOAT, DataType::DT_MAX), none);
    EXPECT_EQ(opcommon::PromoteType(f2, bf), f4);
}

TEST(OpdevTypes, CanCastRules)
{
    const struct {
        DataType from;
        DataType to;
        bool allowed;
    } rows[] = {{f4, i4, false}, {f2, i2, false}, {bf, u1, false}, {i4, f4, true},  {f4, f2, true}, {c4, f4, false},
                {c4, c8, true},  {f4, c4, true},  {f4, b1, false}, {i4, b1, false}, {b1, b1, true}, {b1, i4, true},
                {i8, i1, true},  {f8, bf, true},  {i2, bf, true},  {c4, b1, false}, {i2, u1, true}};
    for (const auto& row : rows) {
        EXPECT_EQ(op::CanCast(row.from, row.to), row.allowed) << std::string(Name(row.from)) + " to " + Name(row.to);
    }
}

TEST(OpdevTypes, TypePredicates)
{
    EXPECT_TRUE(op::IsFloatingType(bf) && op::IsFloatingType(DataType::DT_FLOAT8_E5M2) && !op::IsFloatingType(i4));
    EXPECT_TRUE(op::IsIntegralType(DataType::DT_UINT64) && !op::IsIntegralType(b1) && op::IsIntegralType(b1, true));
    EXPECT_TRUE(op::IsComplexType(c2) && !op::IsComplexType(f8));
    EXPECT_TRUE(op::CheckType(f4, {i4, f4}) && !op::CheckType(f4, {}));
    EXPECT_EQ(op::TypeSize(f2), 2U);
    EXPECT_EQ(op::TypeSize(c8), 16U);
    EXPECT_EQ(op::TypeSize(DataType::DT_INT4), 1004U);
    EXPECT_EQ(op::TypeSize(DataType::DT_STRING), 16U);
    EXPECT_EQ(op::CalcShapeBytes(3, i4), 12);
    EXPECT_EQ(op::CalcShapeBytes(3, DataType::DT_INT4), 2);
    EXPECT_EQ(op::CalcShapeBytes(3, DataType::DT_INT4, true), 1);
    EXPECT_EQ(op::ToOpDataType(ACL_BF16), bf);
    EXPECT_EQ(op::ToOpDataType(ACL_DT_UNDEFINED), DataType::DT_UNDEFINED);
    EXPECT_EQ(op::ToAclDataType(i2), ACL_INT16);
    EXPECT_EQ(op::ToAclDataType(DataType::DT_RESOURCE), ACL_DT_UNDEFINED);
    EXPECT_EQ(std::string(op::ToString({f4, i2}).GetString()), "[DT_FLOAT,DT_INT16]");
}

TEST(OpdevTypes, FormatPredicates)
{
    EXPECT_TRUE(op::IsPrivateFormat(op::Format::FORMAT_FRACTAL_NZ) && op::IsPrivateFormat(op::Format::FORMAT_NC1HWC0));
    EXPECT_TRUE(!op::IsPrivateFormat(op::Format::FORMAT_ND) && !op::IsPrivateFormat(op::Format::FORMAT_NCHW));
    EXPECT_EQ(op::ToOpFormat(ACL_FORMAT_UNDEFINED), op::Format::FORMAT_MAX);
    EXPECT_EQ(op::ToAclFormat(op::Format::FORMAT_NCL), ACL_FORMAT_NCL);
    EXPECT_EQ(op::ToAclFormat(op::Format::FORMAT_CHWN), ACL_FORMAT_UNDEFINED);
}

// Every half goes to float and back unchanged, and rounds like the spacing of its neighbours says.
TEST(OpdevTypes, HalfConversionsExhaustive)
{
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        const op::fp16_t half(static_cast<uint16_t>(bits));
        const float value = half.toFloat();
        const uint32_t magnitude = bits & 0x7FFF;
        if (magnitude > 0x7C00) {
            EXPECT_EQ(op::fp16_t(value).val & 0x7FFF, 0x7FFF);
            continue;
        }
        const double expected = magnitude == 0x7C00 ?
                                    std::numeric_limits<double>::infinity() :
                                magnitude < 0x400 ?
                                    magnitude * 0x1p-24 :
                                    (1024 + (magnitude & 0x3FF)) * std::ldexp(1.0, int(magnitude >> 10) - 25);
        EXPECT_EQ(std::abs(static_cast<double>(value)), expected);
        EXPECT_EQ(op::fp16_t(value).val, bits);
        EXPECT_EQ(op::fp16_t(static_cast<double>(value)).val, bits);
        if (magnitude < 0x7BFF) {
            const double next = op::fp16_t(static_cast<uint16_t>(bits + 1)).toDouble();
            const double middle = (static_cast<double>(value) + next) / 2;
            EXPECT_EQ(op::fp16_t(middle).val, (bits & 1) == 0 ? bits : bits + 1);
            EXPECT_EQ(op::fp16_t(static_cast<float>(middle)).val, (bits & 1) == 0 ? bits : bits + 1);
            EXPECT_EQ(op::fp16_t(std::nextafter(middle, static_cast<double>(value))).val, bits);
            EXPECT_EQ(op::fp16_t(std::nextafter(middle, next)).val, bits + 1);
        }
    }
    EXPECT_EQ(op::fp16_t(65520.0F).val, 0x7C00);
    EXPECT_EQ(op::fp16_t(65519.99F).val, 0x7BFF);
    EXPECT_EQ(op::fp16_t(-1e30).val, 0xFC00);
    EXPECT_EQ(op::fp16_t(100000).val, 0x7C00);
    EXPECT_EQ(op::fp16_t(static_cast<uint16_t>(3)).val, 3); // bits, not a value
}

TEST(OpdevTypes, Bfloat16Conversions)
{
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        const op::bfloat16 number(static_cast<uint16_t>(bits), op::bfloat16::from_bits());
        const float value = number;
        EXPECT_EQ(Bits(value), bits << 16);
        const bool nan = (bits & 0x7FFF) > 0x7F80;
        EXPECT_EQ(op::bfloat16(value).value, nan ? 0x7FC0U : bits);
    }
    EXPECT_EQ(op::bfloat16(1.00390625F).value, 0x3F80); // a tie goes to the even neighbour
    EXPECT_EQ(op::bfloat16(1.01171875F).value, 0x3F82);
    EXPECT_EQ(op::bfloat16(3.4e38F).value, 0x7F80);
    // Rounded to float first: the double is just above a tie, the float exactly on it.
    EXPECT_EQ(op::bfloat16(1.00390625 + 0x1p-40).value, 0x3F80);
}

TEST(OpdevTypes, ScalarConversions)
{
    EXPECT_EQ(Scalar(-3.7F, f4).ToInt32(), -3);
    EXPECT_EQ(Scalar(2.5, f8).ToFloat(), 2.5F);
    EXPECT_EQ(Scalar(int64_t{-1}, i8).ToUint8(), 255);
    EXPECT_EQ(Scalar(40000.0F, f4).ToInt64(), 40000);
    EXPECT_EQ(Scalar(int32_t{70000}, i4).ToUint16(), 4464);
    EXPECT_EQ(Scalar(uint16_t{0x3C00}, f2).ToFloat(), 1.0F);
    EXPECT_EQ(Scalar(uint16_t{0x3F80}, bf).ToDouble(), 1.0);
    EXPECT_EQ(Scalar(uint16_t{7}, DataType::DT_UINT16).ToFp16().val, 0x4700);
    EXPECT_EQ(Scalar(true, b1).ToInt32(), 1);
    EXPECT_EQ(Scalar(1e-9F, f4).ToBool(), false); // below epsilon
    EXPECT_EQ(Scalar(1e-9, f8).ToBool(), true);
    EXPECT_EQ(Scalar(std::complex<float>(2, 3), c4).ToComplex128(), std::complex<double>(2, 3));
    EXPECT_EQ(Scalar(std::complex<float>(2, 3), c4).ToFloat(), 0.0F);
    EXPECT_EQ(Scalar(1.5F, f4).ToComplex64(), std::complex<float>(1.5F, 0));
    EXPECT_EQ(Scalar(1.00390625 + 0x1p-40, f8).ToBf16().value, 0x3F80);
    EXPECT_EQ(Scalar(int8_t{5}, i1).Size(), 1U);
}

TEST(OpdevTypes, ScalarOverflows)
{
    EXPECT_TRUE(!Scalar(70000.0, f8).CheckOverflows<float>() && Scalar(70000.0, f8).CheckOverflows<op::fp16_t>());
    EXPECT_TRUE(!Scalar(std::numeric_limits<double>::infinity(), f8).CheckOverflows<op::fp16_t>());
    EXPECT_TRUE(Scalar(std::numeric_limits<double>::infinity(), f8).CheckOverflows<int32_t>());
    EXPECT_TRUE(Scalar(std::nan(""), f8).CheckOverflows<int32_t>() &&
                !Scalar(std::nan(""), f8).CheckOverflows<float>());
    EXPECT_TRUE(Scalar(int64_t{128}, i8).CheckOverflows<int8_t>() &&
                !Scalar(int64_t{-128}, i8).CheckOverflows<int8_t>());
    EXPECT_TRUE(Scalar(int64_t{-129}, i8).CheckOverflows<int8_t>());
    EXPECT_TRUE(!Scalar(int64_t{-255}, i8).CheckOverflows<uint8_t>() &&
                Scalar(int64_t{-256}, i8).CheckOverflows<uint8_t>());
    EXPECT_TRUE(Scalar(uint64_t{1} << 63, DataType::DT_UINT64).CheckOverflows<int64_t>());
    EXPECT_TRUE(!Scalar(true, b1).CheckOverflows<int8_t>());
    EXPECT_TRUE(Scalar(std::complex<double>(1, 1), c8).CheckOverflows<float>());
}

TEST(OpdevTypes, ScalarOfUnsupportedType)
{
    (void)test::LastError();
    int value = 0;
    EXPECT_TRUE(aclCreateScalar(&value, ACL_STRING) == nullptr);
    EXPECT_TRUE(test::LastError().find("EZ1006") != std::string::npos);
    EXPECT_TRUE(aclCreateScalar(nullptr, ACL_FLOAT) == nullptr);
}
