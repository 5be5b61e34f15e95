/**
 * Copyright (c) 2026 The Fmod operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>
#include <gtest/gtest.h>
#include "tikicpulib.h"
#include "../../../op_host/fmod_tiling_rules.h"
#include "../../../op_kernel/fmod_tiling_data.h"

using TestUtDefaultTilingStruct = FmodTilingData;

// The entry takes its data type from a macro: one copy of it for each, in a namespace of its own.
#include "../../../op_kernel/fmod.h"
#undef DTYPE_X1
#define DTYPE_X1 float
namespace FmodFloat {
#include "../../../op_kernel/fmod.cpp"
}
#undef DTYPE_X1
#define DTYPE_X1 half
namespace FmodHalf {
#include "../../../op_kernel/fmod.cpp"
}
#undef DTYPE_X1
#define DTYPE_X1 bfloat16_t
namespace FmodBrain {
#include "../../../op_kernel/fmod.cpp"
}
#undef DTYPE_X1
#define DTYPE_X1 int16_t
namespace FmodInt16 {
#include "../../../op_kernel/fmod.cpp"
}
#undef DTYPE_X1
#define DTYPE_X1 int32_t
namespace FmodInt32 {
#include "../../../op_kernel/fmod.cpp"
}
#undef DTYPE_X1
#define DTYPE_X1 int8_t
namespace FmodInt8 {
#include "../../../op_kernel/fmod.cpp"
}
#undef DTYPE_X1
#define DTYPE_X1 uint8_t
namespace FmodUint8 {
#include "../../../op_kernel/fmod.cpp"
}

namespace {
using Kernel = void (*)(GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR);
using Values = std::vector<double>; // holds every value of every data type
constexpr uint32_t TBE = FMOD_PRECISION_TBE;
constexpr uint32_t EXACT = FMOD_PRECISION_EXACT;

// One data type: how its values lie in memory, and its kernels by precision and mode.
struct Type {
    const char* name;
    size_t bytes;
    FmodFormula computes[2]; // by precision
    bool isHalf;
    double (*load)(const uint8_t* from);
    void (*store)(double value, uint8_t* to);
    Kernel kernels[2][5];

    bool IsFloating() const { return computes[TBE] != computes[EXACT]; }
};

template <typename T>
double Load(const uint8_t* from)
{
    T value;
    std::memcpy(&value, from, sizeof(value));
    return static_cast<double>(value);
}

template <typename T>
void Store(double value, uint8_t* to)
{
    const T narrow = static_cast<T>(value);
    std::memcpy(to, &narrow, sizeof(narrow));
}

double HalfOfBits(uint32_t bits)
{
    const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
    const int exponent = static_cast<int>((bits >> 10) & 0x1FU);
    const double mantissa = bits & 0x3FFU;
    if (exponent == 31) {
        return mantissa == 0 ? sign * INFINITY : NAN;
    }
    return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25));
}

double BrainOfBits(uint32_t bits)
{
    const uint32_t wide = bits << 16;
    float value = 0.0f;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
}

template <double (*OF_BITS)(uint32_t)>
double LoadShort(const uint8_t* from)
{
    uint16_t bits = 0;
    std::memcpy(&bits, from, sizeof(bits));
    return OF_BITS(bits);
}

// For values that the type can hold. Its non-negative patterns are in the order of their values, infinity is the last
// before NaN.
template <double (*OF_BITS)(uint32_t), uint32_t INFINITY_BITS>
void StoreShort(double value, uint8_t* to)
{
    uint32_t low = 0;
    uint32_t high = INFINITY_BITS;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (OF_BITS(middle) < std::fabs(value)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const uint32_t magnitude = std::isnan(value) ? INFINITY_BITS + 1 : low;
    const uint16_t bits = static_cast<uint16_t>(magnitude + (std::signbit(value) ? 0x8000 : 0));
    std::memcpy(to, &bits, sizeof(bits));
}

#define FMOD_KERNELS_OF(space)                                                                              \
    {                                                                                                       \
        {&space::fmod<0, TBE>, &space::fmod<1, TBE>, &space::fmod<2, TBE>, &space::fmod<3, TBE>,            \
         &space::fmod<4, TBE>},                                                                             \
        {                                                                                                   \
            &space::fmod<0, EXACT>, &space::fmod<1, EXACT>, &space::fmod<2, EXACT>, &space::fmod<3, EXACT>, \
                &space::fmod<4, EXACT>                                                                      \
        }                                                                                                   \
    }

const Type FLOAT = {"float",
                    4,
                    {FmodFormula::FLOAT, FmodFormula::FLOAT_EXACT},
                    false,
                    Load<float>,
                    Store<float>,
                    FMOD_KERNELS_OF(FmodFloat)};
const Type HALF = {"half",
                   2,
                   {FmodFormula::FLOAT16, FmodFormula::FLOAT16_EXACT},
                   true,
                   LoadShort<HalfOfBits>,
                   StoreShort<HalfOfBits, 0x7C00>,
                   FMOD_KERNELS_OF(FmodHalf)};
const Type BRAIN = {"bfloat16",
                    2,
                    {FmodFormula::FLOAT16, FmodFormula::FLOAT16_EXACT},
                    false,
                    LoadShort<BrainOfBits>,
                    StoreShort<BrainOfBits, 0x7F80>,
                    FMOD_KERNELS_OF(FmodBrain)};
const Type INT16 = {"int16",
                    2,
                    {FmodFormula::INT16, FmodFormula::INT16},
                    false,
                    Load<int16_t>,
                    Store<int16_t>,
                    FMOD_KERNELS_OF(FmodInt16)};
const Type INT32 = {"int32",
                    4,
                    {FmodFormula::INT32, FmodFormula::INT32},
                    false,
                    Load<int32_t>,
                    Store<int32_t>,
                    FMOD_KERNELS_OF(FmodInt32)};
const Type INT8 = {
    "int8", 1, {FmodFormula::INT8, FmodFormula::INT8}, false, Load<int8_t>, Store<int8_t>, FMOD_KERNELS_OF(FmodInt8)};
const Type UINT8 = {"uint8",
                    1,
                    {FmodFormula::INT8, FmodFormula::INT8},
                    false,
                    Load<uint8_t>,
                    Store<uint8_t>,
                    FMOD_KERNELS_OF(FmodUint8)};
const Type* const TYPES[] = {&FLOAT, &HALF, &BRAIN, &INT16, &INT32, &INT8, &UINT8};

// GM, with a guard behind its end that no kernel may touch.
class Gm {
public:
    Gm(size_t count, const Type& type) : type_(type), bytes_(count * type.bytes)
    {
        data_ = static_cast<uint8_t*>(AscendC::GmAlloc(bytes_ + GUARD));
        std::memset(data_, FILL, bytes_ + GUARD);
    }
    Gm(const Values& values, const Type& type) : Gm(values.size(), type)
    {
        for (size_t i = 0; i < values.size(); i++) {
            type.store(values[i], data_ + i * type.bytes);
        }
    }
    Gm(const Gm&) = delete;
    Gm& operator=(const Gm&) = delete;
    ~Gm() { AscendC::GmFree(data_); }

    GM_ADDR Address() const { return data_; }
    double At(size_t index) const { return type_.load(data_ + index * type_.bytes); }
    bool IsUntouched(size_t index) const
    {
        for (size_t i = 0; i < type_.bytes; i++) {
            if (data_[index * type_.bytes + i] != FILL) {
                return false;
            }
        }
        return true;
    }
    bool IsGuardWhole() const
    {
        for (size_t i = 0; i < GUARD; i++) {
            if (data_[bytes_ + i] != FILL) {
                return false;
            }
        }
        return true;
    }

private:
    static constexpr size_t GUARD = 64;
    static constexpr uint8_t FILL = 0xA5;
    const Type& type_;
    size_t bytes_;
    uint8_t* data_ = nullptr;
};

uint64_t g_random = 0;

uint32_t NextRandom()
{
    g_random = g_random * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<uint32_t>(g_random >> 32);
}

// Every bit pattern that is a number.
Values AnyNumbers(const Type& type, size_t count)
{
    Values values;
    while (values.size() < count) {
        const uint32_t bits = NextRandom();
        uint8_t raw[sizeof(bits)];
        std::memcpy(raw, &bits, sizeof(bits));
        const double value = type.load(raw);
        if (std::isfinite(value)) {
            values.push_back(value);
        }
    }
    return values;
}

Values Divisors(const Type& type, size_t count)
{
    Values values = AnyNumbers(type, count);
    values[0] = 0;
    return values;
}

// The steps of the built-in operator, each rounded to float; its cast from float to float makes +0 of -0. The result of
// 16-bit operands is a number of their type: a multiple of the last bit of x2 or, where the product was rounded, of the
// product, and not larger than the one or a few of the other.
double TbeSteps(float x1, float x2)
{
    const float quotient = x1 / x2;
    const float truncated = std::trunc(quotient) + 0.0f;
    const float product = truncated * x2;
    return x1 - product;
}

double Expected(const Type& type, uint32_t precision, double x1, double x2)
{
    if (type.IsFloating()) {
        const float dividend = static_cast<float>(x1);
        const float divisor = static_cast<float>(x2);
        return precision == TBE ? TbeSteps(dividend, divisor) : std::fmod(dividend, divisor);
    }
    const int64_t divisor = static_cast<int64_t>(x2);
    return divisor == 0 ? 0.0 : static_cast<double>(static_cast<int64_t>(x1) % divisor);
}

bool IsSame(double a, double b)
{
    if (std::isnan(a) || std::isnan(b)) {
        return std::isnan(a) && std::isnan(b);
    }
    return a == b && std::signbit(a) == std::signbit(b);
}

void FillScalar(const Type& type, uint32_t precision, double divisor, FmodTilingData& tiling)
{
    tiling.scalar = optiling::MakeScalar(type.computes[precision], type.isHalf, static_cast<float>(divisor),
                                         static_cast<int64_t>(type.IsFloating() ? 0 : divisor));
}

void FillShare(int64_t totalLength, const optiling::FmodSplit& split, FmodTilingData& tiling)
{
    tiling.totalLength = totalLength;
    tiling.formerNum = static_cast<int32_t>(split.formerNum);
    tiling.formerLength = split.formerLength;
    tiling.tailLength = split.tailLength;
}

void Launch(const Type& type, uint32_t mode, uint32_t precision, int64_t blocks, const FmodTilingData& tiling,
            GM_ADDR x1, GM_ADDR x2, GM_ADDR y)
{
    auto* data = static_cast<uint8_t*>(AscendC::GmAlloc(sizeof(tiling)));
    auto* workspace = static_cast<uint8_t*>(AscendC::GmAlloc(32));
    std::memcpy(data, &tiling, sizeof(tiling));
    auto kernel = type.kernels[precision][mode];
    ICPU_SET_TILING_KEY(precision * 256 + mode);
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(kernel, static_cast<uint32_t>(blocks), x1, x2, y, workspace, data);
    AscendC::GmFree(workspace);
    AscendC::GmFree(data);
}

// Contiguous tensors on three cores, tiles of 512 elements. Mode 0 takes the divisor x2[0].
void CheckContiguous(const Type& type, uint32_t mode, uint32_t precision, const Values& x1, const Values& x2)
{
    SCOPED_TRACE(std::string(type.name) + " precision " + std::to_string(precision) + " mode " + std::to_string(mode) +
                 " length " + std::to_string(x1.size()));
    const bool isScalar = mode == FMOD_MODE_SCALAR;
    const int64_t length = static_cast<int64_t>(x1.size());
    const auto split = optiling::SplitFmod(length, static_cast<int64_t>(32 / type.bytes), length < 64 ? 1 : 3);
    FmodTilingData tiling = {};
    FillShare(length, split, tiling);
    tiling.tileLength = 512;
    FillScalar(type, precision, isScalar ? x2[0] : 0.0, tiling);
    const Gm gm1(x1, type);
    const Gm gm2(x2, type);
    const Gm gmY(x1.size(), type);
    Launch(type, mode, precision, split.coreNum, tiling, gm1.Address(), isScalar ? nullptr : gm2.Address(),
           gmY.Address());
    for (size_t i = 0; i < x1.size(); i++) {
        const double divisor = x2[isScalar ? 0 : i];
        ASSERT_TRUE(IsSame(gmY.At(i), Expected(type, precision, x1[i], divisor)))
            << i << ": fmod(" << x1[i] << ", " << divisor << ") gave " << gmY.At(i);
    }
    EXPECT_TRUE(gmY.IsGuardWhole());
}

struct Strides {
    int64_t row;
    int64_t column;
};

// Rows and columns of strided tensors on two cores, tiles of rowTile rows. Mode 3 takes the divisor x2[0].
struct RowsCase {
    int64_t rows;
    int64_t columns;
    Strides x1;
    Strides x2;
    Strides y;
    int64_t rowTile = 8;
    bool columnsFirst = false;
    int64_t colTile = 64;

    size_t Length(const Strides& strides) const
    {
        return static_cast<size_t>((rows - 1) * strides.row + (columns - 1) * strides.column + 1);
    }
};

FmodForm FormOf(const Strides& strides)
{
    if (strides.column != 0) {
        return strides.row != 0 ? FmodForm::TILE : FmodForm::ROW;
    }
    return strides.row != 0 ? FmodForm::COLUMN : FmodForm::VALUE;
}

void FillRows(const RowsCase& shape, FmodTilingData& tiling)
{
    for (uint32_t axis = 0; axis < FMOD_MAX_DIM; axis++) {
        tiling.dims[axis] = 1;
    }
    const uint32_t row = FMOD_ROW_AXIS;
    tiling.dims[row] = shape.rows;
    tiling.dims[FMOD_COLUMN_AXIS] = shape.columns;
    tiling.x1Stride[row] = shape.x1.row;
    tiling.x2Stride[row] = shape.x2.row;
    tiling.yStride[row] = shape.y.row;
    tiling.x1Form = FormOf(shape.x1);
    tiling.x2Form = FormOf(shape.x2);
    tiling.rowTile = static_cast<int32_t>(shape.rowTile);
    tiling.colTile = static_cast<int32_t>(shape.colTile);
    tiling.columnsFirst = shape.columnsFirst ? 1 : 0;
    // A row takes a block of any type at least.
    tiling.tileLength = static_cast<int32_t>(optiling::FmodCeilAlign(shape.rowTile, 8) *
                                             (shape.colTile == 64 ? 128 : shape.colTile));
    // A row of 64 elements, or more for each row than FMOD_SHORT_VALUE_BYTES.
    tiling.x1ShortBytes = static_cast<int32_t>(optiling::FmodCeilAlign(shape.rowTile, 8) * 64);
    tiling.x2ShortBytes = tiling.x1ShortBytes;
}

void CheckRows(const Type& type, uint32_t mode, uint32_t precision, const RowsCase& shape)
{
    SCOPED_TRACE(std::string(type.name) + " precision " + std::to_string(precision) + " mode " + std::to_string(mode));
    const bool isScalar = mode == FMOD_MODE_SCALAR_STRIDED;
    const Values x1 = AnyNumbers(type, shape.Length(shape.x1));
    const Values x2 = Divisors(type, isScalar ? 2 : shape.Length(shape.x2));
    const double scalar = x2.back();
    FmodTilingData tiling = {};
    FillRows(shape, tiling);
    FillScalar(type, precision, isScalar ? scalar : 0.0, tiling);
    const int64_t tiles = optiling::FmodCeilDiv(shape.rows, shape.rowTile) *
                          optiling::FmodCeilDiv(shape.columns, shape.colTile);
    const auto split = optiling::SplitFmod(tiles, 1, 2);
    FillShare(tiles, split, tiling);
    const Gm gm1(x1, type);
    const Gm gm2(x2, type);
    const Gm gmY(shape.Length(shape.y), type);
    Launch(type, mode, precision, split.coreNum, tiling, gm1.Address(), isScalar ? nullptr : gm2.Address(),
           gmY.Address());
    size_t next = 0; // place in y
    for (int64_t row = 0; row < shape.rows; row++) {
        for (int64_t column = 0; column < shape.columns; column++) {
            const auto at = [&](const Strides& strides) {
                return static_cast<size_t>(row * strides.row + column * strides.column);
            };
            const double divisor = isScalar ? scalar : x2[at(shape.x2)];
            const size_t place = at(shape.y);
            ASSERT_TRUE(IsSame(gmY.At(place), Expected(type, precision, x1[at(shape.x1)], divisor)))
                << "row " << row << " column " << column << ": fmod(" << x1[at(shape.x1)] << ", " << divisor
                << ") gave " << gmY.At(place);
            for (; next < place; next++) {
                ASSERT_TRUE(gmY.IsUntouched(next)) << "hole at " << next;
            }
            next = place + 1;
        }
    }
    EXPECT_TRUE(gmY.IsGuardWhole());
}

void CheckEveryType(uint32_t mode, const RowsCase& shape)
{
    for (const Type* type : TYPES) {
        CheckRows(*type, mode, TBE, shape);
        CheckRows(*type, mode, EXACT, shape);
    }
}
} // namespace

class FmodKernelTest : public testing::Test {
protected:
    void SetUp() override { g_random = 20260721; } // the same values whatever else runs
};

TEST_F(FmodKernelTest, scalar_contiguous)
{
    for (const Type* type : TYPES) {
        for (uint32_t precision : {TBE, EXACT}) {
            for (size_t length : {1, 33, 3000}) {
                CheckContiguous(*type, FMOD_MODE_SCALAR, precision, AnyNumbers(*type, length), Divisors(*type, 1));
                Values divisor = Divisors(*type, 2);
                divisor.erase(divisor.begin());
                CheckContiguous(*type, FMOD_MODE_SCALAR, precision, AnyNumbers(*type, length), divisor);
            }
        }
    }
}

TEST_F(FmodKernelTest, tensor_contiguous)
{
    for (const Type* type : TYPES) {
        for (uint32_t precision : {TBE, EXACT}) {
            for (size_t length : {1, 31, 512, 3001}) {
                CheckContiguous(*type, FMOD_MODE_TENSOR, precision, AnyNumbers(*type, length), Divisors(*type, length));
            }
        }
    }
}

TEST_F(FmodKernelTest, empty)
{
    CheckContiguous(FLOAT, FMOD_MODE_TENSOR, TBE, {}, {});
    CheckContiguous(INT32, FMOD_MODE_TENSOR, TBE, {}, {});
}

const Type* const FLOATING[] = {&FLOAT, &HALF, &BRAIN};

// The number with these bits.
double OfBits(const Type& type, uint32_t bits) { return type.load(reinterpret_cast<const uint8_t*>(&bits)); }

uint32_t InfinityBits(const Type& type) { return &type == &FLOAT ? 0x7F800000U : (&type == &HALF ? 0x7C00U : 0x7F80U); }

TEST_F(FmodKernelTest, special_values_in_either_precision)
{
    for (const Type* type : FLOATING) {
        const double tiny = OfBits(*type, 1);
        const double largest = OfBits(*type, InfinityBits(*type) - 1);
        const Values special = {0.0, -0.0, 1.0, -1.0, 3.0, tiny, -tiny, largest, INFINITY, -INFINITY, NAN};
        Values x1;
        Values x2;
        for (double dividend : special) {
            for (double divisor : special) {
                x1.push_back(dividend);
                x2.push_back(divisor);
            }
        }
        for (uint32_t precision : {TBE, EXACT}) {
            CheckContiguous(*type, FMOD_MODE_TENSOR, precision, x1, x2);
            for (double divisor : special) {
                CheckContiguous(*type, FMOD_MODE_SCALAR, precision, special, {divisor});
                CheckContiguous(*type, FMOD_MODE_TENSOR, precision, special, Values(special.size(), divisor));
            }
        }
    }
}

// Data on which a kernel of the other precision would fail.
TEST_F(FmodKernelTest, tbe_is_not_exact)
{
    for (const Type* type : FLOATING) {
        const Values x1 = AnyNumbers(*type, 3000);
        const Values x2 = AnyNumbers(*type, 3000);
        size_t different = 0;
        for (size_t i = 0; i < x1.size(); i++) {
            different += IsSame(Expected(*type, TBE, x1[i], x2[i]), Expected(*type, EXACT, x1[i], x2[i])) ? 0 : 1;
        }
        ASSERT_GT(different, 300U) << type->name;
        for (uint32_t precision : {TBE, EXACT}) {
            CheckContiguous(*type, FMOD_MODE_TENSOR, precision, x1, x2);
            CheckContiguous(*type, FMOD_MODE_SCALAR, precision, x1, {x2[0]});
        }
    }
}

struct Pair {
    double x1;
    double x2;
};

// One tile of ordinary pairs with some others in it.
void CheckTileWith(const Type& type, const std::vector<Pair>& pairs)
{
    Values x1;
    Values x2;
    for (size_t i = 0; i < 300; i++) {
        x1.push_back(static_cast<double>(NextRandom() % 200));
        x2.push_back(static_cast<double>(NextRandom() % 20 + 1));
    }
    for (const Pair& pair : pairs) {
        const size_t at = NextRandom() % x1.size();
        x1.insert(x1.begin() + static_cast<int64_t>(at), pair.x1);
        x2.insert(x2.begin() + static_cast<int64_t>(at), pair.x2);
    }
    CheckContiguous(type, FMOD_MODE_TENSOR, EXACT, x1, x2);
    for (const Pair& pair : pairs) {
        CheckContiguous(type, FMOD_MODE_SCALAR, EXACT, x1, {pair.x2});
    }
}

// A special value takes the tile's extremes from the probe; what is beyond a limit beside it must still be found.
TEST_F(FmodKernelTest, special_values_hide_no_limit)
{
    for (const Type* type : FLOATING) {
        const double largest = OfBits(*type, InfinityBits(*type) - 1);
        const double smallest = OfBits(*type, 3);
        std::vector<Pair> beyond = {{largest, 3.0}, {1.0, smallest}, {largest, smallest}};
        if (type != &HALF) {
            beyond.push_back({largest, largest / 2});
            beyond.push_back({0x1.8p-101, 0x1.4p-104});
            beyond.push_back({0x1.8p-120, 0x1.4p-126});
        }
        for (const Pair& special : {Pair{INFINITY, 3.0}, Pair{-INFINITY, INFINITY}, Pair{NAN, 3.0}, Pair{5.0, 0.0},
                                    Pair{0.0, -0.0}, Pair{5.0, NAN}}) {
            CheckTileWith(*type, {special});
            for (const Pair& pair : beyond) {
                CheckTileWith(*type, {special, pair});
            }
        }
    }
}

// rint(x1 / x2) * x2 would be infinite.
TEST_F(FmodKernelTest, dividend_limit_alone_in_a_tile)
{
    CheckContiguous(FLOAT, FMOD_MODE_TENSOR, EXACT, {0x1.c365eap127}, {0x1.2ced4cp127});
    CheckContiguous(FLOAT, FMOD_MODE_SCALAR, EXACT, {0x1.c365eap127}, {0x1.2ced4cp127});
    CheckContiguous(BRAIN, FMOD_MODE_TENSOR, EXACT, {0x1.cp127}, {0x1.2p127});
    CheckContiguous(BRAIN, FMOD_MODE_SCALAR, EXACT, {0x1.cp127}, {0x1.2p127});
}

// The quotient is truncated to an integer above it, whose product with the divisor is infinite.
TEST_F(FmodKernelTest, product_beyond_the_largest_number)
{
    CheckContiguous(FLOAT, FMOD_MODE_TENSOR, EXACT, {0x1.fffffep127}, {0x1p127});
    CheckContiguous(FLOAT, FMOD_MODE_TENSOR, EXACT, {-0x1.fffffep127, 7.0}, {0x1p126, 3.0});
}

// Quotients just below an integer and exact ones, with either sign: some remainders of a tile are negative at first.
TEST_F(FmodKernelTest, quotients_below_an_integer)
{
    Values x1;
    Values x2;
    for (int i = 1; i < 4096; i += 5) {
        const float divisor = 0x1.000002p0f * static_cast<float>(i % 7 + 1);
        const float multiple = divisor * static_cast<float>(i);
        x1.push_back(std::nextafter(multiple, 0.0f));
        x2.push_back(divisor);
        x1.push_back(-multiple);
        x2.push_back(divisor);
        x1.push_back(std::nextafter(-multiple, 0.0f));
        x2.push_back(-divisor);
    }
    CheckContiguous(FLOAT, FMOD_MODE_TENSOR, EXACT, x1, x2);
}

// The same with divisors whose products are far below 1: the negative remainders are tiny.
TEST_F(FmodKernelTest, tiny_quotients_below_an_integer)
{
    for (int exponent = -99; exponent <= -77; exponent += 11) {
        Values x1;
        Values x2;
        for (int i = 1; i <= 64; i++) {
            const float divisor = std::ldexp(0x1.000002p0f * static_cast<float>(i % 7 + 1), exponent);
            x1.push_back(std::nextafter(divisor * static_cast<float>(i * 61), 0.0f));
            x2.push_back(divisor);
        }
        CheckContiguous(FLOAT, FMOD_MODE_TENSOR, EXACT, x1, x2);
        CheckContiguous(FLOAT, FMOD_MODE_SCALAR, EXACT, x1, {x2[0]});
    }
}

// Quotients of 13 bits in tiles without larger ones: their products with an odd upper half of the divisor have 25 bits.
TEST_F(FmodKernelTest, quotients_of_13_bits)
{
    for (const float divisor : {0x1.ffeabcp0f, 0x1.802fffp3f, 0x1.002ffep-5f}) {
        Values x1;
        for (int i = 0; i < 64; i++) {
            x1.push_back(std::nextafter(divisor * static_cast<float>(4097 + i * 63), i % 2 == 0 ? 0.0f : INFINITY));
        }
        CheckContiguous(FLOAT, FMOD_MODE_SCALAR, EXACT, x1, {divisor});
        CheckContiguous(FLOAT, FMOD_MODE_TENSOR, EXACT, x1, Values(x1.size(), divisor));
    }
}

// Numbers of the full range: around multiples of divisors of any size, in tiles with one size of quotients each, below
// and above 2^20, from which on one estimate of a quotient is too few.
TEST_F(FmodKernelTest, int32_around_multiples)
{
    for (int bits = 0; bits <= 30; bits++) {
        const int64_t divisor = (int64_t{1} << bits) + (int64_t{1} << bits) * 5 / 8;
        for (const int64_t most : {int64_t{1} << 19, int64_t{1} << 20, int64_t{1} << 21, int64_t{1} << 31}) {
            Values x1;
            Values x2;
            for (int64_t i = 0; i < 64; i++) {
                const int64_t quotient = std::min((int64_t{INT32_MAX} - 1) / divisor, most - 1) - i / 6;
                const int64_t sign = i % 2 == 0 ? 1 : -1;
                x1.push_back(static_cast<double>(sign * (std::max<int64_t>(quotient, 0) * divisor + i % 3 - 1)));
                x2.push_back(static_cast<double>(i % 4 < 2 ? divisor : -divisor));
            }
            x1.push_back(INT32_MIN);
            x2.push_back(INT32_MIN);
            CheckContiguous(INT32, FMOD_MODE_TENSOR, TBE, x1, x2);
            CheckContiguous(INT32, FMOD_MODE_SCALAR, TBE, x1, {static_cast<double>(divisor)});
        }
    }
}

TEST_F(FmodKernelTest, int32_of_any_size)
{
    for (int turn = 0; turn < 40; turn++) {
        Values x1;
        Values x2;
        for (int i = 0; i < 512; i++) {
            x1.push_back(static_cast<int32_t>(NextRandom()));
            x2.push_back(static_cast<int32_t>(NextRandom() | 1) >> (turn % 20));
        }
        CheckContiguous(INT32, FMOD_MODE_TENSOR, TBE, x1, x2);
        CheckContiguous(INT32, FMOD_MODE_SCALAR, TBE, x1, {x2[0]});
        CheckContiguous(INT32, FMOD_MODE_SCALAR, TBE, x1, {static_cast<double>(INT32_MIN)});
    }
}

// Tiles below 2^20 are computed in fp32, larger numbers are not.
TEST_F(FmodKernelTest, int32_around_the_limit_of_fp32)
{
    for (const int64_t limit : {1 << 19, 1 << 20, 1 << 21, 1 << 22, 1 << 23, 1 << 24}) {
        for (const int64_t divisor : {1, 2, 3, 7, 1000, 65535}) {
            for (const bool isBelow : {false, true}) { // a tile has one side only: one larger number changes its way
                SCOPED_TRACE(std::to_string(limit) + " and " + std::to_string(divisor));
                Values x1;
                for (int64_t i = 0; i < 3; i++) {
                    const int64_t value = isBelow ? limit - 1 - i : limit + i;
                    x1.push_back(static_cast<double>(value));
                    x1.push_back(static_cast<double>(-value));
                }
                CheckContiguous(INT32, FMOD_MODE_TENSOR, TBE, x1, Values(x1.size(), static_cast<double>(divisor)));
                CheckContiguous(INT32, FMOD_MODE_TENSOR, TBE, Values(x1.size(), static_cast<double>(-divisor)), x1);
                CheckContiguous(INT32, FMOD_MODE_SCALAR, TBE, x1, {static_cast<double>(-divisor)});
            }
        }
    }
}

// Three repeats and eight elements a core: the probe has to see those, too.
TEST_F(FmodKernelTest, quotient_limit_alone_in_a_part_of_a_repeat)
{
    Values x1(600, 1.0);
    x1.back() = 0x1.234567p100;
    CheckContiguous(FLOAT, FMOD_MODE_TENSOR, EXACT, x1, Values(600, 3.0));
}

TEST_F(FmodKernelTest, integral_corners)
{
    CheckContiguous(INT32, FMOD_MODE_TENSOR, TBE, {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MIN, 7, -7, 5, INT32_MAX},
                    {-1, INT32_MIN, INT32_MIN, 0, -7, 0, INT32_MAX, 2});
    CheckContiguous(INT16, FMOD_MODE_TENSOR, TBE, {-32768, -32768, 32767, -32768}, {-1, -32768, -32768, 0});
    CheckContiguous(INT8, FMOD_MODE_TENSOR, TBE, {-128, -128, 127, -128}, {-1, -128, -128, 0});
    CheckContiguous(UINT8, FMOD_MODE_TENSOR, TBE, {255, 255, 0, 200}, {254, 0, 255, 100});
    CheckContiguous(INT32, FMOD_MODE_SCALAR, TBE, {INT32_MIN, INT32_MAX, 0, -1}, {INT32_MIN});
    CheckContiguous(INT16, FMOD_MODE_SCALAR, TBE, {-32768, 32767, 0, -1}, {-32768});
}

TEST_F(FmodKernelTest, broadcast_of_a_row) { CheckEveryType(FMOD_MODE_BROADCAST, {21, 75, {75, 1}, {0, 1}, {75, 1}}); }

TEST_F(FmodKernelTest, broadcast_of_a_column)
{
    CheckEveryType(FMOD_MODE_BROADCAST, {21, 75, {75, 1}, {1, 0}, {75, 1}});
}

// Brcb makes blocks of the values, and tiles of the same rows have them in common.
TEST_F(FmodKernelTest, broadcast_of_a_tall_column)
{
    for (const bool columnsFirst : {false, true}) {
        SCOPED_TRACE(columnsFirst ? "columns first" : "rows first");
        CheckEveryType(FMOD_MODE_BROADCAST, {50, 150, {150, 1}, {1, 0}, {150, 1}, 21, columnsFirst});
        CheckEveryType(FMOD_MODE_BROADCAST, {50, 150, {1, 0}, {150, 1}, {150, 1}, 24, columnsFirst});
        CheckEveryType(FMOD_MODE_BROADCAST, {50, 150, {0, 1}, {1, 0}, {150, 1}, 24, columnsFirst});
        CheckEveryType(FMOD_MODE_TENSOR_STRIDED, {50, 150, {160, 1}, {1, 0}, {150, 1}, 24, columnsFirst});
    }
}

// More rows in a tile than one instruction has repeats. 16 columns are whole blocks of 16 and 32 bits.
TEST_F(FmodKernelTest, broadcast_of_a_column_of_more_than_255_rows)
{
    const RowsCase shape{600, 16, {16, 1}, {1, 0}, {16, 1}, 288, true, 16};
    for (const Type* type : TYPES) {
        if (type->bytes > 1) {
            CheckRows(*type, FMOD_MODE_BROADCAST, TBE, shape);
        }
    }
}

TEST_F(FmodKernelTest, broadcast_of_a_value) { CheckEveryType(FMOD_MODE_BROADCAST, {5, 75, {0, 0}, {75, 1}, {75, 1}}); }

TEST_F(FmodKernelTest, broadcast_of_both) { CheckEveryType(FMOD_MODE_BROADCAST, {19, 40, {1, 0}, {0, 1}, {40, 1}}); }

TEST_F(FmodKernelTest, scalar_strided) { CheckEveryType(FMOD_MODE_SCALAR_STRIDED, {21, 75, {90, 1}, {0, 0}, {81, 1}}); }

TEST_F(FmodKernelTest, tensor_strided)
{
    CheckEveryType(FMOD_MODE_TENSOR_STRIDED, {21, 75, {90, 1}, {77, 1}, {81, 1}});
    CheckEveryType(FMOD_MODE_TENSOR_STRIDED, {9, 70, {70, 1}, {1, 0}, {128, 1}});
}

// The first tile of the second core is the shorter last one of its rows; the row of x2 that it keeps is too few for the
// tile that comes next.
TEST_F(FmodKernelTest, kept_row_after_a_tile_of_fewer_rows)
{
    constexpr int64_t outer = 2;
    constexpr int64_t rows = 21;
    constexpr int64_t columns = 75;
    for (const Type* type : TYPES) {
        const Values x1 = AnyNumbers(*type, static_cast<size_t>(outer * rows * columns));
        const Values x2 = AnyNumbers(*type, static_cast<size_t>(columns));
        FmodTilingData tiling = {};
        FillRows({rows, columns, {columns, 1}, {0, 1}, {columns, 1}}, tiling);
        tiling.dims[FMOD_ROW_AXIS - 1] = outer;
        tiling.x1Stride[FMOD_ROW_AXIS - 1] = rows * columns;
        tiling.yStride[FMOD_ROW_AXIS - 1] = rows * columns;
        tiling.colTile = columns;
        FillShare(6, optiling::SplitFmod(6, 1, 3), tiling); // 3 tiles of rows twice: 8, 8 and 5
        const Gm gm1(x1, *type);
        const Gm gm2(x2, *type);
        const Gm gmY(x1.size(), *type);
        Launch(*type, FMOD_MODE_BROADCAST, EXACT, 3, tiling, gm1.Address(), gm2.Address(), gmY.Address());
        for (size_t i = 0; i < x1.size(); i++) {
            ASSERT_TRUE(IsSame(gmY.At(i), Expected(*type, EXACT, x1[i], x2[i % columns])))
                << type->name << " element " << i << " is " << gmY.At(i);
        }
    }
}

// Tiles of different heights share a row of int32. Of large dividends in it a tile leaves nothing in fp32.
TEST_F(FmodKernelTest, kept_row_of_int32_after_a_large_and_a_shorter_tile)
{
    constexpr int64_t outer = 2;
    constexpr int64_t rows = 13; // tiles of 8 and 5
    constexpr int64_t columns = 64;
    const Type& type = INT32;
    for (const bool isDividend : {false, true}) { // the row
        Values matrix(static_cast<size_t>(outer * rows * columns));
        for (size_t i = 0; i < matrix.size(); i++) {
            const double large = i < 8 * columns ? 1 << 24 : 0; // the first tile
            matrix[i] = large + 1000 + static_cast<double>(i % 997);
        }
        Values row(columns);
        for (size_t i = 0; i < row.size(); i++) {
            row[i] = (isDividend ? 1 << 24 : 777) + 13 * static_cast<double>(i);
        }
        const Values& x1 = isDividend ? row : matrix;
        const Values& x2 = isDividend ? matrix : row;
        FmodTilingData tiling = {};
        const Strides dense = {columns, 1};
        const Strides once = {0, 1};
        FillRows({rows, columns, isDividend ? once : dense, isDividend ? dense : once, dense}, tiling);
        (isDividend ? tiling.x2Stride : tiling.x1Stride)[FMOD_ROW_AXIS - 1] = rows * columns;
        tiling.dims[FMOD_ROW_AXIS - 1] = outer;
        tiling.yStride[FMOD_ROW_AXIS - 1] = rows * columns;
        FillShare(4, optiling::SplitFmod(4, 1, 1), tiling);
        const Gm gm1(x1, type);
        const Gm gm2(x2, type);
        const Gm gmY(matrix.size(), type);
        Launch(type, FMOD_MODE_BROADCAST, EXACT, 1, tiling, gm1.Address(), gm2.Address(), gmY.Address());
        for (size_t i = 0; i < matrix.size(); i++) {
            const double dividend = isDividend ? row[i % columns] : matrix[i];
            const double divisor = isDividend ? matrix[i] : row[i % columns];
            ASSERT_EQ(gmY.At(i), std::fmod(dividend, divisor)) << "element " << i << " of " << isDividend;
        }
    }
}
