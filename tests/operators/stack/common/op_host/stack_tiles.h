#ifndef STACK_TILES_H
#define STACK_TILES_H

#include <cstdint>

constexpr int64_t STACK_TILE = 256; // elements

#endif // STACK_TILES_H
