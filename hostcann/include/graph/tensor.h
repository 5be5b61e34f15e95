// Shape, description and data of a graph tensor: the part operator code uses.
#ifndef INC_EXTERNAL_GRAPH_TENSOR_H_
#define INC_EXTERNAL_GRAPH_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/error_codes.h"
#include "graph/types.h"

namespace ge {
class Shape {
public:
    Shape() = default;
    explicit Shape(const std::vector<int64_t>& dims) : dims_(dims) {}
    // 0 for the unknown rank [-2].
    size_t GetDimNum() const { return UnknownRank() ? 0U : dims_.size(); }
    int64_t GetDim(size_t idx) const { return idx < dims_.size() ? dims_[idx] : 0; }
    graphStatus SetDim(size_t idx, int64_t value)
    {
        if (idx >= dims_.size()) {
            return GRAPH_FAILED;
        }
        dims_[idx] = value;
        return GRAPH_SUCCESS;
    }
    std::vector<int64_t> GetDims() const { return dims_; }
    // Product of the dims; -1 when a dim is unknown or the product overflows, 0 without dims.
    int64_t GetShapeSize() const
    {
        int64_t size = dims_.empty() ? 0 : 1;
        for (const int64_t dim : dims_) {
            if (dim < 0 || __builtin_mul_overflow(size, dim, &size)) {
                return -1;
            }
        }
        return size;
    }

private:
    bool UnknownRank() const { return dims_.size() == 1U && dims_[0] == UNKNOWN_DIM_NUM; }
    std::vector<int64_t> dims_;
};

class TensorDesc {
public:
    TensorDesc() = default;
    explicit TensorDesc(Shape shape, Format format = FORMAT_ND, DataType dt = DT_FLOAT)
        : shape_(std::move(shape)), format_(format), origin_format_(format), data_type_(dt)
    {
    }
    void Update(const Shape& shape, Format format = FORMAT_ND, DataType dt = DT_FLOAT)
    {
        shape_ = shape;
        format_ = format;
        data_type_ = dt;
    }
    Shape GetShape() const { return shape_; }
    void SetShape(const Shape& shape) { shape_ = shape; }
    graphStatus SetUnknownDimNumShape()
    {
        shape_ = Shape(UNKNOWN_RANK);
        return GRAPH_SUCCESS;
    }
    Shape GetOriginShape() const { return origin_shape_; }
    void SetOriginShape(const Shape& origin_shape) { origin_shape_ = origin_shape; }
    Format GetFormat() const { return format_; }
    void SetFormat(Format format) { format_ = format; }
    Format GetOriginFormat() const { return origin_format_; }
    void SetOriginFormat(Format origin_format) { origin_format_ = origin_format; }
    DataType GetDataType() const { return data_type_; }
    void SetDataType(DataType dt) { data_type_ = dt; }
    graphStatus GetName(AscendString& name) const
    {
        name = name_;
        return GRAPH_SUCCESS;
    }
    void SetName(const char_t* name) { name_ = AscendString(name); }

private:
    Shape shape_;
    Shape origin_shape_;
    Format format_ = FORMAT_ND;
    Format origin_format_ = FORMAT_ND;
    DataType data_type_ = DT_FLOAT;
    AscendString name_;
};

class Tensor {
public:
    Tensor() = default;
    explicit Tensor(const TensorDesc& tensor_desc) : desc_(tensor_desc) {}
    Tensor(const TensorDesc& tensor_desc, const std::vector<uint8_t>& data) : desc_(tensor_desc), data_(data) {}
    Tensor(const TensorDesc& tensor_desc, const uint8_t* data, size_t size)
        : desc_(tensor_desc), data_(data, data + size)
    {
    }
    TensorDesc GetTensorDesc() const { return desc_; }
    graphStatus SetTensorDesc(const TensorDesc& tensor_desc)
    {
        desc_ = tensor_desc;
        return GRAPH_SUCCESS;
    }
    const uint8_t* GetData() const { return data_.data(); }
    uint8_t* GetData() { return data_.data(); }
    size_t GetSize() const { return data_.size(); }
    graphStatus SetData(const std::vector<uint8_t>& data)
    {
        data_ = data;
        return GRAPH_SUCCESS;
    }
    graphStatus SetData(const uint8_t* data, size_t size)
    {
        data_.assign(data, data + size);
        return GRAPH_SUCCESS;
    }

private:
    TensorDesc desc_;
    std::vector<uint8_t> data_;
};
} // namespace ge

#endif
