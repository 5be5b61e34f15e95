// Names that kernels use besides the documented interface.
#include "kernel_operator_list_tensor_intf.h"
#include "kernel_operator_intf.h"
#include "kernel_tpipe_impl.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

static_assert(ONE_BLK_SIZE == 32 && ONE_REPEAT_BYTE_SIZE == 256 && MAX_REPEAT_TIMES == 255);
static_assert(B32_DATA_NUM_PER_REPEAT == 64 && DEFAULT_REPEAT_STRIDE == 8 && NCHW_CONV_ADDR_LIST_SIZE == 16);
static_assert(PI > 3.14159F && PI < 3.14160F);
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
    out[4] = static_cast<int64_t>(sbitset1(sbitset0(0xff, 3), 40));
}
// args: int64 out[2]. A dequeue whose tensor is not needed.
extern "C" __global__ __aicore__ __vector__ void dequeue_alone(void* const* args)
{
    int64_t* out = static_cast<int64_t*>(args[0]);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    LocalTensor<float> x = queue.AllocTensor<float>();
    Duplicate(x, 1.0f, 64);
    queue.EnQue(x);
    out[0] = queue.GetTensorCountInQue();
    queue.DeQue();
    out[1] = queue.GetTensorCountInQue();
    queue.FreeTensor(x);
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

namespace {

template <typename T>
__aicore__ inline __ubuf__ T* Ub(uint64_t address)
{
    return reinterpret_cast<__ubuf__ T*>(address);
}

// Everything before it is done.
__aicore__ inline void StoreRow(void* const* args, int row, uint64_t from)
{
    pipe_barrier(PIPE_ALL);
    __gm__ float* out = static_cast<__gm__ float*>(args[1]) + row * 64;
    copy_ubuf_to_gm_align_b32(out, Ub<float>(from), 0, 1, 256, 0, 0, 0, 0);
    pipe_barrier(PIPE_ALL);
}

constexpr uint64_t X = 0;
constexpr uint64_t Y = 1024;
constexpr uint64_t Z = 2048;
constexpr uint64_t BITS = 3072;

} // namespace

// args: float x[128] of 0, 1, 2 …; float out[16][64].
extern "C" __global__ __aicore__ void raw_vector(void* const* args)
{
    __gm__ float* x = static_cast<__gm__ float*>(args[0]);
    // Two rows of three elements, one apart; five pads behind each and a block between them.
    vector_dup(Ub<float>(Y), 0.0f, 1, 1, 1, 8, 0);
    pipe_barrier(PIPE_ALL);
    set_mov_pad_val(GetScalarBitcodeValue(9.0f));
    copy_gm_to_ubuf_align_b32(Ub<float>(Y), x, 0, 2, 12, 0, 5, 4, 1);
    StoreRow(args, 0, Y);
    copy_gm_to_ubuf(Ub<float>(X), x, 0, 1, 16, 0, 0);
    pipe_barrier(PIPE_ALL);

    set_mask_count();
    set_vector_mask(0, 72);
    vadds(Ub<float>(Y), Ub<float>(X), 1.5f, 1, 1, 1, 8, 8);
    StoreRow(args, 1, Y + 64);
    // A compare has no mask: two repeats although the counter says 8.
    set_vector_mask(0, 8);
    vcmpvs_ge(Ub<uint8_t>(BITS), Ub<float>(X), 60.0f, 2, 1, 1, 8, 8);
    set_mask_norm();
    set_vector_mask(0, ~0ULL);
    vector_dup(Ub<float>(Z), 0.0f, 1, 1, 1, 8, 0);
    copy_ubuf_to_ubuf(Ub<void>(Z), Ub<void>(BITS), 0, 1, 1, 0, 0);
    StoreRow(args, 2, Z);
    // Bits in memory: mode 2 finds their address, mode 1 the scalar in the register.
    set_mask_count();
    set_vector_mask(0, 8);
    vector_dup(Ub<uint32_t>(Z), static_cast<uint32_t>(BITS), 1, 1, 1, 8, 0);
    set_cmpmask(Ub<uint32_t>(Z));
    set_vector_mask(0, 128);
    vsel(Ub<float>(Y), Ub<float>(X), Ub<float>(Y), 1, 1, 1, 1, 8, 8, 8, 2);
    StoreRow(args, 3, Y);
    StoreRow(args, 4, Y + 256);
    set_vector_mask(0, 8);
    vector_dup(Ub<float>(Z), -1.0f, 1, 1, 1, 8, 0);
    set_cmpmask(Ub<float>(Z));
    set_vector_mask(0, 64);
    vsel(Ub<float>(Y), Ub<float>(X), Ub<uint8_t>(BITS), 1, 1, 1, 1, 8, 8, 8, 1);
    StoreRow(args, 5, Y);
    // Bits in the register.
    set_mask_norm();
    set_vector_mask(0, ~0ULL);
    vector_dup(Ub<float>(Z), 31.0f, 1, 1, 1, 8, 0);
    vcmp_lt(Ub<float>(X), Ub<float>(Z), 1, 1, 1, 1, 8, 8, 8);
    vsel(Ub<float>(Y), Ub<float>(X), Ub<float>(Z), 1, 1, 1, 1, 8, 8, 8);
    StoreRow(args, 6, Y);
    // Where the maximum of the first five of each repeat is, and what.
    set_vector_mask(0, 0x1f);
    vcmax(Ub<float>(Y), Ub<float>(X), 2, 4, 1, 8, Order_t::ONLY_VALUE);
    vcmax(Ub<float>(Y + 32), Ub<float>(X), 2, 4, 1, 8, Order_t::ONLY_INDEX);
    vcmin(Ub<float>(Y + 64), Ub<float>(X), 1, 1, 1, 8, Order_t::VALUE_INDEX);
    StoreRow(args, 7, Y);
    // Even elements of the first ten; in normal mode odd ones of the whole repeat.
    set_mask_count();
    set_vector_mask(0, 10);
    vreducev2(Ub<uint32_t>(Y), Ub<uint32_t>(X), Ub<uint32_t>(X), 1, 1, 1, 8, 0);
    const float kept = static_cast<float>(get_rsvd_cnt());
    set_mask_norm();
    set_vector_mask(0, 1);
    vreducev2(Ub<uint32_t>(Y + 128), Ub<uint32_t>(X), Ub<uint32_t>(X), 1, 1, 2, 8, 0);
    vector_dup(Ub<float>(Y + 64), kept, 1, 1, 1, 8, 0);
    vector_dup(Ub<float>(Y + 96), static_cast<float>(get_rsvd_cnt()), 1, 1, 1, 8, 0);
    StoreRow(args, 8, Y);
    // Offsets 0, 8, 16 … from element 3.
    AscendCUtils::SetMask<int32_t>(64);
    vconv_f322s32r(Ub<int32_t>(Y), Ub<float>(X), 1, 1, 1, 8, 8);
    vmuls(Ub<int32_t>(Y), Ub<int32_t>(Y), 4, 1, 1, 1, 8, 8);
    AscendCUtils::SetMask<int32_t>(20);
    vgather(Ub<uint32_t>(Z), Ub<uint32_t>(Y), static_cast<uint32_t>(X) + 12, 8, 1);
    vadd(Ub<float>(Z), Ub<float>(Z), Ub<float>(X), 1, 1, 1, 1, 8, 8, 8);
    StoreRow(args, 9, Z);
    AscendCUtils::ResetMask();
    // One result a block, eight of a repeat.
    BlockReduceMaxIntrinsicsImpl(Ub<float>(Y), Ub<float>(X), 2, 1, 1, 8);
    BlockReduceMinIntrinsicsImpl(Ub<float>(Y + 64), Ub<float>(X), 2, 1, 1, 8);
    BlockReduceSumIntrinsicsImpl(Ub<float>(Y + 128), Ub<float>(X), 2, 1, 1, 8);
    StoreRow(args, 10, Y);
}

// Atomics decide what a raw copy adds.
extern "C" __global__ __aicore__ void raw_atomic(void* const* args)
{
    vector_dup(Ub<float>(X), 2.5f, 1, 1, 1, 8, 0);
    pipe_barrier(PIPE_ALL);
    SetAtomicAdd<float>();
    copy_ubuf_to_gm(static_cast<__gm__ float*>(args[0]), Ub<float>(X), 0, 1, 1, 0, 0);
    SetAtomicNone();
}
extern "C" void fault_raw_repeat(void* const*) { vadd(Ub<half>(X), Ub<half>(X), Ub<half>(X), 256, 1, 1, 1, 8, 8, 8); }

// args: int32 x[16]: each core writes its kind. Keys 0 to 5 have the kernel type of this number, others the kernel's.
extern "C" void task_types(void* const* args)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); // the kernel's
    if (TILING_KEY_IS(0)) {
        KERNEL_TASK_TYPE(0, KERNEL_TYPE_AIV_ONLY);
    } else if (TILING_KEY_IS(1)) {
        KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIC_ONLY);
    } else if (TILING_KEY_IS(2)) {
        KERNEL_TASK_TYPE(2, KERNEL_TYPE_MIX_AIV_1_0);
    } else if (TILING_KEY_IS(3)) {
        KERNEL_TASK_TYPE(3, KERNEL_TYPE_MIX_AIC_1_0);
    } else if (TILING_KEY_IS(4)) {
        KERNEL_TASK_TYPE(4, KERNEL_TYPE_MIX_AIC_1_1);
    }
    GlobalTensor<int32_t> to;
    to.SetGlobalBuffer(static_cast<int32_t*>(args[0]));
    const uint64_t at = static_cast<uint64_t>(GetBlockIdx());
    if ASCEND_IS_AIC {
        to.SetValue(8 + at, 2);
    } else {
        to.SetValue(at, 1);
    }
    // Vector instructions of a cube core are left out.
    LocalTensor<float> x(TPosition::VECCALC, 0, 8);
    Duplicate(x, 1.0f, 8);
}

namespace {
// Nobody calls it: a kernel of the cube core next to one of the vector core.
template <typename T>
__global__ __cube__ void CubeKernel(GM_ADDR a, GM_ADDR c)
{
    LocalTensor<T> left, right;
    LocalTensor<float> product;
    LoadData(left, right, LoadData2DParams());
    Mmad(product, left, right, MmadParams());
    *a = *c;
}

template <typename T>
__global__ __vector__ void VectorKernel(GM_ADDR x, GM_ADDR y)
{
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
    to.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 32);
    LocalTensor<T> t = buf.Get<T>();
    DataCopy(t, from, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(t, t, static_cast<T>(1), 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(to, t, 8);
}
} // namespace

// args: float x[8], y[8].
extern "C" void vector_next_to_cube(void* const* args)
{
    VectorKernel<float>(static_cast<GM_ADDR>(args[0]), static_cast<GM_ADDR>(args[1]));
}

// args: uint32 out[3].
extern "C" void numbers(void* const* args)
{
    auto* out = static_cast<uint32_t*>(args[0]);
    GetArchVersion(out[0]);
    out[1] = F32_NEG_INF;
    SortConfig config;
    config.type = SortType::MERGE_SORT;
    out[2] = static_cast<uint32_t>(config.type);
}

extern "C" void broadcast_tiling(void* const*)
{
    const uint32_t from[3] = {1, 4, 8};
    const uint32_t to[3] = {2, 4, 8};
    BroadcastTiling tiling;
    GetBroadcastTilingInfo<float>(3, to, from, false, tiling);
}

extern "C" void broadcast_by_tiling(void* const*)
{
    const uint32_t from[3] = {1, 4, 8};
    const uint32_t to[3] = {2, 4, 8};
    BroadcastTiling tiling;
    tiling.oriRank = 3;
    const LocalTensor<float> x(TPosition::VECCALC, 0, 64);
    Broadcast(x, x, to, from, &tiling);
}
