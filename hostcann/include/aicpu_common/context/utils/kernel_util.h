// Checks and small helpers of AI CPU kernels.
#ifndef HOSTCANN_AICPU_KERNEL_UTIL_H
#define HOSTCANN_AICPU_KERNEL_UTIL_H

#include <algorithm>
#include <climits>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "cpu_context.h"
#include "log.h"
#include "status.h"

// The toolkit has no Eigen of its own.
#if __has_include("unsupported/Eigen/CXX11/Tensor")
#include "unsupported/Eigen/CXX11/Tensor"
#endif

namespace aicpu {

constexpr uint32_t kResvCpuNum = 2;
constexpr uint32_t kThreadNum = 32;
constexpr uint32_t kFirstInputIndex = 0;
constexpr uint32_t kSecondInputIndex = 1;
constexpr uint32_t kThirdInputIndex = 2;
constexpr uint32_t kFourthInputIndex = 3;
constexpr uint32_t kFifthInputIndex = 4;
constexpr uint32_t kSixthInputIndex = 5;
constexpr uint32_t kSeventhInputIndex = 6;
constexpr uint32_t kEighthInputIndex = 7;
constexpr uint32_t kNinthInputIndex = 8;
constexpr uint32_t kTenthInputIndex = 9;
constexpr uint32_t kEleventhInputIndex = 10;
constexpr uint32_t kTwelfthInputIndex = 11;
constexpr uint32_t kFirstOutputIndex = 0;
constexpr uint32_t kSecondOutputIndex = 1;
constexpr uint32_t kThirdOutputIndex = 2;
// For NormalCheck: any number of them.
constexpr int32_t kDynamicInput = -1;
constexpr int32_t kDynamicOutput = -2;
constexpr uint64_t kEigenAlignmentBytes = 16;
constexpr uint64_t kFormatNCHWIndexN = 0;
constexpr uint64_t kFormatNCHWIndexC = 1;
constexpr uint64_t kFormatNCHWIndexH = 2;
constexpr uint64_t kFormatNCHWIndexW = 3;
constexpr uint64_t kFormatCHWIndexC = 0;
constexpr uint64_t kFormatCHWIndexH = 1;
constexpr uint64_t kFormatCHWIndexW = 2;
constexpr uint64_t kFormatNHWCIndexN = 0;
constexpr uint64_t kFormatNHWCIndexH = 1;
constexpr uint64_t kFormatNHWCIndexW = 2;
constexpr uint64_t kFormatNHWCIndexC = 3;
constexpr uint64_t kFormatHWCIndexH = 0;
constexpr uint64_t kFormatHWCIndexW = 1;
constexpr uint64_t kFormatHWCIndexC = 2;
constexpr size_t INPUT_NUM0 = 0;
constexpr size_t INPUT_NUM1 = 1;
constexpr size_t INPUT_NUM2 = 2;
constexpr size_t INPUT_NUM3 = 3;
constexpr size_t INPUT_NUM4 = 4;
constexpr size_t INPUT_NUM5 = 5;
constexpr size_t INPUT_NUM6 = 6;
constexpr size_t INPUT_NUM7 = 7;
constexpr size_t INPUT_NUM8 = 8;
constexpr size_t INPUT_NUM9 = 9;
constexpr size_t INPUT_NUM32 = 32;
constexpr int kRank1 = 1;
constexpr int kRank2 = 2;
constexpr int kRank3 = 3;
constexpr int kRank4 = 4;
constexpr int kRank5 = 5;
constexpr int kRank6 = 6;
constexpr int kRank7 = 7;
constexpr int kRank8 = 8;

template <typename... Ts>
std::string ConcatString(Ts... args)
{
    std::ostringstream text;
    (void)(text << ... << args);
    return text.str();
}

template <typename T>
std::string VectorToString(const std::vector<T>& values)
{
    std::ostringstream text;
    for (size_t i = 0; i < values.size(); ++i) {
        text << (i == 0 ? "" : ", ") << values[i];
    }
    return text.str();
}

template <typename T>
std::string FmtToStr(const T& value)
{
    return ConcatString('[', value, ']');
}

// Whether the result is that of the whole numbers.
inline bool MulWithoutOverflow(const int64_t x, const int64_t y, int64_t& xy)
{
    return !__builtin_mul_overflow(x, y, &xy);
}
inline bool AddWithoutOverflow(const int64_t x, const int64_t y, int64_t& sum)
{
    return !__builtin_add_overflow(x, y, &sum);
}
template <typename T>
bool ProductFits(T a, T b)
{
    T product;
    return !__builtin_mul_overflow(a, b, &product);
}
inline bool CheckUint32MulOverflow(const uint32_t a, const uint32_t b) { return ProductFits(a, b); }
inline bool CheckInt32MulOverflow(const int32_t a, const int32_t b) { return ProductFits(a, b); }
inline bool CheckUint64MulOverflow(const uint64_t a, const uint64_t b) { return ProductFits(a, b); }
inline bool CheckInt64MulOverflow(const int64_t a, const int64_t b) { return ProductFits(a, b); }

template <typename From, typename To>
To* PtrToPtr(From* const pointer)
{
    return reinterpret_cast<To*>(pointer);
}

// As many inputs (or more: optional ones) and outputs as the kernel wants, all with data, and its attributes.
AICPU_VISIBILITY uint32_t NormalCheck(CpuKernelContext& ctx, const uint32_t inputs_num, const uint32_t outputs_num);
AICPU_VISIBILITY uint32_t NormalCheck(CpuKernelContext& ctx, const uint32_t inputs_num, const uint32_t outputs_num,
                                      const std::vector<std::string>& attr_names);
// Two inputs of one data type and an output.
AICPU_VISIBILITY uint32_t NormalMathCheck(CpuKernelContext& ctx);
AICPU_VISIBILITY bool IsEmptyTensor(Tensor* tensor);
AICPU_VISIBILITY bool IsScalar(const std::vector<int64_t>& shape);
AICPU_VISIBILITY bool IsVector(const std::vector<int64_t>& shape);
AICPU_VISIBILITY bool IsMatrix(const std::vector<int64_t>& shape);
AICPU_VISIBILITY bool IsVectorOrHigher(const std::vector<int64_t>& shape);
AICPU_VISIBILITY bool IsSquareMatrix(const std::vector<int64_t>& shape);
AICPU_VISIBILITY bool AddrAlignedCheck(const void* addr, uint64_t alignment = kEigenAlignmentBytes);
AICPU_VISIBILITY DataType DType(std::string dtype_str);
AICPU_VISIBILITY std::string DTypeStr(DataType dtype);
// "NCHW" for FORMAT_NCHW; the number of a format without a name.
AICPU_VISIBILITY std::string FormatToSerialString(Format format);
AICPU_VISIBILITY bool BiggerMemCpy(void* dst_addr, const std::size_t dst_len, const void* src_addr,
                                   const std::size_t src_len);
AICPU_VISIBILITY bool BiggerMemSet(void* dst_addr, const std::size_t dst_len, const int c, const std::size_t count);
AICPU_VISIBILITY int64_t CeilMultiple(const int64_t x, const int64_t base);

// A format is its number in the lowest byte and a sub-format, such as a number of groups, in the two above it.
inline int32_t GetPrimaryFormat(int32_t format) { return static_cast<int32_t>(static_cast<uint32_t>(format) & 0xffU); }
inline int32_t GetSubFormat(int32_t format)
{
    return static_cast<int32_t>(static_cast<uint32_t>(format) >> 8U & 0xffffU);
}
inline bool HasSubFormat(int32_t format) { return GetSubFormat(format) > 0; }

inline bool IsNanVal(float value) { return std::isnan(value); }
inline bool IsNanVal(double value) { return std::isnan(value); }
template <typename T>
bool IsNanVal(const std::complex<T>& value)
{
    return std::isnan(value.real()) || std::isnan(value.imag());
}
template <typename T, typename = std::enable_if_t<std::is_integral<T>::value>>
bool IsNanVal(T)
{
    return false;
}

// Whole numbers are equal or not; floating-point numbers may differ by a part of the larger one.
template <typename T>
bool IsValueEqual(T a, T b)
{
    if constexpr (std::is_same<T, float>::value || std::is_same<T, double>::value) {
        const T part = std::is_same<T, float>::value ? T(1e-5F) : T(1e-9);
        return std::abs(a - b) <= part * std::max(std::abs(a), std::abs(b));
    }
    return a == b;
}

#ifdef EIGEN_CXX11_TENSOR_TENSOR_H
template <>
inline bool IsValueEqual<Eigen::half>(Eigen::half a, Eigen::half b)
{
    const float x = static_cast<float>(a);
    const float y = static_cast<float>(b);
    return std::abs(x - y) <= 1e-3F * std::max(std::abs(x), std::abs(y));
}
inline bool IsNanVal(Eigen::half value) { return std::isnan(static_cast<float>(value)); }
#endif

} // namespace aicpu

#endif // HOSTCANN_AICPU_KERNEL_UTIL_H
