// The names of Matmul. It needs a cube core, which is not modelled: including this is free, using a name is an error
// that says so.
#ifndef HOSTCANN_ASCENDC_KERNEL_MATMUL_ABSENT_H
#define HOSTCANN_ASCENDC_KERNEL_MATMUL_ABSENT_H

#include "kernel_operator.h"

enum class CubeFormat {
    ND = 0,
    NZ,
    ZN,
    ZZ,
    NN,
    ND_ALIGN,
    SCALAR,
    VECTOR,
    ROW_MAJOR,
    COLUMN_MAJOR,
};

namespace AscendC {

template <TPosition Position, CubeFormat Format, typename Type, auto... Rest>
struct MatmulType {
    using T = Type;
    static constexpr TPosition pos = Position;
    static constexpr CubeFormat format = Format;
};

// Matmul<…> and MatmulImpl<…>.
template <typename A, typename... Rest>
struct Matmul {
    static_assert(!sizeof(A), "hostcann models vector cores only: Matmul needs a cube core");
};
template <typename A, typename... Rest>
struct MatmulImpl {
    static_assert(!sizeof(A), "hostcann models vector cores only: Matmul needs a cube core");
};

} // namespace AscendC

namespace matmul = AscendC;

#define REGIST_MATMUL_OBJ(...) \
    static_assert(false, "hostcann models vector cores only: REGIST_MATMUL_OBJ needs a cube core")

#endif // HOSTCANN_ASCENDC_KERNEL_MATMUL_ABSENT_H
