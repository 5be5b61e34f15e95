// Shapes, strides and views.
#include <vector>

#include "device.h"
#include "rows.h"
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

HC_TEST(BroadcastTable)
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
        CHECK_ROW(name, op::CheckBroadcastShape(ShapeOf(row.a), ShapeOf(row.b)), row.fits);
        CHECK_ROW(name, op::BroadcastInferShape(ShapeOf(row.a), ShapeOf(row.b), result), row.fits);
        if (row.fits) {
            CHECK_ROW(name, std::string(op::ToString(result).GetString()), Text(row.result));
        }
    }
    (void)test::LastError();
    op::Shape shape = ShapeOf({2, 1});
    CHECK(op::BroadcastInferShape(shape, ShapeOf({1, 3}), shape)); // in place
    CHECK_EQ(std::string(op::ToString(shape).GetString()), "[2, 3]");
    CHECK(!op::BroadcastInferShape(ShapeOf({2}), ShapeOf({3}), shape));
    CHECK(test::LastError().find("EZ1007") != std::string::npos);
}

HC_TEST(ContiguousStrides)
{
    op::Strides strides;
    op::ToContiguousStrides(ShapeOf({2, 3, 4}), strides);
    CHECK_EQ(std::string(op::ToString(strides).GetString()), "[12, 4, 1]");
    op::ToContiguousStrides(ShapeOf({}), strides);
    CHECK(strides.empty());
    op::ToContiguousStrides(ShapeOf({5}), strides);
    CHECK_EQ(strides[0], 1);
    CHECK_EQ(op::ToShapeVector(ShapeOf({3, 9})).size(), 2U);
}

HC_TEST(IsContiguousTable)
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
    CHECK(op::IsContiguous(nullptr));
    for (const auto& row : rows) {
        const auto tensor = View(row.dims, row.strides, 0, {64});
        const std::string name = Text(row.dims) + " strides " + Text(row.strides);
        CHECK_ROW(name, op::IsContiguous(tensor.get()), row.contiguous);
        if (!tensor->IsEmpty()) {
            CHECK_ROW(name, op::CanPickViewAsContiguous(tensor.get()), row.dense);
        }
    }
    const auto a = View({2, 3}, {1, 2}, 0, {6});
    const auto b = View({2, 3}, {1, 2}, 0, {6});
    const auto c = View({2, 3}, {3, 1}, 0, {6});
    CHECK(op::CanPickViewAsContiguous({a.get(), b.get()}));
    CHECK(!op::CanPickViewAsContiguous({a.get(), c.get()}));
}

HC_TEST(ValidateTable)
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
        CHECK_ROW(Text(row.dims) + " strides " + Text(row.strides) + " at " + std::to_string(row.offset),
                  op::Validate(tensor.get()), row.inside);
    }
}

HC_TEST(FastVectorHoldsWhatItIsGiven)
{
    op::FVector<int64_t, 2> values = {1, 2};
    for (int64_t i = 3; i < 40; ++i) {
        values.push_back(i);
    }
    CHECK_EQ(values.size(), 39U);
    CHECK_EQ(values.back(), 39);
    op::FVector<int64_t, 2> moved = std::move(values);
    CHECK(values.empty());
    CHECK_EQ(moved[20], 21);
    moved.erase(moved.begin(), moved.begin() + 37);
    moved.insert(moved.begin(), 7);
    CHECK_EQ(moved.size(), 3U);
    CHECK_EQ(moved[0] + moved[1] + moved[2], 7 + 38 + 39);
    const op::FVector<int64_t, 25> wide = {7, 38, 39};
    CHECK(wide == moved);
    op::FVector<bool> flags(3, true);
    CHECK(flags.data()[2]);
    op::FVector<std::string> texts({"a", "bc"});
    texts.emplace_back(texts[1]);
    CHECK_EQ(texts[2], "bc");
}
