// aclScalar and its conversions.
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

#include "opdev/common_types.h"
#include "opdev/data_type_utils.h"
#include "opdev/op_log.h"

namespace {

template <typename T>
struct IsComplex : std::false_type {};
template <typename T>
struct IsComplex<std::complex<T>> : std::true_type {};

template <typename T>
struct Component {
    using type = T;
};
template <typename T>
struct Component<std::complex<T>> {
    using type = T;
};

bool IsHoldable(op::DataType dataType)
{
    switch (dataType) {
        case op::DataType::DT_BOOL:
        case op::DataType::DT_FLOAT:
        case op::DataType::DT_DOUBLE:
        case op::DataType::DT_FLOAT16:
        case op::DataType::DT_BF16:
        case op::DataType::DT_COMPLEX64:
        case op::DataType::DT_COMPLEX128:
            return true;
        default:
            return op::IsIntegralType(dataType);
    }
}

template <typename T>
constexpr bool kIsSixteenBitFloat = std::is_same_v<T, op::fp16_t> || std::is_same_v<T, op::bfloat16>;

// `from` is bool, an integer, float, double or complex.
template <typename To, typename From>
To Convert(From from)
{
    if constexpr (IsComplex<From>::value) {
        if constexpr (IsComplex<To>::value) {
            return static_cast<To>(from);
        } else {
            OP_LOGW("a complex scalar has no real value; 0 is used");
            return To{};
        }
    } else if constexpr (std::is_same_v<To, bool> && std::is_floating_point_v<From>) {
        return std::abs(from) >= std::numeric_limits<From>::epsilon();
    } else if constexpr (IsComplex<To>::value) {
        return To(static_cast<typename To::value_type>(from));
    } else if constexpr (std::is_same_v<To, op::fp16_t> && std::is_integral_v<From>) {
        return To(static_cast<double>(from)); // fp16_t(uint16_t) would take the value as bits
    } else {
        return static_cast<To>(from);
    }
}

// Negative integers may wrap into unsigned types.
template <typename To, typename From>
bool Overflows(From from)
{
    using Limits = std::numeric_limits<typename Component<To>::type>;
    if constexpr (IsComplex<From>::value) {
        if constexpr (IsComplex<To>::value) {
            return Overflows<To>(from.real()) || Overflows<To>(from.imag());
        } else {
            return from.imag() != 0 || Overflows<To>(from.real());
        }
    } else if constexpr (std::is_same_v<From, bool>) {
        return false;
    } else if constexpr (std::is_integral_v<From>) {
        if constexpr (std::is_integral_v<typename Component<To>::type>) {
            const bool negative = from < 0;
            const uint64_t magnitude = negative ? uint64_t{0} - static_cast<uint64_t>(from) :
                                                  static_cast<uint64_t>(from);
            const uint64_t room = static_cast<uint64_t>(Limits::max());
            return magnitude > room + (negative && Limits::is_signed ? 1U : 0U);
        } else {
            const double value = static_cast<double>(from);
            return value < static_cast<double>(Limits::lowest()) || value > static_cast<double>(Limits::max());
        }
    } else {
        if (Limits::has_infinity && std::isinf(from)) {
            return false;
        }
        if (std::isnan(from)) {
            return !Limits::has_quiet_NaN;
        }
        return from < static_cast<From>(Limits::lowest()) || from > static_cast<From>(Limits::max());
    }
}

} // namespace

aclScalar::aclScalar(const void* data, op::DataType dataType) : dataType_(dataType)
{
    if (!IsHoldable(dataType)) {
        op::internal::ReportCoded("EZ1006", ACLNN_ERR_PARAM_INVALID,
                                  std::string("a scalar cannot have data type ") + op::ToString(dataType).GetString() +
                                      "; expected bool, an integer, float, double, float16, bfloat16, complex64 or "
                                      "complex128");
        throw std::invalid_argument("data type of a scalar");
    }
    std::memcpy(static_cast<void*>(&value_), data, op::TypeSize(dataType));
}

uint64_t aclScalar::Size() const { return op::TypeSize(dataType_); }

template <typename T>
T aclScalar::To() const
{
    switch (dataType_) {
        case op::DataType::DT_FLOAT:
            return Convert<T>(value_.f);
        case op::DataType::DT_DOUBLE:
            return Convert<T>(value_.d);
        case op::DataType::DT_FLOAT16:
            return Convert<T>(op::HalfBitsToFloat(value_.u16));
        case op::DataType::DT_BF16:
            return Convert<T>(op::Bfloat16BitsToFloat(value_.u16));
        case op::DataType::DT_INT8:
            return Convert<T>(value_.i8);
        case op::DataType::DT_INT16:
            return Convert<T>(value_.i16);
        case op::DataType::DT_INT32:
            return Convert<T>(value_.i32);
        case op::DataType::DT_INT64:
            return Convert<T>(value_.i64);
        case op::DataType::DT_UINT8:
            return Convert<T>(value_.u8);
        case op::DataType::DT_UINT16:
            return Convert<T>(value_.u16);
        case op::DataType::DT_UINT32:
            return Convert<T>(value_.u32);
        case op::DataType::DT_UINT64:
            return Convert<T>(value_.u64);
        case op::DataType::DT_BOOL:
            return Convert<T>(static_cast<int32_t>(value_.i8));
        case op::DataType::DT_COMPLEX64:
            return Convert<T>(value_.c64);
        default:
            return Convert<T>(value_.c128);
    }
}

bool aclScalar::ToBool() const { return To<bool>(); }
int8_t aclScalar::ToInt8() const { return To<int8_t>(); }
int16_t aclScalar::ToInt16() const { return To<int16_t>(); }
int32_t aclScalar::ToInt32() const { return To<int32_t>(); }
int64_t aclScalar::ToInt64() const { return To<int64_t>(); }
uint8_t aclScalar::ToUint8() const { return To<uint8_t>(); }
uint16_t aclScalar::ToUint16() const { return static_cast<uint16_t>(To<int16_t>()); }
uint32_t aclScalar::ToUint32() const { return To<uint32_t>(); }
uint64_t aclScalar::ToUint64() const { return To<uint64_t>(); }
float aclScalar::ToFloat() const { return To<float>(); }
double aclScalar::ToDouble() const { return To<double>(); }
op::fp16_t aclScalar::ToFp16() const { return To<op::fp16_t>(); }
op::bfloat16 aclScalar::ToBf16() const { return To<op::bfloat16>(); }
std::complex<float> aclScalar::ToComplex64() const { return To<std::complex<float>>(); }
std::complex<double> aclScalar::ToComplex128() const { return To<std::complex<double>>(); }

ge::AscendString aclScalar::ToString() const
{
    std::ostringstream text;
    text << "aclScalar(data_type = " << op::ToString(dataType_).GetString() << ", value = ";
    if (op::IsComplexType(dataType_)) {
        text << ToComplex128();
    } else if (dataType_ == op::DataType::DT_UINT64) {
        text << value_.u64;
    } else if (op::IsFloatingType(dataType_)) {
        text << ToDouble();
    } else {
        text << ToInt64();
    }
    text << ")";
    return ge::AscendString(text.str().c_str());
}

template <typename T>
bool aclScalar::CheckOverflows() const
{
    switch (dataType_) {
        case op::DataType::DT_FLOAT:
        case op::DataType::DT_FLOAT16:
        case op::DataType::DT_BF16:
            return Overflows<T>(ToFloat());
        case op::DataType::DT_DOUBLE:
            return Overflows<T>(value_.d);
        case op::DataType::DT_BOOL:
            return Overflows<T>(ToBool());
        case op::DataType::DT_UINT64:
            return Overflows<T>(value_.u64);
        case op::DataType::DT_COMPLEX64:
        case op::DataType::DT_COMPLEX128:
            return Overflows<T>(ToComplex128());
        default:
            return Overflows<T>(ToInt64());
    }
}

template bool aclScalar::CheckOverflows<bool>() const;
template bool aclScalar::CheckOverflows<int8_t>() const;
template bool aclScalar::CheckOverflows<uint8_t>() const;
template bool aclScalar::CheckOverflows<int16_t>() const;
template bool aclScalar::CheckOverflows<uint16_t>() const;
template bool aclScalar::CheckOverflows<int32_t>() const;
template bool aclScalar::CheckOverflows<uint32_t>() const;
template bool aclScalar::CheckOverflows<int64_t>() const;
template bool aclScalar::CheckOverflows<uint64_t>() const;
template bool aclScalar::CheckOverflows<op::fp16_t>() const;
template bool aclScalar::CheckOverflows<op::bfloat16>() const;
template bool aclScalar::CheckOverflows<float>() const;
template bool aclScalar::CheckOverflows<double>() const;
template bool aclScalar::CheckOverflows<std::complex<float>>() const;
template bool aclScalar::CheckOverflows<std::complex<double>>() const;
