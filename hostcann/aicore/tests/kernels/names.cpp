// Names that kernels use besides the documented interface.
#include "kernel_operator_list_tensor_intf.h"
#include "kernel_operator_intf.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

static_assert(ONE_BLK_SIZE == 32 && ONE_REPEAT_BYTE_SIZE == 256 && MAX_REPEAT_TIMES == 255);
static_assert(B32_DATA_NUM_PER_REPEAT == 64 && DEFAULT_REPEAT_STRIDE == 8 && NCHW_CONV_ADDR_LIST_SIZE == 16);
static_assert(TOTAL_UB_SIZE == 196608 && TMP_UB_OFFSET == 188416 && RESERVED_WORKSPACE == 16777216);

// args: int64 out[8], int16 copied[16].
extern "C" __global__ __aicore__ __vector__ void intrinsics(void* const* args)
{
    int64_t* out = static_cast<int64_t*>(args[0]);
    out[0] = abs(-(int64_t{1} << 40)) + abs(-2) + static_cast<int64_t>(abs(-4.5f) * 2) + abs(3);
    out[1] = block_idx == GetBlockNum() - 1 ? static_cast<int64_t>(block_idx) : -1;
    out[2] = get_block_idx() + 10 * get_block_num() + 100 * get_subblockid() + 1000 * get_subblockdim();
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 256);
    pipe.InitBuffer(buf, 64);
    LocalTensor<int16_t> x = buf.Get<int16_t>();
    Duplicate(x, int16_t{5}, 32);
    set_mask_count();
    set_vector_mask(0, 3);
    Adds<int16_t, false>(x, x, int16_t{2}, uint64_t{0}, 1, UnaryRepeatParams());
    set_mask_norm();
    set_vector_mask(0, 1);
    Adds<int16_t, false>(x, x, int16_t{1}, uint64_t{0}, 1, UnaryRepeatParams());
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    __gm__ int16_t* gm = static_cast<int16_t*>(args[1]);
    DataCopyUB2GMImpl(gm, (__ubuf__ int16_t*)x.GetPhyAddr(), {1, 1, 0, 0});
    pipe_barrier(PIPE_ALL);
    DataCopyGM2UBImpl((__ubuf__ int16_t*)x.GetPhyAddr(16), gm, {1, 1, 0, 0});
    pipe_barrier(PIPE_ALL);
    out[3] = x.GetValue(16);
}
extern "C" void fault_pipe(void* const*) { pipe_barrier(PIPE_M); }

// args: uint64 out[6], workspace, tiling of two words.
extern "C" void parameters(void* const* args)
{
    uint64_t* out = static_cast<uint64_t*>(args[0]);
    const uint64_t* base = reinterpret_cast<const uint64_t*>(get_para_base());
    for (int i = 0; i < 5; ++i) {
        out[i] = base[i];
    }
}
