// C ABI of the vector core: what kernel objects call. The functions live in libascendcl.so; layouts and numbers equal
// those of the Rust crate `aicore`, and a test of that crate compares the two.
#ifndef HOSTCANN_AICORE_ABI_H
#define HOSTCANN_AICORE_ABI_H

#include <stdint.h>

#define AIC_ABI_VERSION 3

// X(kernel-side name, value)
#define AIC_DTYPES(X) \
    X(float, 0)       \
    X(half, 1)        \
    X(bfloat16_t, 2)  \
    X(int8_t, 3)      \
    X(uint8_t, 4)     \
    X(int16_t, 5)     \
    X(uint16_t, 6)    \
    X(int32_t, 7)     \
    X(uint32_t, 8)    \
    X(int64_t, 9)     \
    X(uint64_t, 10)   \
    X(double, 11)     \
    X(bool, 12)       \
    X(int4b_t, 13)

#define AIC_OPCODES(X)     \
    X(Add, 1)              \
    X(Sub, 2)              \
    X(Mul, 3)              \
    X(Div, 4)              \
    X(Max, 5)              \
    X(Min, 6)              \
    X(And, 7)              \
    X(Or, 8)               \
    X(MulAddDst, 9)        \
    X(FusedMulAdd, 10)     \
    X(AddRelu, 11)         \
    X(SubRelu, 12)         \
    X(FusedMulAddRelu, 13) \
    X(Adds, 16)            \
    X(Muls, 17)            \
    X(Maxs, 18)            \
    X(Mins, 19)            \
    X(ShiftLeft, 20)       \
    X(ShiftRight, 21)      \
    X(Axpy, 22)            \
    X(LeakyRelu, 23)       \
    X(AddDeqRelu, 24)      \
    X(AddReluCast, 25)     \
    X(SubReluCast, 26)     \
    X(MulCast, 27)         \
    X(Abs, 32)             \
    X(Exp, 33)             \
    X(Ln, 34)              \
    X(Sqrt, 35)            \
    X(Reciprocal, 36)      \
    X(Rsqrt, 37)           \
    X(Relu, 38)            \
    X(Not, 39)             \
    X(Duplicate, 48)       \
    X(CreateVecIndex, 49)  \
    X(Brcb, 50)            \
    X(Copy, 51)            \
    X(Gather, 52)          \
    X(Gatherb, 53)         \
    X(GatherMask, 54)      \
    X(Cast, 64)            \
    X(Compare, 65)         \
    X(CompareScalar, 66)   \
    X(Select, 67)          \
    X(GetCmpMask, 68)      \
    X(SetCmpMask, 69)      \
    X(CastDequant, 70)     \
    X(ReduceMax, 80)       \
    X(ReduceMin, 81)       \
    X(ReduceSum, 82)       \
    X(WholeReduceMax, 83)  \
    X(WholeReduceMin, 84)  \
    X(WholeReduceSum, 85)  \
    X(BlockReduceMax, 86)  \
    X(BlockReduceMin, 87)  \
    X(BlockReduceSum, 88)  \
    X(PairReduceSum, 89)   \
    X(Sort32, 90)          \
    X(MrgSort, 91)         \
    X(TransDataTo5HD, 96)  \
    X(Transpose, 97)       \
    X(Sin, 160)            \
    X(Cos, 161)            \
    X(Tan, 162)            \
    X(Asin, 163)           \
    X(Acos, 164)           \
    X(Atan, 165)           \
    X(Sinh, 166)           \
    X(Cosh, 167)           \
    X(Tanh, 168)           \
    X(Asinh, 169)          \
    X(Acosh, 170)          \
    X(Atanh, 171)          \
    X(Erf, 172)            \
    X(Erfc, 173)           \
    X(Log2, 174)           \
    X(Log10, 175)          \
    X(Power, 176)          \
    X(Sign, 177)           \
    X(Sigmoid, 178)        \
    X(Silu, 179)           \
    X(Swish, 180)          \
    X(Digamma, 181)        \
    X(Lgamma, 182)         \
    X(Sum, 192)            \
    X(Mean, 193)           \
    X(CumSum, 194)         \
    X(Broadcast, 195)

#define AIC_ENUM(name, value) AIC_OP_##name = value,
enum { AIC_OPCODES(AIC_ENUM) };
#undef AIC_ENUM

// How a vector instruction says which elements it works on.
enum { AIC_FORM_COUNT = 0, AIC_FORM_MASK_COUNT = 1, AIC_FORM_MASK_BITS = 2, AIC_FORM_MASK_REGISTER = 3 };

// roundEn of ShiftRight, calIndex of ReduceMax/ReduceMin, scalar src1 of Select, ifExhaustedSuspension of MrgSort,
// reduceMode of GatherMask; Compare and Select with the CMPMASK register, GatherMask with the mask registers.
enum { AIC_FLAG = 1, AIC_FLAG_REGISTER = 2 };

// Results that instructions leave in special registers.
enum {
    AIC_SPR_RSVD_CNT = 0,      // elements GatherMask kept
    AIC_SPR_ACC_VAL = 1,       // bits of the last ReduceSum with a count
    AIC_SPR_MAX_MIN = 2,       // bits of the last extreme
    AIC_SPR_MAX_MIN_INDEX = 3, // and its index
    AIC_SPR_MRG_SORT = 4,      // elements MrgSort took from each queue, 16 bits each
};

enum { AIC_GM_TO_UB = 0, AIC_UB_TO_GM = 1, AIC_UB_TO_UB = 2 };

// What a scalar access to global memory does; a reference may do either.
enum { AIC_GM_READ = 0, AIC_GM_WRITE = 1, AIC_GM_REFERENCE = 2 };

// The call a copy comes from; it decides units and limits.
enum { AIC_COPY_COUNT = 0, AIC_COPY_BLOCKS = 1, AIC_COPY_PAD = 2, AIC_COPY_PAD_SHORT = 3 };

enum { AIC_QUEUE_TENSORS = 0, AIC_QUEUE_PLACES = 1, AIC_QUEUE_IDLE_BUFFER = 2 };

enum { AIC_ATOMIC_NONE = 0, AIC_ATOMIC_ADD = 1, AIC_ATOMIC_MAX = 2, AIC_ATOMIC_MIN = 3 };

// A tensor in the unified buffer, or a part of one: offset, and the bytes it holds from there on.
typedef struct {
    uint32_t addr;
    uint32_t bytes;
    // Where the tensor lies that was handed out, whatever the kernel made of it since; begin == end: not known.
    uint32_t begin;
    uint32_t end;
    uint32_t lease; // aic_buffer's
} aic_operand;

typedef struct {
    uint16_t opcode;
    uint8_t dtype; // element type of dst
    uint8_t stype; // element type of the first data source
    uint8_t form;
    uint8_t mode; // RoundMode, CMPMODE, SELMODE, ReduceOrder, pattern of GatherMask, valid queues of MrgSort
    uint8_t repeat;
    uint8_t flags;
    uint32_t count; // elements; repeats of a reduction with a mask
    uint32_t base;  // srcBaseOffset of Gather; mask of GatherMask
    aic_operand dst;
    aic_operand src[3]; // Select: selMask, src0, src1. Gather: src, srcOffset. Reduce: src, work buffer.
    uint64_t scalar;    // bits in the operand's own type; shift distance; fourth queue of MrgSort (addr, then bytes)
    uint64_t mask[2];   // element count, or lane bits with the low word first; lengths of MrgSort's queues
    uint16_t blk[4];    // block strides of dst, src0, src1, src2 in 32-byte units
    uint16_t rep[4];    // repeat strides, same order and unit
} aic_vec;

typedef struct {
    uint8_t direction;
    uint8_t kind;
    uint8_t dtype;
    uint8_t is_pad;
    uint8_t left_pad; // elements
    uint8_t right_pad;
    uint16_t cache; // 1: past the L2 cache (CACHE_MODE_DISABLE); only time depends on it
    uint32_t block_count;
    uint32_t block_len;  // bytes
    uint32_t src_stride; // gap between blocks; DataCopyPad counts bytes on the GM side, everything else 32-byte units
    uint32_t dst_stride;
    uint64_t pad_value;
    void* gm;
    aic_operand ub;     // the UB side; the destination for UB to UB
    aic_operand ub_src; // the source for UB to UB
} aic_copy_ins;

typedef struct {
    uint32_t addr;
    uint32_t bytes;
    uint32_t handle; // 0: no buffer
    uint32_t lease;  // number of the AllocTensor that handed it out, 0 for buffers without a queue
} aic_buffer;

// DumpTensor: gm is null for a tensor in the unified buffer.
typedef struct {
    const void* gm;
    aic_operand ub;
    uint32_t dtype;
    uint32_t desc;
    uint32_t count;
    uint32_t dims;
    uint32_t shape[8];
} aic_dump_ins;

// The operands of a call of a high-level function; 0 bytes is no operand.
typedef struct {
    const char* name;
    aic_operand operands[3]; // dst, src0, src1
    aic_operand tmp;
    uint32_t tmp_min;      // less is a fault
    uint32_t tmp_document; // the minimum of the page, 0 or not below tmp_min
    // bit 0: dst may be the source; bit 1: it may not, and the source has been read by the time its place is written
    uint32_t flags;
} aic_adv_call;

// One entry per tiling key; args: inputs, outputs, workspace, tiling.
typedef void (*aic_kernel)(void* const* args);
typedef struct {
    uint32_t index; // place among all parameters
    void* address;
} aic_icpu_param;

#ifdef __cplusplus
extern "C" {
#endif

// A fault leaves these functions by unwinding: build kernels with exceptions enabled.
uint32_t aic_abi_version(void);
void aic_vector(const aic_vec* ins);
void aic_copy(const aic_copy_ins* ins);
void aic_set_flag(uint32_t event, int32_t id);
void aic_wait_flag(uint32_t event, int32_t id);
void aic_barrier(uint32_t pipe);
int32_t aic_event_alloc(uint32_t event);
int32_t aic_event_fetch(uint32_t event);
void aic_event_release(uint32_t event, int32_t id);
void aic_mask_mode(uint32_t counter);
void aic_mask_set(uint64_t high, uint64_t low);
void aic_mask_reset(void);
void aic_deq_scale(uint64_t bits); // the DEQSCALE register
void aic_pad_value(uint64_t bits);
// The control register: saturation modes.
uint64_t aic_ctrl(void);
void aic_set_ctrl(uint64_t bits);
// The blocks of the next TransDataTo5HD: 16 addresses each.
void aic_address_lists(const uint64_t* dst, const uint64_t* src);
uint64_t aic_spr(uint32_t which);
// An exception register: blocks of 32 bytes behind `start` up to `end`; bits of kinds: reads and writes by scalars,
// vectors and copies, and bit 6 switches the register on.
void aic_local_watch(uint32_t index, uint32_t start, uint32_t end, uint32_t kinds);
void aic_atomic(uint32_t op, uint32_t dtype); // AIC_ATOMIC_*; sticky
void aic_atomic_type(uint32_t dtype);
uint32_t aic_atomic_state(void); // operation << 16 | element type, 0 when off
void aic_gm_bypass(const void* addr, uint32_t bytes, uint32_t write);
int64_t aic_program_counter(void);
void aic_sync_all(void);
void aic_sync_soft(void* gm, const aic_operand* ub, int32_t used_cores);
void aic_cross_set(uint32_t mode, uint32_t pipe, uint32_t flag);
void aic_cross_wait(uint32_t flag);
// IBSet (set 1) and IBWait (0) on the word of a core and an event.
void aic_exchange(void* gm, uint32_t set);
// InitDetermineComputeWorkspace, WaitPreBlock and NotifyNextBlock.
void aic_turns_init(void* gm, const aic_operand* ub);
void aic_turn_wait(void* gm, const aic_operand* ub);
void aic_turn_done(void* gm, const aic_operand* ub);
// GroupBarrier: one more for each waiting core; until so many are counted for one of them.
void aic_group_arrive(void* gm, uint32_t waiting);
void aic_group_wait(void* gm, uint32_t slot, uint32_t arrivals);
// Host address of element `index` of a tensor, `bytes` bytes long.
void* aic_ub_scalar(const aic_operand* tensor, uint32_t index, uint32_t bytes, uint32_t write);
void aic_dcci(const void* addr, uint32_t whole);
void aic_gm_scalar(const void* addr, uint32_t bytes, uint32_t write);
// padding: NULL, or `bytes` bytes of which those over padding of the struct are not 0.
void aic_load_tiling(void* dst, const void* src, uint64_t bytes, const uint8_t* padding);
void aic_tiling_pointer(const void* src);
int64_t aic_block_idx(void);
int64_t aic_block_num(void);
int64_t aic_system_cycle(void);
void aic_set_sys_workspace(void* gm, uint32_t force);
void* aic_sys_workspace(void);
void aic_print(const char* text);
void aic_dump(const aic_dump_ins* ins);
void aic_adv(const aic_adv_call* call);
uint64_t aic_tiling_key(void);
// type: a KERNEL_TYPE_*. keyed: it is that of the launch's tiling key, and counts before that of the kernel.
void aic_kernel_type(uint32_t type, uint32_t keyed);
// The arguments of the kernel and its tiling data, one after the other.
const void* aic_para_base(void);
void aic_pipe_open(void* pipe);
void aic_pipe_close(uint32_t all); // all: wait for every pipe
void aic_pipe_reset(void);
void* aic_pipe_current(void);
uint32_t aic_queue_init(uint32_t depth, uint32_t num, uint32_t len);
aic_buffer aic_tbuf_init(uint32_t len);
// Buffers at places of the kernel's choice: a queue and then each of its buffers, a TBuf, a pool of such places.
uint32_t aic_queue_begin(uint32_t depth, uint32_t num);
void aic_queue_place(uint32_t que, uint32_t index, uint32_t addr, uint32_t len);
aic_buffer aic_tbuf_place(uint32_t addr, uint32_t len);
aic_buffer aic_pool_init(uint32_t len);
void aic_queue_settle(uint32_t que); // FreeAllEvent
// Keeps bytes beside a tensor for the length of the kernel: equal bytes have the same number, which is never 0.
uint32_t aic_note(const void* bytes, uint32_t len);
const void* aic_noted(uint32_t note); // NULL for 0
void aic_tensor_print(const aic_dump_ins* ins);
int32_t aic_tensor_file(const aic_operand* ub, const char* name); // 0: written
aic_buffer aic_pop_stack(void);
aic_buffer aic_fill_stack(void); // for Fill
aic_buffer aic_queue_alloc(uint32_t que);
void aic_queue_enque(uint32_t que, uint32_t handle, uint32_t event);
aic_buffer aic_queue_deque(uint32_t que);
void aic_queue_free(uint32_t que, uint32_t handle, uint32_t event);
uint32_t aic_queue_query(uint32_t que, uint32_t what);
// A value that does not fit the field of `bits` bits it was put into. Returns only where the instruction does not use
// it.
void aic_vector_truncated(const aic_vec* ins, const char* field, int64_t given, uint32_t bits);
void aic_copy_truncated(const aic_copy_ins* ins, const char* field, int64_t given, uint32_t bits);
// These do not return.
void aic_assert(const char* expr, const char* file, uint32_t line, const char* text);
// A C++ exception left the kernel: what it says, or its type; may be null. Does not return.
void aic_thrown(const char* text);
void aic_unsupported(const char* name);
void aic_misuse(const char* instruction, const char* operand, const char* what, const char* expected, int64_t got,
                const char* fix);

// For host programs: runs a kernel function, 0 on success, else aic_last_error has the text.
// `params`: the pointers among the kernel's parameters; check mode bounds them by the blocks of aic_gm_alloc.
int32_t aic_icpu_run(aic_kernel kernel, const char* name, uint64_t tiling_key, uint32_t block_dim, void* const* args,
                     uint32_t arg_num, const aic_icpu_param* params, uint32_t param_num);
// GmAlloc and GmFree: NULL without memory; 1 for an address that is not the start of a live block.
void* aic_gm_alloc(uint64_t bytes);
int32_t aic_gm_free(void* block);
const char* aic_last_error(void);

#ifdef __cplusplus
}
#endif

#endif // HOSTCANN_AICORE_ABI_H
