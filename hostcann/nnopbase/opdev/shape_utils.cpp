#include "opdev/shape_utils.h"

#include <string>

#include "opdev/op_log.h"

namespace op {
namespace {

template <typename Dims>
ge::AscendString Bracketed(const Dims& dims)
{
    std::string text = "[";
    for (size_t i = 0; i < dims.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(dims[i]);
    }
    return ge::AscendString((text + "]").c_str());
}

// Fills `out` when given. Returns the dim of the longer shape that does not fit, -1 when all do.
int64_t Broadcast(const Shape& self, const Shape& other, Shape* out)
{
    const Shape& longer = self.GetDimNum() > other.GetDimNum() ? self : other;
    const Shape& shorter = &longer == &self ? other : self;
    const size_t ahead = longer.GetDimNum() - shorter.GetDimNum();
    if (out != nullptr) {
        out->SetDimNum(longer.GetDimNum());
    }
    for (size_t i = longer.GetDimNum(); i > 0; --i) {
        const size_t dim = i - 1;
        int64_t size = longer.GetDim(dim);
        const int64_t against = dim < ahead ? 1 : shorter.GetDim(dim - ahead);
        if (size == 1) {
            size = against;
        } else if (against != 1 && against != size) {
            return static_cast<int64_t>(dim);
        }
        if (out != nullptr) {
            out->SetDim(dim, size);
        }
    }
    return -1;
}

} // namespace

ge::AscendString ToString(const op::Shape& shape) { return Bracketed(ToShapeVector(shape)); }

ge::AscendString ToString(const op::Strides& strides) { return Bracketed(strides); }

void ToShape(const int64_t* dims, uint64_t dimNum, op::Shape& shape)
{
    shape.SetDimNum(dimNum);
    for (uint64_t i = 0; i < dimNum; ++i) {
        shape.SetDim(i, dims[i]);
    }
}

void ToShape(const op::ShapeVector& shapeVector, op::Shape& shape)
{
    ToShape(shapeVector.data(), shapeVector.size(), shape);
}

ShapeVector ToShapeVector(const op::Shape& shape)
{
    ShapeVector dims;
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        dims.push_back(shape.GetDim(i));
    }
    return dims;
}

void ToContiguousStrides(const op::Shape& shape, op::Strides& strides)
{
    strides.assign(shape.GetDimNum(), 1);
    for (size_t i = shape.GetDimNum(); i > 1; --i) {
        strides[i - 2] = strides[i - 1] * shape.GetDim(i - 1);
    }
}

bool CheckBroadcastShape(const op::Shape& self, const op::Shape& other) { return Broadcast(self, other, nullptr) < 0; }

bool BroadcastInferShape(const op::Shape& self, const op::Shape& other, op::Shape& broadcastShape)
{
    Shape result; // `broadcastShape` may be one of the inputs
    const int64_t failed = Broadcast(self, other, &result);
    if (failed >= 0) {
        internal::ReportCoded("EZ1007", ACLNN_ERR_PARAM_INVALID,
                              std::string("shapes ") + ToString(self).GetString() + " and " +
                                  ToString(other).GetString() +
                                  " do not broadcast: expected equal sizes or a 1 in dim " + std::to_string(failed) +
                                  " of the longer shape");
        return false;
    }
    broadcastShape = result;
    return true;
}

} // namespace op
