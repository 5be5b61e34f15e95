// Names and sizes of data types and formats, and ge::AscendString.
#include <cstring>

#include "graph/ascend_string.h"
#include "graph/types.h"
#include "graph/utils/type_utils.h"

namespace ge {
namespace {
constexpr uint32_t kStringBytes = 16; // a StringHead

constexpr DataType kTypes[] = {
#define HC_DATA_TYPE(name, value, size, token, kernel) DT_##name,
#include "hostcann/data_types.inc"
#undef HC_DATA_TYPE
    DT_UNDEFINED,
};

// By numeric code, FORMAT_NCHW = 0 to FORMAT_FRACTAL_NZ_C0_8 = 54.
constexpr const char* kFormats[] = {"NCHW",
                                    "NHWC",
                                    "ND",
                                    "NC1HWC0",
                                    "FRACTAL_Z",
                                    "NC1C0HWPAD",
                                    "NHWC1C0",
                                    "FSR_NCHW",
                                    "FRACTAL_DECONV",
                                    "C1HWNC0",
                                    "FRACTAL_DECONV_TRANSPOSE",
                                    "FRACTAL_DECONV_SP_STRIDE_TRANS",
                                    "NC1HWC0_C04",
                                    "FRACTAL_Z_C04",
                                    "CHWN",
                                    "DECONV_SP_STRIDE8_TRANS",
                                    "HWCN",
                                    "NC1KHKWHWC0",
                                    "BN_WEIGHT",
                                    "FILTER_HWCK",
                                    "LOOKUP_LOOKUPS",
                                    "LOOKUP_KEYS",
                                    "LOOKUP_VALUE",
                                    "LOOKUP_OUTPUT",
                                    "LOOKUP_HITS",
                                    "C1HWNCoC0",
                                    "MD",
                                    "NDHWC",
                                    "FRACTAL_ZZ",
                                    "FRACTAL_NZ",
                                    "NCDHW",
                                    "DHWCN",
                                    "NDC1HWC0",
                                    "FRACTAL_Z_3D",
                                    "CN",
                                    "NC",
                                    "DHWNC",
                                    "FRACTAL_Z_3D_TRANSPOSE",
                                    "FRACTAL_ZN_LSTM",
                                    "FRACTAL_Z_G",
                                    "FORMAT_RESERVED",
                                    "ALL",
                                    "NULL",
                                    "ND_RNN_BIAS",
                                    "FRACTAL_ZN_RNN",
                                    "NYUV",
                                    "NYUV_A",
                                    "NCL",
                                    "FRACTAL_Z_WINO",
                                    "C1HWC0",
                                    "FRACTAL_NZ_C0_16",
                                    "FRACTAL_NZ_C0_32",
                                    "FRACTAL_NZ_C0_2",
                                    "FRACTAL_NZ_C0_4",
                                    "FRACTAL_NZ_C0_8"};
constexpr size_t kFormatNum = sizeof(kFormats) / sizeof(kFormats[0]);
static_assert(kFormatNum == FORMAT_END, "one name per format code");
} // namespace

int64_t GetSizeInBytes(int64_t element_count, DataType data_type)
{
    uint32_t size = 0;
    if (element_count < 0 || !TypeUtils::GetDataTypeLength(data_type, size)) {
        return -1;
    }
    const bool bits = size > static_cast<uint32_t>(kDataTypeSizeBitOffset);
    int64_t total = 0;
    if (__builtin_mul_overflow(element_count, bits ? size - kDataTypeSizeBitOffset : size, &total)) {
        return -1;
    }
    return bits ? total / kBitNumOfOneByte + (total % kBitNumOfOneByte != 0 ? 1 : 0) : total;
}

const char_t* GetFormatName(Format format)
{
    const auto code = static_cast<size_t>(format);
    const bool named = code < kFormatNum && format != FORMAT_FRACTAL_ZZ && format != FORMAT_RESERVED &&
                       format != FORMAT_ALL && format != FORMAT_NULL;
    return named ? kFormats[code] : "UNKNOWN";
}

std::string TypeUtils::DataTypeToSerialString(const DataType data_type)
{
    if (data_type == DT_BF16) {
        return "DT_BFLOAT16"; // its name in the table is that of the enumerator
    }
    switch (data_type) {
        case DT_UNDEFINED:
            return "DT_UNDEFINED";
#define HC_DATA_TYPE(name, value, size, token, kernel) \
    case DT_##name:                                    \
        return "DT_" #name;
#include "hostcann/data_types.inc"
#undef HC_DATA_TYPE
        default:
            return "UNDEFINED";
    }
}

DataType TypeUtils::SerialStringToDataType(const std::string& str)
{
    for (const DataType type : kTypes) {
        if (str == DataTypeToSerialString(type)) {
            return type;
        }
    }
    return DT_UNDEFINED;
}

std::string TypeUtils::FormatToSerialString(const Format format)
{
    const auto code = static_cast<size_t>(GetPrimaryFormat(static_cast<int32_t>(format)));
    return code < kFormatNum ? kFormats[code] : "RESERVED";
}

Format TypeUtils::SerialStringToFormat(const std::string& str)
{
    for (size_t code = 0; code < kFormatNum; ++code) {
        if (str == kFormats[code]) {
            return static_cast<Format>(code);
        }
    }
    return FORMAT_RESERVED;
}

Format TypeUtils::DataFormatToFormat(const std::string& str) { return SerialStringToFormat(str); }

bool TypeUtils::GetDataTypeLength(const ge::DataType data_type, uint32_t& length)
{
    if (data_type == DT_STRING || data_type == DT_STRING_REF) {
        length = kStringBytes;
        return true;
    }
    const int size = GetSizeByDataType(data_type);
    if (size <= 0) {
        return false;
    }
    length = static_cast<uint32_t>(size);
    return true;
}

AscendString TypeUtils::DataTypeToAscendString(const DataType& data_type)
{
    return AscendString(DataTypeToSerialString(data_type).c_str());
}
DataType TypeUtils::AscendStringToDataType(const AscendString& str) { return SerialStringToDataType(str.GetString()); }
AscendString TypeUtils::FormatToAscendString(const Format& format)
{
    return AscendString(FormatToSerialString(format).c_str());
}
Format TypeUtils::AscendStringToFormat(const AscendString& str) { return SerialStringToFormat(str.GetString()); }
Format TypeUtils::DataFormatToFormat(const AscendString& str) { return SerialStringToFormat(str.GetString()); }

AscendString::AscendString(const char_t* const name)
    : name_(name == nullptr ? nullptr : std::make_shared<std::string>(name))
{
}
AscendString::AscendString(const char_t* const name, size_t length)
    : name_(name == nullptr ? nullptr : std::make_shared<std::string>(name, length))
{
}

const char_t* AscendString::GetString() const { return name_ == nullptr ? "" : name_->c_str(); }
size_t AscendString::GetLength() const { return name_ == nullptr ? 0U : name_->length(); }
size_t AscendString::Find(const AscendString& ascend_string) const
{
    return name_ == nullptr || ascend_string.name_ == nullptr ? std::string::npos : name_->find(*ascend_string.name_);
}
size_t AscendString::Hash() const { return std::hash<std::string>()(name_ == nullptr ? std::string() : *name_); }

// Nothing and "" compare equal.
bool AscendString::operator<(const AscendString& d) const { return std::strcmp(GetString(), d.GetString()) < 0; }
bool AscendString::operator>(const AscendString& d) const { return d < *this; }
bool AscendString::operator<=(const AscendString& d) const { return !(d < *this); }
bool AscendString::operator>=(const AscendString& d) const { return !(*this < d); }
bool AscendString::operator==(const AscendString& d) const { return std::strcmp(GetString(), d.GetString()) == 0; }
bool AscendString::operator!=(const AscendString& d) const { return !(*this == d); }
bool AscendString::operator==(const char_t* const d) const
{
    return d == nullptr ? name_ == nullptr : std::strcmp(GetString(), d) == 0;
}
bool AscendString::operator!=(const char_t* const d) const { return !(*this == d); }
} // namespace ge
