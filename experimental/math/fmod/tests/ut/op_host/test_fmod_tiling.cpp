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
#include <gtest/gtest.h>
#include "tiling_case_executor.h"
#include "../../../op_kernel/fmod_tiling_data.h"

namespace {
constexpr uint64_t CORES = 48;
constexpr uint64_t UB_SIZE = 196608;
constexpr uint64_t EXACT_KEY = 256; // bits 8..15 of the key

using Dims = std::vector<int64_t>;

struct FmodCompileInfo {};

gert::StorageShape ShapeOf(const Dims& dims)
{
    gert::StorageShape shape;
    for (int64_t dim : dims) {
        shape.MutableOriginShape().AppendDim(dim);
        shape.MutableStorageShape().AppendDim(dim);
    }
    return shape;
}

// One call of the operator; x2 absent when isScalar.
struct Call {
    ge::DataType dtype = ge::DT_FLOAT;
    Dims x1;
    Dims x2;
    bool isScalar = false;
    float scalarFloat = 0.0f;
    int64_t scalarInt = 0;
    int64_t precision = 0;
    Dims view;
    Dims x1Stride;
    Dims x2Stride;
    Dims yStride;
    uint64_t cores = CORES;
    uint64_t ubSize = UB_SIZE;

    gert::TilingContextPara Para() const
    {
        using gert::TilingContextPara;
        using Ops::Math::AnyValue;
        static FmodCompileInfo compileInfo;
        std::vector<TilingContextPara::TensorDescription> inputs = {{ShapeOf(x1), dtype, ge::FORMAT_ND}};
        if (!isScalar) {
            inputs.push_back({ShapeOf(x2), dtype, ge::FORMAT_ND});
        }
        const std::vector<TilingContextPara::TensorDescription> outputs = {{ShapeOf(x1), dtype, ge::FORMAT_ND}};
        const std::vector<TilingContextPara::OpAttr> attrs = {
            {"scalar_float", AnyValue::CreateFrom<float>(scalarFloat)},
            {"scalar_int", AnyValue::CreateFrom<int64_t>(scalarInt)},
            {"precision_mode", AnyValue::CreateFrom<int64_t>(precision)},
            {"view_shape", AnyValue::CreateFrom<Dims>(view)},
            {"x1_stride", AnyValue::CreateFrom<Dims>(x1Stride)},
            {"x2_stride", AnyValue::CreateFrom<Dims>(x2Stride)},
            {"y_stride", AnyValue::CreateFrom<Dims>(yStride)},
        };
        const std::vector<uint32_t> inputNum = {1, isScalar ? 0U : 1U};
        return TilingContextPara("Fmod", inputs, outputs, attrs, inputNum, {1}, &compileInfo, cores, ubSize);
    }
};

struct Result {
    uint64_t key = 0;
    size_t blocks = 0;
    FmodTilingData data;
};

void RunTiling(const Call& call, Result& result)
{
    TilingInfo info;
    ASSERT_TRUE(ExecuteTiling(call.Para(), info));
    ASSERT_EQ(info.tilingDataSize, sizeof(FmodTilingData));
    EXPECT_EQ(info.workspaceSizes, std::vector<int64_t>{0});
    result.key = static_cast<uint64_t>(info.tilingKey);
    result.blocks = info.blockNum;
    std::memcpy(&result.data, info.tilingData.get(), sizeof(FmodTilingData));
}

void ExpectFailure(const Call& call) { ExecuteTestCase(call.Para(), ge::GRAPH_FAILED); }

Dims Axes(const int64_t (&axes)[FMOD_MAX_DIM]) { return Dims(axes, axes + FMOD_MAX_DIM); }

// With the stride of the columns, which is the input's form.
Dims Strides(const int64_t (&axes)[FMOD_COLUMN_AXIS], FmodForm form)
{
    Dims strides(axes, axes + FMOD_COLUMN_AXIS);
    strides.push_back(form == FmodForm::TILE || form == FmodForm::ROW ? 1 : 0);
    return strides;
}

// The last axes as given, the ones in front of them filled up.
Dims Padded(const Dims& last, int64_t fill)
{
    Dims all(FMOD_MAX_DIM - last.size(), fill);
    all.insert(all.end(), last.begin(), last.end());
    return all;
}

struct Share {
    int64_t total;
    int64_t formerNum;
    int64_t formerLength;
    int64_t tailLength;
    int64_t tileLength;
    size_t blocks;
};

void ExpectShare(const Result& result, const Share& share)
{
    EXPECT_EQ(result.data.totalLength, share.total);
    EXPECT_EQ(result.data.formerNum, share.formerNum);
    EXPECT_EQ(result.data.formerLength, share.formerLength);
    EXPECT_EQ(result.data.tailLength, share.tailLength);
    EXPECT_EQ(result.data.tileLength, share.tileLength);
    EXPECT_EQ(result.blocks, share.blocks);
}

struct Rows {
    Dims dims;
    Dims x1;
    Dims x2;
    Dims y;
    int64_t rowTile;
    int64_t colTile;
};

void ExpectRows(const Result& result, const Rows& rows)
{
    EXPECT_EQ(Axes(result.data.dims), Padded(rows.dims, 1));
    EXPECT_EQ(Strides(result.data.x1Stride, result.data.x1Form), Padded(rows.x1, 0));
    EXPECT_EQ(Strides(result.data.x2Stride, result.data.x2Form), Padded(rows.x2, 0));
    EXPECT_EQ(Strides(result.data.yStride, result.data.rowTile == 0 ? FmodForm::NONE : FmodForm::TILE),
              Padded(rows.y, 0));
    EXPECT_EQ(result.data.rowTile, rows.rowTile);
    EXPECT_EQ(result.data.colTile, rows.colTile);
}

Call Tensor(ge::DataType dtype, const Dims& x1, const Dims& x2, int64_t precision = 0)
{
    Call call;
    call.dtype = dtype;
    call.x1 = x1;
    call.x2 = x2;
    call.precision = precision;
    return call;
}

Call Scalar(ge::DataType dtype, const Dims& x1, float scalarFloat, int64_t scalarInt, int64_t precision = 0)
{
    Call call;
    call.dtype = dtype;
    call.x1 = x1;
    call.isScalar = true;
    call.scalarFloat = scalarFloat;
    call.scalarInt = scalarInt;
    call.precision = precision;
    return call;
}

Call Strided(bool isScalar, const Dims& view, const Dims& x1Stride, const Dims& x2Stride, const Dims& yStride)
{
    Call call;
    call.x1 = {4096};
    call.x2 = {4096};
    call.isScalar = isScalar;
    call.scalarFloat = 3.0f;
    call.view = view;
    call.x1Stride = x1Stride;
    call.x2Stride = x2Stride;
    call.yStride = yStride;
    return call;
}

float BitsFloat(uint32_t bits)
{
    float value = 0.0f;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}
} // namespace

// UB: 196608 - 256 of the chip - 8192 reserved - 3072 constants - 256 gap = 184832 bytes; fp32
// tensors take 2 buffers * 3 tensors * 4 bytes: 7701 elements, 7680 in whole lines of 512 bytes.
class FmodTilingTest : public testing::Test {};

TEST_F(FmodTilingTest, shares_of_fp32)
{
    struct Row {
        Dims shape;
        Share share;
    };
    const std::vector<Row> rows = {
        {{}, {1, 0, 8, 8, 512, 1}},
        {{1}, {1, 0, 8, 8, 512, 1}},
        {{1024}, {1024, 0, 1024, 1024, 1024, 1}},               // half of what a core has at least
        {{1025}, {1025, 0, 1032, 1032, 1152, 1}},               // 129 blocks
        {{48 * 1024}, {49152, 0, 2048, 2048, 2048, 24}},        // 2048 elements a core
        {{2, 511, 3072}, {3139584, 0, 65408, 65408, 7296, 48}}, // 511 lines a core in 9 tiles of one size
        {{48 * 1024, 1, 100}, {4915200, 0, 102400, 102400, 7424, 48}},
        {{1000, 100}, {100000, 14, 2176, 2048, 2176, 48}},                 // 782 lines: 17 for 14 cores, 16 for 34
        {{2147483653}, {2147483653, 17, 44739328, 44739200, 7680, 48}},    // more than 2^31
        {{2, 2, 2, 2, 2, 2, 2, 1024}, {131072, 16, 2816, 2688, 2816, 48}}, // 8 dimensions
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(testing::PrintToString(row.shape));
        Result result;
        RunTiling(Tensor(ge::DT_FLOAT, row.shape, row.shape), result);
        EXPECT_EQ(result.key, 1U);
        ExpectShare(result, row.share);
        ExpectRows(result, {{}, {}, {}, {}, 0, 0});
    }
}

// Of tall tiles those that spread the work evenly: 128 rows in each of 8 parts are 25.6 for each of 40 cores.
TEST_F(FmodTilingTest, tall_tiles_leave_no_core_much_more)
{
    for (const ge::DataType dtype : {ge::DT_FLOAT16, ge::DT_INT16, ge::DT_INT32, ge::DT_INT8}) {
        SCOPED_TRACE("dtype " + std::to_string(dtype));
        Call call = Tensor(dtype, {8, 1, 1024}, {8, 128, 1});
        call.cores = 40;
        Result result;
        RunTiling(call, result);
        EXPECT_EQ(result.blocks, 40U);
        const int64_t most = result.data.formerLength * result.data.rowTile * result.data.colTile;
        EXPECT_LE(most * 40, (1 << 20) * 120 / 100) << result.data.rowTile << " x " << result.data.colTile;
        EXPECT_EQ(result.data.columnsFirst, 0); // tiles below each other share the row of x1
    }
}

// A core has 2048 elements at least.
TEST_F(FmodTilingTest, shares_of_every_width)
{
    for (const ge::DataType dtype : {ge::DT_FLOAT, ge::DT_INT32, ge::DT_FLOAT16, ge::DT_INT16, ge::DT_INT8}) {
        SCOPED_TRACE("dtype " + std::to_string(dtype));
        Result result;
        RunTiling(Tensor(dtype, {16, 1024}, {16, 1024}), result);
        EXPECT_EQ(result.blocks, 8U);
        RunTiling(Tensor(dtype, {16, 1024}, {1024}), result);
        EXPECT_EQ(result.blocks, 8U);
    }
}

// Columns of x2 are spread over the tiles of a row of tiles once: these follow each other and are narrow.
TEST_F(FmodTilingTest, columns_first_where_a_column_is_kept)
{
    struct Row {
        Dims x1;
        Dims x2;
        int64_t columnsFirst;
        int64_t colTile;
    };
    const std::vector<Row> rows = {
        {{4096, 1024}, {4096, 1}, 1, 128},
        {{4096, 1}, {4096, 1024}, 1, 128},
        {{4096, 1024}, {1024}, 0, 1024},
        {{4096, 1}, {1, 1024}, 0, 1024},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(testing::PrintToString(row.x1) + testing::PrintToString(row.x2));
        Result result;
        RunTiling(Tensor(ge::DT_FLOAT, row.x1, row.x2), result);
        EXPECT_EQ(result.data.columnsFirst, row.columnsFirst);
        EXPECT_EQ(result.data.colTile, row.colTile);
    }
}

TEST_F(FmodTilingTest, empty_tensors)
{
    for (const Dims& shape : {Dims{0}, Dims{4, 0, 3}, Dims{0, 1, 1, 1, 1, 1, 1, 7}}) {
        SCOPED_TRACE(testing::PrintToString(shape));
        Result result;
        RunTiling(Tensor(ge::DT_FLOAT, shape, shape), result);
        EXPECT_EQ(result.key, 1U);
        ExpectShare(result, {0, 0, 0, 0, 512, 1});
        RunTiling(Scalar(ge::DT_FLOAT, shape, 2.0f, 0), result);
        EXPECT_EQ(result.key, 0U);
        ExpectShare(result, {0, 0, 0, 0, 512, 1});
    }
    Result broadcast;
    RunTiling(Tensor(ge::DT_FLOAT, {3, 1}, {0}), broadcast);
    EXPECT_EQ(broadcast.key, 1U);
    ExpectShare(broadcast, {0, 0, 0, 0, 512, 1});
}

// Tiles of every dtype, divisor and precision: 48 cores have as many elements as fit UB once, 184832 bytes over bytes
// per element in whole lines.
TEST_F(FmodTilingTest, tiles_of_every_dtype)
{
    struct Row {
        ge::DataType dtype;
        bool isScalar;
        int64_t precision;
        int64_t tileLength;
        uint64_t key;
    };
    const std::vector<Row> rows = {
        {ge::DT_FLOAT, false, 0, 7680, 1},   {ge::DT_FLOAT, false, 1, 4608, 257},   // 24, 40
        {ge::DT_FLOAT, true, 0, 9216, 0},    {ge::DT_FLOAT, true, 1, 7680, 256},    // 20, 24
        {ge::DT_FLOAT16, false, 0, 7680, 1}, {ge::DT_FLOAT16, false, 1, 7680, 257}, // 24, 24
        {ge::DT_FLOAT16, true, 0, 9216, 0},  {ge::DT_FLOAT16, true, 1, 11520, 256}, // 20, 16
        {ge::DT_BF16, false, 0, 7680, 1},    {ge::DT_BF16, false, 1, 7680, 257},    // 24, 24
        {ge::DT_BF16, true, 0, 9216, 0},     {ge::DT_BF16, true, 1, 11520, 256},    // 20, 16
        {ge::DT_INT16, false, 0, 7680, 1},   {ge::DT_INT16, false, 1, 7680, 1},     // 24: integers are always exact
        {ge::DT_INT16, true, 0, 11520, 0},   {ge::DT_INT16, true, 1, 11520, 0},     // 16
        {ge::DT_INT32, false, 0, 4608, 1},   {ge::DT_INT32, false, 1, 4608, 1},     // 40
        {ge::DT_INT32, true, 0, 7680, 0},    {ge::DT_INT32, true, 1, 7680, 0},      // 24
        {ge::DT_INT8, false, 0, 15360, 1},   {ge::DT_INT8, true, 0, 23040, 0},      // 12, 8
        {ge::DT_UINT8, false, 0, 15360, 1},  {ge::DT_UINT8, true, 1, 23040, 0},     // 12, 8
    };
    for (const Row& row : rows) {
        SCOPED_TRACE("dtype " + std::to_string(row.dtype) + " scalar " + std::to_string(row.isScalar) + " precision " +
                     std::to_string(row.precision));
        const Dims shape = {48, row.tileLength};
        Result result;
        RunTiling(row.isScalar ? Scalar(row.dtype, shape, 3.0f, 3, row.precision) :
                                 Tensor(row.dtype, shape, shape, row.precision),
                  result);
        EXPECT_EQ(result.key, row.key);
        ExpectShare(result, {48 * row.tileLength, 0, row.tileLength, row.tileLength, row.tileLength, 48});
        // A line more is a second tile, of the same size.
        const Dims more = {48, row.tileLength + 512};
        RunTiling(row.isScalar ? Scalar(row.dtype, more, 3.0f, 3, row.precision) :
                                 Tensor(row.dtype, more, more, row.precision),
                  result);
        EXPECT_LT(result.data.tileLength, row.tileLength);
        EXPECT_GE(2 * result.data.tileLength, row.tileLength + 512);
    }
}

TEST_F(FmodTilingTest, forms_of_a_floating_scalar)
{
    Result result;
    RunTiling(Scalar(ge::DT_FLOAT, {100}, -2.5f, 9), result);
    EXPECT_EQ(result.key, 0U);
    EXPECT_EQ(result.data.scalar.divisor, -2.5f);

    // |divisor| = 0x40490FDB: its top 12 significant bits and the rest, -1/|divisor|, 2^21 |divisor|
    const float pi = BitsFloat(0x40490FDB);
    RunTiling(Scalar(ge::DT_FLOAT, {100}, -pi, 0, 1), result);
    EXPECT_EQ(result.key, EXACT_KEY);
    EXPECT_EQ(result.data.scalar.divisor, pi);
    EXPECT_EQ(result.data.scalar.reciprocal, -1.0f / pi);
    EXPECT_EQ(result.data.scalar.top, BitsFloat(0x40490000));
    EXPECT_EQ(result.data.scalar.rest, static_cast<float>(0xFDB) * 0x1p-22f);
    EXPECT_EQ(result.data.scalar.dividendLimit, pi * 2097152.0f);

    RunTiling(Scalar(ge::DT_FLOAT16, {100}, 3.0f, 0, 1), result);
    EXPECT_EQ(result.data.scalar.dividendLimit, 3 * 0x1p13f);
    RunTiling(Scalar(ge::DT_BF16, {100}, 3.0f, 0, 1), result);
    EXPECT_EQ(result.data.scalar.dividendLimit, 3 * 0x1p16f);
    // Everything takes the long way where the reciprocal or a product would leave the normal numbers.
    for (float extreme : {0x1p-101f, 0x1p101f}) {
        RunTiling(Scalar(ge::DT_FLOAT, {100}, extreme, 0, 1), result);
        EXPECT_EQ(result.data.scalar.dividendLimit, 0.0f) << extreme;
    }
    RunTiling(Scalar(ge::DT_FLOAT, {100}, 0x1p100f, 0, 1), result);
    EXPECT_EQ(result.data.scalar.dividendLimit, 0x1p121f);
    // Nothing does where every result is NaN, or the dividend.
    for (float constant : {0.0f, NAN, INFINITY}) {
        RunTiling(Scalar(ge::DT_FLOAT, {100}, constant, 0, 1), result);
        EXPECT_EQ(result.data.scalar.dividendLimit, INFINITY) << constant;
    }
}

TEST_F(FmodTilingTest, forms_of_an_integral_scalar)
{
    Result result;
    for (const ge::DataType dtype : {ge::DT_INT16, ge::DT_INT8, ge::DT_UINT8}) {
        RunTiling(Scalar(dtype, {100}, 9.0f, 7), result);
        EXPECT_EQ(result.data.scalar.divisor, 7.0f);
        const float bias = dtype == ge::DT_INT16 ? 0x1p-22f : 0x1p-9f;
        EXPECT_EQ(result.data.scalar.reciprocal, (-1.0f / 7.0f) * (1.0f + bias));
        RunTiling(Scalar(dtype, {100}, 9.0f, -7), result);
        EXPECT_EQ(result.data.scalar.divisor, 7.0f);
        RunTiling(Scalar(dtype, {100}, 9.0f, 0), result); // x mod 1 is the 0 that a zero divisor gives
        EXPECT_EQ(result.data.scalar.divisor, 1.0f);
        for (const int64_t beyond : {int64_t{49153}, int64_t{-100000}, INT64_MAX, INT64_MIN}) {
            RunTiling(Scalar(dtype, {100}, 9.0f, beyond), result);
            EXPECT_EQ(result.data.scalar.divisor, 49152.0f);
        }
    }
    RunTiling(Scalar(ge::DT_INT16, {100}, 0.0f, -32768), result);
    EXPECT_EQ(result.data.scalar.divisor, 32768.0f);

    const std::vector<std::pair<int64_t, int32_t>> divisors = {
        {5, -5}, {-5, -5}, {0, -1}, {2147483647, -2147483647}, {-2147483648LL, INT32_MIN}};
    for (const auto& [divisor, negative] : divisors) {
        RunTiling(Scalar(ge::DT_INT32, {100}, 0.0f, divisor), result);
        EXPECT_EQ(result.data.scalar.negative, negative);
        EXPECT_EQ(result.data.scalar.reciprocal, 1.0f / static_cast<float>(negative));
    }
}

TEST_F(FmodTilingTest, broadcast_of_a_row)
{
    Result result;
    RunTiling(Tensor(ge::DT_FLOAT, {32, 100}, {100}), result);
    EXPECT_EQ(result.key, 2U);
    ExpectShare(result, {2, 0, 1, 1, 1664, 2}); // 3200 elements: two cores, rows of 13 blocks
    ExpectRows(result, {{32, 100}, {100, 1}, {0, 1}, {100, 1}, 16, 100});

    RunTiling(Tensor(ge::DT_FLOAT, {100}, {32, 100}, 1), result);
    EXPECT_EQ(result.key, EXACT_KEY + 2);
    ExpectRows(result, {{32, 100}, {0, 1}, {100, 1}, {100, 1}, 16, 100});
}

TEST_F(FmodTilingTest, broadcast_merges_axes)
{
    struct Row {
        Dims x1;
        Dims x2;
        Dims dims;
        Dims x1Stride;
        Dims x2Stride;
        Dims yStride;
    };
    const std::vector<Row> rows = {
        {{2, 3, 4, 5}, {4, 5}, {6, 20}, {20, 1}, {0, 1}, {20, 1}},       // outer
        {{2, 3, 4, 5}, {2, 3, 1, 1}, {6, 20}, {20, 1}, {1, 0}, {20, 1}}, // inner
        {{2, 3, 4, 5}, {2, 1, 1, 5}, {2, 12, 5}, {60, 5, 1}, {5, 0, 1}, {60, 5, 1}},
        {{2, 3, 4, 5}, {1}, {120}, {1}, {0}, {1}},                        // one value
        {{1, 1, 1}, {7, 8, 9}, {504}, {0}, {1}, {1}},                     // two-sided: the other way round
        {{4, 1, 5}, {3, 1}, {4, 3, 5}, {5, 0, 1}, {0, 1, 0}, {15, 5, 1}}, // both
        {{1, 4, 1, 1, 6}, {5, 1, 1, 2, 6}, {5, 4, 2, 6}, {0, 6, 0, 1}, {12, 0, 6, 1}, {48, 12, 6, 1}},
        {{2, 1, 2, 1, 2, 1, 2, 1},
         {1, 2, 1, 2, 1, 2, 1, 2},
         {2, 2, 2, 2, 2, 2, 2, 2},
         {8, 0, 4, 0, 2, 0, 1, 0},
         {0, 8, 0, 4, 0, 2, 0, 1},
         {128, 64, 32, 16, 8, 4, 2, 1}},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(testing::PrintToString(row.x1) + " and " + testing::PrintToString(row.x2));
        Result result;
        RunTiling(Tensor(ge::DT_INT16, row.x1, row.x2), result);
        EXPECT_EQ(result.key, 2U);
        EXPECT_EQ(Axes(result.data.dims), Padded(row.dims, 1));
        EXPECT_EQ(Strides(result.data.x1Stride, result.data.x1Form), Padded(row.x1Stride, 0));
        EXPECT_EQ(Strides(result.data.x2Stride, result.data.x2Form), Padded(row.x2Stride, 0));
        EXPECT_EQ(Strides(result.data.yStride, result.data.rowTile == 0 ? FmodForm::NONE : FmodForm::TILE),
                  Padded(row.yStride, 0));
    }
}

TEST_F(FmodTilingTest, broadcast_that_is_none)
{
    const std::vector<std::pair<Dims, Dims>> shapes = {
        {{1, 2, 3}, {2, 3}}, {{2, 3}, {1, 1, 2, 3}}, {{6}, {6}}, {{1}, {1, 1}}, {{}, {1}}};
    for (const auto& [x1, x2] : shapes) {
        Result result;
        RunTiling(Tensor(ge::DT_FLOAT, x1, x2), result);
        EXPECT_EQ(result.key, 1U);
    }
}

// A column lies in UB as two values and a block for every row. 2037 rows of 5 are three tiles, which end on blocks.
TEST_F(FmodTilingTest, rows_of_a_column_fit_its_buffer)
{
    Call call = Tensor(ge::DT_FLOAT, {2037, 5}, {2037, 1});
    call.cores = 1;
    Result result;
    RunTiling(call, result);
    EXPECT_EQ(result.key, 2U);
    ExpectRows(result, {{2037, 5}, {5, 1}, {1, 0}, {5, 1}, 680, 5});
    EXPECT_EQ(result.data.tileLength, 5504);
    EXPECT_EQ(result.data.x1ShortBytes, 512);
    EXPECT_EQ(result.data.x2ShortBytes, 27648); // 680 * 40 = 27200
}

TEST_F(FmodTilingTest, large_rows_are_spread_evenly)
{
    Result result;
    // Rows of 10000 do not fit UB, halves in whole lines do: 2000 tiles for 48 cores.
    RunTiling(Tensor(ge::DT_FLOAT16, {1000, 10000}, {10000}), result);
    EXPECT_EQ(result.key, 2U);
    ExpectShare(result, {2000, 32, 42, 41, 5120, 48});
    ExpectRows(result, {{1000, 10000}, {10000, 1}, {0, 1}, {10000, 1}, 1, 5120});
}

TEST_F(FmodTilingTest, strided)
{
    Result result;
    RunTiling(Strided(true, {16, 40}, {64, 1}, {}, {40, 1}), result);
    EXPECT_EQ(result.key, 3U);
    ExpectShare(result, {1, 0, 1, 1, 640, 1}); // 16 rows of 40 are less than 2048 elements
    ExpectRows(result, {{16, 40}, {64, 1}, {0, 0}, {40, 1}, 16, 40});
    EXPECT_EQ(result.data.scalar.divisor, 3.0f);

    RunTiling(Strided(false, {16, 40}, {64, 1}, {40, 1}, {50, 1}), result);
    EXPECT_EQ(result.key, 4U);
    ExpectShare(result, {1, 0, 1, 1, 640, 1});
    ExpectRows(result, {{16, 40}, {64, 1}, {40, 1}, {50, 1}, 16, 40});

    // A view of equal strides is a contiguous one; so is one whose axes merge.
    RunTiling(Strided(false, {2, 3, 4}, {12, 4, 1}, {12, 4, 1}, {12, 4, 1}), result);
    EXPECT_EQ(result.key, 1U);
    EXPECT_EQ(result.data.totalLength, 24);
    RunTiling(Strided(true, {2, 3, 4}, {12, 4, 1}, {}, {12, 4, 1}), result);
    EXPECT_EQ(result.key, 0U);
    // Axes merge where all tensors agree: the last two here.
    RunTiling(Strided(false, {2, 3, 4}, {100, 4, 1}, {12, 4, 1}, {12, 4, 1}), result);
    EXPECT_EQ(result.key, 4U);
    ExpectRows(result, {{2, 12}, {100, 1}, {12, 1}, {12, 1}, 2, 12});
    // A stride-0 operand stays one.
    RunTiling(Strided(false, {8, 16}, {0, 1}, {1, 0}, {16, 1}), result);
    EXPECT_EQ(result.key, 4U);
    ExpectRows(result, {{8, 16}, {0, 1}, {1, 0}, {16, 1}, 8, 16});

    Call exact = Strided(false, {16, 40}, {64, 1}, {40, 1}, {50, 1});
    exact.precision = 1;
    RunTiling(exact, result);
    EXPECT_EQ(result.key, EXACT_KEY + 4);
    exact = Strided(true, {16, 40}, {64, 1}, {}, {40, 1});
    exact.precision = 1;
    RunTiling(exact, result);
    EXPECT_EQ(result.key, EXACT_KEY + 3);
}

TEST_F(FmodTilingTest, bad_attributes)
{
    for (int64_t precision : {-1, 2, 256}) {
        ExpectFailure(Tensor(ge::DT_FLOAT, {8}, {8}, precision));
        ExpectFailure(Tensor(ge::DT_INT32, {8}, {8}, precision));
    }
    ExpectFailure(Strided(false, {4, 4}, {4}, {4, 1}, {4, 1}));           // one stride too few
    ExpectFailure(Strided(false, {4, 4}, {4, 1}, {}, {4, 1}));            // no strides of x2
    ExpectFailure(Strided(true, {4, 4}, {4, 1}, {}, {4, 1, 1}));          // one stride too many
    ExpectFailure(Strided(false, {4, 4}, {1, 4}, {4, 1}, {4, 1}));        // x1 is not dense along the last axis
    ExpectFailure(Strided(false, {4, 4}, {4, 1}, {4, 1}, {8, 2}));        // nor y
    ExpectFailure(Strided(false, {4, 4}, {3, 1}, {4, 1}, {4, 1}));        // rows of x1 overlap
    ExpectFailure(Strided(false, {4, 4}, {4, 1}, {2, 0}, {4, 1}));        // values of x2 are not adjacent
    ExpectFailure(Strided(false, {4, -1}, {4, 1}, {4, 1}, {4, 1}));       // unknown dimension
    ExpectFailure(Strided(true, Dims(9, 2), Dims(9, 1), {}, Dims(9, 1))); // 9 axes
}

TEST_F(FmodTilingTest, bad_tensors)
{
    for (const ge::DataType dtype : {ge::DT_DOUBLE, ge::DT_INT64, ge::DT_UINT16, ge::DT_BOOL, ge::DT_COMPLEX64}) {
        ExpectFailure(Tensor(dtype, {8}, {8}));
    }
    ExpectFailure(Tensor(ge::DT_FLOAT, {4, 3}, {4}));
    ExpectFailure(Tensor(ge::DT_FLOAT, {2, 3}, {3, 3}));
    ExpectFailure(Tensor(ge::DT_FLOAT, {-1}, {-1}));
    ExpectFailure(Tensor(ge::DT_FLOAT, Dims(9, 1), {1}));
}

TEST_F(FmodTilingTest, bad_platforms)
{
    Call call = Tensor(ge::DT_FLOAT, {8}, {8});
    call.cores = 0;
    ExpectFailure(call);
    call.cores = CORES;
    call.ubSize = 8192;
    ExpectFailure(call);
}

TEST_F(FmodTilingTest, other_core_numbers)
{
    struct Row {
        uint64_t cores;
        Share share;
    };
    // 2^20 fp32 elements are 8192 lines.
    const std::vector<Row> rows = {{1, {1048576, 0, 1048576, 1048576, 7680, 1}},
                                   {20, {1048576, 12, 52480, 52352, 7552, 20}},
                                   {40, {1048576, 32, 26240, 26112, 6656, 40}}};
    for (const Row& row : rows) {
        Call call = Tensor(ge::DT_FLOAT, {1048576}, {1048576});
        call.cores = row.cores;
        Result result;
        RunTiling(call, result);
        ExpectShare(result, row.share);
    }
}
