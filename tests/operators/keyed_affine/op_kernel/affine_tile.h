#ifndef KEYED_AFFINE_TILE_H
#define KEYED_AFFINE_TILE_H

#include <cstdint>

constexpr int64_t TILE = 512;

#endif
