// Misuse of Matmul objects: y = x1 * x2, all of 32 x 32 floats; the first vector core calls.
#include "common.h"
#include "ascendc/kernel/cube/matmul.h"

namespace {

enum class Bug {
    NONE,
    SINGLE_BEYOND_MATRIX,
    BASE_BEYOND_L0C,
    BIAS_WITHOUT_TILING,
    NOT_ENDED,
    ALL_NOT_ENDED,
    END_MISSING,
    READ_BEFORE_WAIT,
    NO_WORKSPACE,
    WORKSPACE_TOO_SMALL,
    A_IN_BUFFER,
    NO_B,
    TRANSPOSED,
    A_UNWRITTEN,
    GET_WITHOUT_ITERATE,
};

constexpr int32_t SIDE = 32;

TCubeTiling Tiling(Bug bug)
{
    TCubeTiling t{};
    t.usedCoreNum = 1;
    t.M = t.N = t.Ka = t.Kb = SIDE;
    t.singleCoreM = t.singleCoreN = t.singleCoreK = SIDE;
    t.baseM = t.baseN = bug == Bug::BASE_BEYOND_L0C ? 256 : 16;
    t.baseK = 16;
    t.depthA1 = t.depthB1 = t.stepM = t.stepN = t.stepKa = t.stepKb = 1;
    t.dbL0A = t.dbL0B = t.dbL0C = 1;
    return t;
}

template <TPosition position>
using Floats = MatmulType<position, CubeFormat::ND, float>;
using Gm = Floats<TPosition::GM>;

struct Matrices : Io {
    __aicore__ inline Matrices(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
        : Io(x1, x2, y, tiling)
    {
        gw.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace), n);
    }
    GlobalTensor<float> gw;
};

// IterateAll, with what can go wrong around it.
template <Bug bug>
__aicore__ inline void All(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Matrices io(x1, x2, y, workspace, tiling);
    TPipe pipe;
    const TCubeTiling t = Tiling(bug);
    Matmul<Gm, Gm, Gm> mm;
    Matmul<Gm, Gm, Gm> other;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t, other, &t); // FAULT(base_beyond_l0c): Tiling
    if (GetBlockIdx() != 0) {
        return;
    }
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, SIDE * SIDE * 4);
    LocalTensor<float> x = buffer.Get<float>();
    if constexpr (bug == Bug::SINGLE_BEYOND_MATRIX) {
        mm.SetTail(SIDE, SIDE, 2 * SIDE);
    }
    if constexpr (bug == Bug::A_UNWRITTEN) {
        mm.SetTensorA(io.gw);
    } else if constexpr (bug == Bug::A_IN_BUFFER) {
        mm.SetTensorA(x); // FAULT(a_in_buffer): Argument
    } else if constexpr (bug == Bug::TRANSPOSED) {
        mm.SetTensorA(io.gx1, true); // FAULT(transposed): Argument
    } else {
        mm.SetTensorA(io.gx1);
    }
    if constexpr (bug != Bug::NO_B) {
        mm.SetTensorB(io.gx2);
    }
    if constexpr (bug == Bug::BIAS_WITHOUT_TILING) {
        mm.SetBias(io.gx2);
    }
    if constexpr (bug == Bug::NOT_ENDED) {
        while (mm.Iterate()) {
            mm.GetTensorC(io.gy);
        }
    } else if constexpr (bug == Bug::SINGLE_BEYOND_MATRIX) {
        mm.IterateAll(io.gy); // FAULT(single_beyond_matrix): Tiling
    } else if constexpr (bug == Bug::BIAS_WITHOUT_TILING) {
        mm.IterateAll(io.gy); // FAULT(bias_without_tiling): Tiling
    } else if constexpr (bug == Bug::NO_B) {
        mm.IterateAll(io.gy); // FAULT(no_b): Argument
    } else if constexpr (bug == Bug::A_UNWRITTEN) {
        mm.IterateAll(io.gy); // FAULT(a_unwritten): Uninitialized
    } else {
        mm.IterateAll(io.gy); // FAULT(end_missing): Leak
    }
    if constexpr (bug != Bug::END_MISSING && bug != Bug::NOT_ENDED && bug != Bug::ALL_NOT_ENDED) {
        mm.End();
    }
    other.SetTensorA(io.gx1);
    other.SetTensorB(io.gx2);
    if constexpr (bug != Bug::END_MISSING) {
        other.IterateAll(io.gw); // FAULT(not_ended, all_not_ended): Leak
        other.End();
    }
}

// An asynchronous IterateAll of a matrix in the workspace, whose result is copied.
template <Bug bug>
__aicore__ inline void Later(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Matrices io(x1, x2, y, workspace, tiling);
    TPipe pipe;
    const TCubeTiling t = Tiling(bug);
    Matmul<Gm, Gm, Gm> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) {
        return;
    }
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, SIDE * SIDE * 4);
    LocalTensor<float> x = queue.AllocTensor<float>();
    DataCopy(x, io.gx1, SIDE * SIDE);
    queue.EnQue(x);
    x = queue.DeQue<float>();
    DataCopy(io.gw, x, SIDE * SIDE); // before the product: its message to the cube core is a copy of MTE3, too
    queue.FreeTensor(x);
    mm.SetTensorA(io.gw);
    mm.SetTensorB(io.gx2);
    mm.IterateAll<false>(io.gy, 0, false, true); // FIRST(read_before_wait)
    if constexpr (bug != Bug::READ_BEFORE_WAIT) {
        mm.WaitIterateAll();
    }
    x = queue.AllocTensor<float>();
    DataCopy(x, io.gy, SIDE * SIDE); // FAULT(read_before_wait): Race
    if constexpr (bug == Bug::READ_BEFORE_WAIT) {
        mm.WaitIterateAll();
    }
    queue.EnQue(x);
    x = queue.DeQue<float>();
    DataCopy(io.gy, x, SIDE * SIDE);
    queue.FreeTensor(x);
    mm.End();
}

// An asynchronous Iterate, whose blocks come from the workspace; each goes to the output as it is.
template <Bug bug>
__aicore__ inline void Kept(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Matrices io(x1, x2, y, workspace, tiling);
    TPipe pipe;
    const TCubeTiling t = Tiling(bug);
    Matmul<Gm, Gm, Floats<TPosition::VECIN>> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) {
        return;
    }
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 16 * 16 * 4);
    if constexpr (bug == Bug::WORKSPACE_TOO_SMALL) {
        mm.SetWorkspace(io.gw.GetPhyAddr(), SIDE * SIDE - 1);
    } else if constexpr (bug != Bug::NO_WORKSPACE) {
        mm.SetWorkspace(io.gw);
    }
    mm.SetTensorA(io.gx1);
    mm.SetTensorB(io.gx2);
    if constexpr (bug == Bug::NO_WORKSPACE) {
        mm.Iterate<false>(); // FAULT(no_workspace): Argument
    } else if constexpr (bug == Bug::WORKSPACE_TOO_SMALL) {
        mm.Iterate<false>(); // FAULT(workspace_too_small): Argument
    } else if constexpr (bug != Bug::GET_WITHOUT_ITERATE) {
        mm.Iterate<false>();
    }
    for (uint32_t block = 0; block < 4; ++block) {
        LocalTensor<float> x = queue.AllocTensor<float>();
        mm.GetTensorC<false>(x); // FAULT(get_without_iterate): Argument
        queue.EnQue(x);
        x = queue.DeQue<float>();
        DataCopy(io.gy[block % 2 * 16 * SIDE + block / 2 * 16], x, {16, 2, 0, (SIDE - 16) / 8});
        queue.FreeTensor(x);
    }
    mm.End();
}

} // namespace

#define MATMUL_PAIR(name, run, bug)                                                                       \
    template <bool broken>                                                                                \
    __global__ __aicore__ void name(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) \
    {                                                                                                     \
        run<broken ? (bug) : Bug::NONE>(x1, x2, y, workspace, tiling);                                    \
    }
MATMUL_PAIR(single_beyond_matrix, All, Bug::SINGLE_BEYOND_MATRIX)
MATMUL_PAIR(base_beyond_l0c, All, Bug::BASE_BEYOND_L0C)
MATMUL_PAIR(bias_without_tiling, All, Bug::BIAS_WITHOUT_TILING)
MATMUL_PAIR(not_ended, All, Bug::NOT_ENDED)
MATMUL_PAIR(all_not_ended, All, Bug::ALL_NOT_ENDED)
MATMUL_PAIR(end_missing, All, Bug::END_MISSING)
MATMUL_PAIR(a_in_buffer, All, Bug::A_IN_BUFFER)
MATMUL_PAIR(no_b, All, Bug::NO_B)
MATMUL_PAIR(transposed, All, Bug::TRANSPOSED)
MATMUL_PAIR(a_unwritten, All, Bug::A_UNWRITTEN)
MATMUL_PAIR(read_before_wait, Later, Bug::READ_BEFORE_WAIT)
MATMUL_PAIR(no_workspace, Kept, Bug::NO_WORKSPACE)
MATMUL_PAIR(workspace_too_small, Kept, Bug::WORKSPACE_TOO_SMALL)
MATMUL_PAIR(get_without_iterate, Kept, Bug::GET_WITHOUT_ITERATE)
