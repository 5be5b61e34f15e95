#ifndef ASCGRAPH_CPP_TURNED_H
#define ASCGRAPH_CPP_TURNED_H

#include "rows.h"

// For Gather: where the elements of rows of `stride` are, in bytes, in a tile whose rows are their columns.
__aicore__ inline void TurnPlaces(const AscendC::LocalTensor<int32_t>& to, uint32_t rows, uint32_t stride,
                                  uint32_t pitch, uint32_t size)
{
    AscendC::CreateVecIndex(to, static_cast<int32_t>(0), stride);
    AscendC::Muls(to, to, static_cast<int32_t>(pitch * size), static_cast<int32_t>(stride));
    for (uint32_t row = 1; row < rows; row++) {
        AscendC::Adds(to[row * stride], to, static_cast<int32_t>(row * size), static_cast<int32_t>(stride));
    }
}
#endif // ASCGRAPH_CPP_TURNED_H
