#ifndef HOSTCANN_EXE_GRAPH_STORAGE_SHAPE_H
#define HOSTCANN_EXE_GRAPH_STORAGE_SHAPE_H

#include <type_traits>

#include "exe_graph/runtime/shape.h"

namespace gert {
// The shape the user sees (origin) and the shape in memory (storage).
struct StorageShape {
public:
    StorageShape() : origin_shape_(), storage_shape_(), reserved_{} {}
    StorageShape(const std::initializer_list<int64_t>& origin_shape,
                 const std::initializer_list<int64_t>& storage_shape)
        : origin_shape_(origin_shape), storage_shape_(storage_shape), reserved_{}
    {
    }

    const Shape& GetOriginShape() const { return origin_shape_; }
    const Shape& GetShape() const { return origin_shape_; }
    const Shape& GetStorageShape() const { return storage_shape_; }
    Shape& MutableShape() { return origin_shape_; }
    Shape& MutableOriginShape() { return origin_shape_; }
    Shape& MutableStorageShape() { return storage_shape_; }

    bool operator==(const StorageShape& other) const
    {
        return origin_shape_ == other.origin_shape_ && storage_shape_ == other.storage_shape_;
    }
    bool operator!=(const StorageShape& other) const { return !(*this == other); }

private:
    Shape origin_shape_;
    Shape storage_shape_;
    uint8_t reserved_[40];
};
static_assert(std::is_standard_layout<StorageShape>::value, "contexts address StorageShape by its binary layout");
static_assert(sizeof(StorageShape) == 536, "size of gert::StorageShape on a real toolkit");
} // namespace gert

#endif
