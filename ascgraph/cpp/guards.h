#ifndef ASCGRAPH_CPP_GUARDS_H
#define ASCGRAPH_CPP_GUARDS_H

#include <cstddef>
#include <string>
#include "shape.h"

// Binds a symbol, or compares: a message where the guard does not hold.
inline std::string Guard(const char* what, const char* symbol, int64_t& size, int64_t value)
{
    if (value < 0 || value > MOST_SIZE) {
        return std::string(what) + " is " + std::to_string(value);
    }
    if (size < 0) {
        size = value;
    }
    return size == value ?
               "" :
               std::string(what) + " is " + std::to_string(value) + ", but " + symbol + " is " + std::to_string(size);
}

// The n-th of `rank` axes, of which the last `ones` are 1: a shape may leave these out, or else the first ones.
inline int64_t DimOf(const Shape& shape, size_t rank, size_t n, size_t ones = 0)
{
    const size_t missing = shape.size() + ones == rank ? 0 : rank - shape.size();
    return n < missing || n - missing >= shape.size() ? 1 : shape[n - missing];
}

inline int64_t CountOf(const Shape& shape)
{
    int64_t count = 1;
    for (int64_t dim : shape) {
        if (dim < 0 || (dim != 0 && count > MOST_SIZE / dim)) {
            return -1;
        }
        count *= dim;
    }
    return count;
}
#endif // ASCGRAPH_CPP_GUARDS_H
