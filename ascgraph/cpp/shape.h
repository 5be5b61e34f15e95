#ifndef ASCGRAPH_CPP_SHAPE_H
#define ASCGRAPH_CPP_SHAPE_H

#include <cstdint>
#include <vector>

using Shape = std::vector<int64_t>;

constexpr int64_t MOST_SIZE = 1LL << 48;
#endif // ASCGRAPH_CPP_SHAPE_H
