// Shapes, strides and views.
#include <vector>

#include "aclnn_kernels/common/op_error_check.h"
#include "device.h"
#include "gtest/gtest.h"
#include "opdev/shape_utils.h"
#include "opdev/tensor_view_utils.h"

namespace {

using Dims = std::vector<int64_t>;

op::Shape ShapeOf(const Dims& dims)
{
    op::Shape shape;
    op::ToShape(dims.data(), dims.size(), shape);
    return shape;
}

std::string Text(const Dims& dims) { return op::ToString(ShapeOf(dims)).GetString(); }

test::TensorPtr View(const Dims& dims, const Dims& strides, int64_t offset, const Dims& storage)
{
    return test::MakeTensor(dims, ACL_FLOAT, nullptr, strides, offset, storage);
}

} // namespace

TEST(OpdevShapes, BroadcastTable)
{
    const struct {
        Dims a;
        Dims b;
        bool fits;
        Dims result;
    } rows[] = {{{2, 3}, {2, 3}, true, {2, 3}},
                {{2, 3}, {3}, true, {2, 3}},
                {{3}, {2, 3}, true, {2, 3}},
                {{2, 1}, {1, 3}, true, {2, 3}},
                {{}, {4}, true, {4}},
                {{}, {}, true, {}},
                {{0}, {1}, true, {0}},
                {{1}, {0}, true, {0}},
                {{0}, {3}, false, {}},
                {{0, 2}, {0, 1}, true, {0, 2}},
                {{20}, {3}, false, {}},
                {{2, 3}, {2}, false, {}},
                {{5, 1, 4}, {3, 1}, true, {5, 3, 4}},
                {{1, 1, 1}, {7}, true, {1, 1, 7}}};
    for (const auto& row : rows) {
        const std::string name = Text(row.a) + " with " + Text(row.b);
        op::Shape result;
        EXPECT_EQ(op::CheckBroadcastShape(ShapeOf(row.a), ShapeOf(row.b)), row.fits) << name;
        EXPECT_EQ(op::BroadcastInferShape(ShapeOf(row.a), ShapeOf(row.b), result), row.fits) << name;
        if (row.fits) {
            EXPECT_EQ(std::string(op::ToString(result).GetString()), Text(row.result)) << name;
        }
    }
    (void)test::LastError();
    op::Shape shape = ShapeOf({2, 1});
    EXPECT_TRUE(op::BroadcastInferShape(shape, ShapeOf({1, 3}), shape)); // in place
    EXPECT_EQ(std::string(op::ToString(shape).GetString()), "[2, 3]");
    EXPECT_TRUE(!op::BroadcastInferShape(ShapeOf({2}), ShapeOf({3}), shape));
    EXPECT_TRUE(test::LastError().find("EZ1007") != std::string::npos);
}

TEST(OpdevShapes, ContiguousStrides)
{
    op::Strides strides;
    op::ToContiguousStrides(ShapeOf({2, 3, 4}), strides);
    EXPECT_EQ(std::string(op::ToString(strides).GetString()), "[12, 4, 1]");
    op::ToContiguousStrides(ShapeOf({}), strides);
    EXPECT_TRUE(strides.empty());
    op::ToContiguousStrides(ShapeOf({5}), strides);
    EXPECT_EQ(strides[0], 1);
    EXPECT_EQ(op::ToShapeVector(ShapeOf({3, 9})).size(), 2U);
}

TEST(OpdevShapes, IsContiguousTable)
{
    const struct {
        Dims dims;
        Dims strides;
        bool contiguous;
        bool dense; // CanPickViewAsContiguous
    } rows[] = {{{2, 3}, {3, 1}, true, true},
                {{2, 3}, {1, 2}, false, true},
                {{2, 3}, {4, 1}, false, false},
                {{1, 3}, {99, 1}, true, true},
                {{2, 1, 3}, {3, 7, 1}, true, true},
                {{0, 3}, {7, 9}, true, false},
                {{1}, {5}, true, true},
                {{}, {}, true, true},
                {{4}, {0}, false, false},
                {{4}, {2}, false, false},
                {{2, 3, 4}, {4, 8, 1}, false, true}};
    EXPECT_TRUE(op::IsContiguous(nullptr));
    for (const auto& row : rows) {
        const auto tensor = View(row.dims, row.strides, 0, {64});
        const std::string name = Text(row.dims) + " strides " + Text(row.strides);
        EXPECT_EQ(op::IsContiguous(tensor.get()), row.contiguous) << name;
        if (!tensor->IsEmpty()) {
            EXPECT_EQ(op::CanPickViewAsContiguous(tensor.get()), row.dense) << name;
        }
    }
    const auto a = View({2, 3}, {1, 2}, 0, {6});
    const auto b = View({2, 3}, {1, 2}, 0, {6});
    const auto c = View({2, 3}, {3, 1}, 0, {6});
    EXPECT_TRUE(op::CanPickViewAsContiguous({a.get(), b.get()}));
    EXPECT_TRUE(!op::CanPickViewAsContiguous({a.get(), c.get()}));
}

TEST(OpdevShapes, ValidateTable)
{
    const struct {
        Dims dims;
        Dims strides;
        int64_t offset;
        int64_t storage;
        bool inside;
    } rows[] = {{{2, 3}, {4, 1}, 0, 7, true}, {{2, 3}, {4, 1}, 0, 6, false}, {{2, 3}, {4, 1}, 1, 7, false},
                {{3}, {-1}, 2, 3, true},      {{3}, {-1}, 1, 3, false},      {{4}, {0}, 0, 1, true},
                {{3}, {2}, -1, 9, false}};
    for (const auto& row : rows) {
        const auto tensor = View(row.dims, row.strides, row.offset, {row.storage});
        EXPECT_EQ(op::Validate(tensor.get()), row.inside)
            << Text(row.dims) + " strides " + Text(row.strides) + " at " + std::to_string(row.offset);
    }
}

TEST(OpdevShapes, FastVectorHoldsWhatItIsGiven)
{
    op::FVector<int64_t, 2> values = {1, 2};
    for (int64_t i = 3; i < 40; ++i) {
        values.push_back(i);
    }
    EXPECT_EQ(values.size(), 39U);
    EXPECT_EQ(values.back(), 39);
    op::FVector<int64_t, 2> moved = std::move(values);
    EXPECT_TRUE(values.empty());
    EXPECT_EQ(moved[20], 21);
    moved.erase(moved.begin(), moved.begin() + 37);
    moved.insert(moved.begin(), 7);
    EXPECT_EQ(moved.size(), 3U);
    EXPECT_EQ(moved[0] + moved[1] + moved[2], 7 + 38 + 39);
    const op::FVector<int64_t, 25> wide = {7, 38, 39};
    EXPECT_TRUE(wide == moved);
    op::FVector<bool> flags(3, true);
    EXPECT_TRUE(flags.data()[2]);
    op::FVector<std::string> texts({"a", "bc"});
    texts.emplace_back(texts[1]);
    EXPECT_EQ(texts[2], "bc");
}

TEST(OpdevShapes, BatchAndChannelsAreThoseOfTheStorageFormat)
{
    const struct {
        op::Format format;
        Dims self;
        Dims out;
        bool same;
    } rows[] = {{op::Format::FORMAT_NCHW, {2, 3, 4, 5}, {2, 3, 8, 9}, true},
                {op::Format::FORMAT_NCHW, {2, 3, 4, 5}, {1, 3, 4, 5}, false},
                {op::Format::FORMAT_NCHW, {2, 3, 4, 5}, {2, 4, 4, 5}, false},
                {op::Format::FORMAT_NHWC, {2, 3, 4, 5}, {2, 8, 9, 5}, true},
                {op::Format::FORMAT_NHWC, {2, 3, 4, 5}, {1, 3, 4, 5}, false},
                {op::Format::FORMAT_NHWC, {2, 3, 4, 5}, {2, 3, 4, 6}, false},
                {op::Format::FORMAT_NHWC, {2, 3, 4, 5}, {2, 3, 4}, false},
                {op::Format::FORMAT_ND, {2, 3, 4, 5}, {2, 3, 4, 5}, false}};
    for (const auto& row : rows) {
        const auto self = test::MakeTensor(row.self, ACL_FLOAT, nullptr);
        const auto out = test::MakeTensor(row.out, ACL_FLOAT, nullptr);
        self->SetStorageFormat(row.format);
        EXPECT_EQ(CheckNCDimValid(self.get(), out.get()), row.same) << Text(row.self) << " and " << Text(row.out);
    }
}
