#ifndef ASCGRAPH_CPP_COPY_H
#define ASCGRAPH_CPP_COPY_H

#include "kernel_operator.h"

// Whole blocks of 32 bytes, up to the one with the last element.
template <typename T>
__aicore__ inline void CopyTile(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from, uint32_t count)
{
    constexpr uint32_t block = 32 / sizeof(T);
    AscendC::DataCopy(to, from, (count + block - 1) / block * block);
}
#endif // ASCGRAPH_CPP_COPY_H
