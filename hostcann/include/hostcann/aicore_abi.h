// C ABI of the vector core: what kernel objects call. The functions live in libascendcl.so.
// A fault leaves them by unwinding: build kernels with exceptions enabled.
// Made from Rust sources: a test compares, HOSTCANN_UPDATE_HEADERS=1 writes it.
// clang-format off

#ifndef HOSTCANN_AICORE_ABI_H
#define HOSTCANN_AICORE_ABI_H

#include <stdint.h>

// X(name in kernels, value)
#define AIC_DTYPES(X) \
    X(float, 0) \
    X(half, 1) \
    X(bfloat16_t, 2) \
    X(int8_t, 3) \
    X(uint8_t, 4) \
    X(int16_t, 5) \
    X(uint16_t, 6) \
    X(int32_t, 7) \
    X(uint32_t, 8) \
    X(int64_t, 9) \
    X(uint64_t, 10) \
    X(double, 11) \
    X(bool, 12) \
    X(int4b_t, 13)

// X(name in kernels, value)
#define AIC_OPCODES(X) \
    X(Add, 1) \
    X(Sub, 2) \
    X(Mul, 3) \
    X(Div, 4) \
    X(Max, 5) \
    X(Min, 6) \
    X(And, 7) \
    X(Or, 8) \
    X(MulAddDst, 9) \
    X(FusedMulAdd, 10) \
    X(AddRelu, 11) \
    X(SubRelu, 12) \
    X(FusedMulAddRelu, 13) \
    X(Adds, 16) \
    X(Muls, 17) \
    X(Maxs, 18) \
    X(Mins, 19) \
    X(ShiftLeft, 20) \
    X(ShiftRight, 21) \
    X(Axpy, 22) \
    X(LeakyRelu, 23) \
    X(AddDeqRelu, 24) \
    X(AddReluCast, 25) \
    X(SubReluCast, 26) \
    X(MulCast, 27) \
    X(Abs, 32) \
    X(Exp, 33) \
    X(Ln, 34) \
    X(Sqrt, 35) \
    X(Reciprocal, 36) \
    X(Rsqrt, 37) \
    X(Relu, 38) \
    X(Not, 39) \
    X(Duplicate, 48) \
    X(CreateVecIndex, 49) \
    X(Brcb, 50) \
    X(Copy, 51) \
    X(Gather, 52) \
    X(Gatherb, 53) \
    X(GatherMask, 54) \
    X(Cast, 64) \
    X(Compare, 65) \
    X(CompareScalar, 66) \
    X(Select, 67) \
    X(GetCmpMask, 68) \
    X(SetCmpMask, 69) \
    X(CastDequant, 70) \
    X(ReduceMax, 80) \
    X(ReduceMin, 81) \
    X(ReduceSum, 82) \
    X(WholeReduceMax, 83) \
    X(WholeReduceMin, 84) \
    X(WholeReduceSum, 85) \
    X(BlockReduceMax, 86) \
    X(BlockReduceMin, 87) \
    X(BlockReduceSum, 88) \
    X(PairReduceSum, 89) \
    X(Sort32, 90) \
    X(MrgSort, 91) \
    X(TransDataTo5HD, 96) \
    X(Transpose, 97) \
    X(Sin, 160) \
    X(Cos, 161) \
    X(Tan, 162) \
    X(Asin, 163) \
    X(Acos, 164) \
    X(Atan, 165) \
    X(Sinh, 166) \
    X(Cosh, 167) \
    X(Tanh, 168) \
    X(Asinh, 169) \
    X(Acosh, 170) \
    X(Atanh, 171) \
    X(Erf, 172) \
    X(Erfc, 173) \
    X(Log2, 174) \
    X(Log10, 175) \
    X(Power, 176) \
    X(Sign, 177) \
    X(Sigmoid, 178) \
    X(Silu, 179) \
    X(Swish, 180) \
    X(Digamma, 181) \
    X(Lgamma, 182) \
    X(Sum, 192) \
    X(Mean, 193) \
    X(CumSum, 194) \
    X(Broadcast, 195)

#define AIC_ENUM(name, value) AIC_OP_##name = value,
enum { AIC_OPCODES(AIC_ENUM) };
#undef AIC_ENUM

// How a vector instruction says which elements it works on.
enum {
    AIC_FORM_COUNT = 0,
    AIC_FORM_MASK_COUNT = 1,
    AIC_FORM_MASK_BITS = 2,
    AIC_FORM_MASK_REGISTER = 3,
};

// Results that instructions leave in special registers.
enum {
    AIC_SPR_RSVD_CNT = 0,
    AIC_SPR_ACC_VAL = 1,
    AIC_SPR_MAX_MIN = 2,
    AIC_SPR_MAX_MIN_INDEX = 3,
    AIC_SPR_MRG_SORT = 4,
};

// Between global memory and the unified buffer.
enum {
    AIC_GM_TO_UB = 0,
    AIC_UB_TO_GM = 1,
    AIC_UB_TO_UB = 2,
};

// What a scalar access to global memory does; a reference may do either.
enum {
    AIC_GM_READ = 0,
    AIC_GM_WRITE = 1,
    AIC_GM_REFERENCE = 2,
};

// The call a copy comes from; it decides units and limits.
enum {
    AIC_COPY_COUNT = 0,
    AIC_COPY_BLOCKS = 1,
    AIC_COPY_PAD = 2,
    AIC_COPY_PAD_SHORT = 3,
    AIC_COPY_MATMUL = 4,
};

// What aic_queue_query counts.
enum {
    AIC_QUEUE_TENSORS = 0,
    AIC_QUEUE_PLACES = 1,
    AIC_QUEUE_IDLE_BUFFER = 2,
};

// Where an operand of a Matmul object is.
enum {
    AIC_MATMUL_AT_NONE = 0,
    AIC_MATMUL_AT_GM = 1,
    AIC_MATMUL_AT_UB = 2,
    AIC_MATMUL_AT_SCALAR = 3,
};

// Operands of a Matmul object.
enum {
    AIC_MATMUL_ROLE_A = 0,
    AIC_MATMUL_ROLE_B = 1,
    AIC_MATMUL_ROLE_BIAS = 2,
    AIC_MATMUL_ROLE_QUANT = 3,
    AIC_MATMUL_ROLE_WORKSPACE = 4,
};

// What aic_matmul_set sets.
enum {
    AIC_MATMUL_SET_ORG_SHAPE = 0,
    AIC_MATMUL_SET_SINGLE_SHAPE = 1,
    AIC_MATMUL_SET_HF32 = 2,
    AIC_MATMUL_SET_QUANT_SCALAR = 3,
};

// What copies to global memory do with the bytes they find.
enum {
    AIC_ATOMIC_NONE = 0,
    AIC_ATOMIC_ADD = 1,
    AIC_ATOMIC_MAX = 2,
    AIC_ATOMIC_MIN = 3,
};

// One entry per tiling key; args: inputs, outputs, workspace, tiling.
typedef void (*aic_kernel)(void* const* args);

// Flag of `aic_vec`: roundEn of ShiftRight, calIndex of ReduceMax/ReduceMin, scalar src1 of Select, ifExhaustedSuspension
// of MrgSort, reduceMode of GatherMask.
#define AIC_FLAG 1

// Flag of `aic_vec`: Compare and Select with the CMPMASK register, GatherMask with the mask registers.
#define AIC_FLAG_REGISTER 2

// Words of TCubeTiling.
#define TILING_WORDS 50

// Changes when a layout, a number or the meaning of a function changes.
#define AIC_ABI_VERSION 4

// A tensor in the unified buffer, or a part of one.
typedef struct {
    uint32_t addr;
    // Bytes the tensor holds from `addr` on; for observers.
    uint32_t bytes;
    // The tensor that a queue, a TBuf or an allocator handed out, whatever the kernel made of it since; the same number
    // twice where that is not known.
    uint32_t begin;
    uint32_t end;
    // The AllocTensor that it comes from, 0 for none.
    uint32_t lease;
} aic_operand;

// A vector instruction.
typedef struct {
    uint16_t opcode;
    // Element type of dst.
    uint8_t dtype;
    // Element type of the (first) data source.
    uint8_t stype;
    uint8_t form;
    // RoundMode, CMPMODE, SELMODE, ReduceOrder, the pattern of GatherMask or the valid queues of MrgSort.
    uint8_t mode;
    uint8_t repeat;
    // AIC_FLAG, AIC_FLAG_REGISTER.
    uint8_t flags;
    // Elements. The repeats of GatherMask and of a reduction with a mask: they may be more than 255.
    uint32_t count;
    // Byte offset added to every Gather offset; the AllocTensor of MrgSort's fourth queue.
    uint32_t base;
    aic_operand dst;
    // Select: selMask, src0, src1. Gather: src, srcOffset. Reduce: src, work buffer.
    aic_operand src[3];
    // Bits of the scalar operand in its own type; the shift distance; the fourth queue of MrgSort.
    uint64_t scalar;
    // Element count, or lane bits (low word first). MrgSort: the lengths of its queues, 16 bits each; where the tensor of the
    // fourth begins and ends, 32 bits each.
    uint64_t mask[2];
    // Block strides of dst, src0, src1, src2 in 32-byte units.
    uint16_t blk[4];
    // Repeat strides, same order and unit.
    uint16_t rep[4];
} aic_vec;

// A transfer between global memory and the unified buffer, or inside the buffer.
typedef struct {
    uint8_t direction;
    uint8_t kind;
    uint8_t dtype;
    uint8_t is_pad;
    // Elements.
    uint8_t left_pad;
    uint8_t right_pad;
    // 1: past the L2 cache (CACHE_MODE_DISABLE). Only time depends on it.
    uint16_t cache;
    uint32_t block_count;
    // Bytes per block.
    uint32_t block_len;
    // Gaps from the end of a block to the start of the next: bytes on the GM side, 32-byte units on the UB side.
    uint32_t src_stride;
    uint32_t dst_stride;
    uint64_t pad_value;
    void *gm;
    // The UB side; the destination for UB->UB.
    aic_operand ub;
    // The source for UB->UB.
    aic_operand ub_src;
} aic_copy_ins;

// The operands of one high-level call, checked before its instructions are issued.
typedef struct {
    const char *name;
    // dst, src0, src1 with the bytes the call works on; 0 bytes is no operand.
    aic_operand operands[3];
    aic_operand tmp;
    // What the temporary space must hold at least.
    uint32_t tmp_min;
    // The minimum that the function's page asks for.
    uint32_t tmp_document;
    // Bit 0: dst may be the source; bit 1: it may not, and the source has been read by the time its place is written.
    uint32_t flags;
} aic_adv_call;

// A DumpTensor call; `gm` is null for a tensor in the unified buffer.
typedef struct {
    const void *gm;
    aic_operand ub;
    uint32_t dtype;
    uint32_t desc;
    uint32_t count;
    uint32_t dims;
    uint32_t shape[8];
} aic_dump_ins;

// Position, format and type of a matrix, as MatmulType names them; numbers of TPosition, CubeFormat and the data types.
typedef struct {
    uint8_t position;
    uint8_t format;
    uint8_t dtype;
    // It may be transposed.
    uint8_t is_trans;
} aic_matmul_kind;

// What the template arguments of a Matmul object say.
typedef struct {
    aic_matmul_kind a;
    aic_matmul_kind b;
    aic_matmul_kind c;
    aic_matmul_kind bias;
    // It runs on the cube core itself: MatmulImpl, and Matmul with ASCENDC_CUBE_ONLY.
    uint8_t cube_only;
    // Fractals of 8 floats in a result of format NZ.
    uint8_t channel_split;
    // iterateOrder of MatmulConfig: 0 along M, 1 along N, 2 as the tiling says.
    uint8_t order;
    // A and B are shared by the vector cores of a block, of which the first one calls.
    uint8_t is_shared;
} aic_matmul_types;

// A matrix, a vector or a scalar for it.
typedef struct {
    // In global memory.
    void *gm;
    // Bytes of a workspace; 0 if its tensor does not know.
    uint64_t bytes;
    // Bits of a scalar.
    uint64_t scalar;
    // In the unified buffer.
    aic_operand ub;
    // AIC_MATMUL_AT_*.
    uint8_t place;
    uint8_t is_trans;
    uint8_t rest[6];
} aic_matmul_operand;

// How a result is written.
typedef struct {
    // 0, or AIC_ATOMIC_*.
    uint8_t atomic;
    // Block after block; else each block at its place in the matrix.
    uint8_t is_sequential;
    // The call returns when it is done.
    uint8_t is_sync;
    // WaitIterateAll follows.
    uint8_t is_awaited;
} aic_matmul_out;

// A buffer handed to the kernel.
typedef struct {
    uint32_t addr;
    uint32_t bytes;
    // 0 is no buffer.
    uint32_t handle;
    // The AllocTensor that handed it out, counted from 1; 0 for buffers without a queue.
    uint32_t lease;
} aic_buffer;

// A parameter of a kernel function that is a pointer.
typedef struct {
    // Its place among all parameters.
    uint32_t index;
    void *address;
} aic_icpu_param;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Version of this interface.
uint32_t aic_abi_version(void);

// Issues a vector instruction.
void aic_vector(const aic_vec *ins);

// Issues a copy.
void aic_copy(const aic_copy_ins *ins);

// SetFlag.
void aic_set_flag(uint32_t event, int32_t id);

// WaitFlag.
void aic_wait_flag(uint32_t event, int32_t id);

// PipeBarrier.
void aic_barrier(uint32_t pipe);

// AllocEventID.
int32_t aic_event_alloc(uint32_t event);

// FetchEventID.
int32_t aic_event_fetch(uint32_t event);

// ReleaseEventID.
void aic_event_release(uint32_t event, int32_t id);

// SetMaskCount (1) and SetMaskNorm (0).
void aic_mask_mode(uint32_t counter);

// SetVectorMask: lane bits, or the element count in `low`.
void aic_mask_set(uint64_t high, uint64_t low);

// ResetMask.
void aic_mask_reset(void);

// SetDeqScale: the bits of the register.
void aic_deq_scale(uint64_t bits);

// SetPadValue with the bits of an element.
void aic_pad_value(uint64_t bits);

// The control register: saturation modes.
uint64_t aic_ctrl(void);

// Sets the control register.
void aic_set_ctrl(uint64_t bits);

// Addresses of the blocks of TransDataTo5HD, 16 each.
void aic_address_lists(const uint64_t *dst, const uint64_t *src);

// Reads a special register.
uint64_t aic_spr(uint32_t which);

// CheckLocalMemoryIA: an exception register. Blocks of 32 bytes after `start` up to `end`; bits of kinds: reads and writes
// by scalars, vectors and copies, and bit 6 switches the register on.
void aic_local_watch(uint32_t index,
                     uint32_t start,
                     uint32_t end,
                     uint32_t kinds);

// SetAtomicAdd, SetAtomicMax, SetAtomicMin with an element type; sticky. `op`: AIC_ATOMIC_*.
void aic_atomic(uint32_t op, uint32_t dtype);

// SetAtomicType: the element type, for the operation that is set, or a sum.
void aic_atomic_type(uint32_t dtype);

// GetStoreAtomicConfig: the operation in the high half, the element type in the low half, or 0.
uint32_t aic_atomic_state(void);

// ReadGmByPassDCache and WriteGmByPassDCache are about to happen: other cores may wait for it in a loop.
void aic_gm_bypass(const void *addr, uint32_t bytes, uint32_t write);

// GetProgramCounter.
int64_t aic_program_counter(void);

// SyncAll of the vector cores, or with `cubes` of all cores.
void aic_sync_all(uint32_t cubes);

// SyncAll through a workspace; `used_cores` 0 means all blocks.
void aic_sync_soft(void *gm, const aic_operand *ub, int32_t used_cores);

// CrossCoreSetFlag.
void aic_cross_set(uint32_t mode, uint32_t pipe, uint32_t flag);

// CrossCoreWaitFlag.
void aic_cross_wait(uint32_t flag);

// IBSet (`set` 1) and IBWait (0) on the word of a core and an event; all pipes are done before and after.
void aic_exchange(void *gm, uint32_t set);

// InitDetermineComputeWorkspace.
void aic_turns_init(void *gm, const aic_operand *ub);

// WaitPreBlock.
void aic_turn_wait(void *gm, const aic_operand *ub);

// NotifyNextBlock.
void aic_turn_done(void *gm, const aic_operand *ub);

// GroupBarrier::Arrive: one more for each of `waiting` cores.
void aic_group_arrive(void *gm, uint32_t waiting);

// GroupBarrier::Wait: until `arrivals` are counted for a waiting core.
void aic_group_wait(void *gm, uint32_t slot, uint32_t arrivals);

// Host address of element `index` of a tensor, `bytes` bytes long.
void *aic_ub_scalar(const aic_operand *tensor, uint32_t index, uint32_t bytes, uint32_t write);

// DataCacheCleanAndInvalid of the line at `addr`, or of the whole cache.
void aic_dcci(const void *addr, uint32_t whole);

// Checks a scalar access to global memory. `write`: AIC_GM_*.
void aic_gm_scalar(const void *addr, uint32_t bytes, uint32_t write);

// Copies tiling data out of global memory. `padding`: null, or a nonzero byte for every byte that is padding.
void aic_load_tiling(void *dst, const void *src, uint64_t bytes, const uint8_t *padding);

// The kernel keeps a pointer to its tiling data.
void aic_tiling_pointer(const void *src);

// GetBlockIdx.
int64_t aic_block_idx(void);

// GetBlockNum.
int64_t aic_block_num(void);

// GetSubBlockIdx.
int64_t aic_sub_block(void);

// GetTaskRation: vector cores of a block.
int64_t aic_task_ratio(void);

// Whether this is a cube core.
uint32_t aic_is_cube(void);

// GetSystemCycle.
int64_t aic_system_cycle(void);

// SetSysWorkspace: the first call counts, unless forced.
void aic_set_sys_workspace(void *gm, uint32_t force);

// What SetSysWorkspace set.
void *aic_sys_workspace(void);

// printf.
void aic_print(const char *text);

// Checks the operands of a high-level function.
void aic_adv(const aic_adv_call *call);

// DumpTensor.
void aic_dump(const aic_dump_ins *ins);

// The tiling key of the launch.
uint64_t aic_tiling_key(void);

// KERNEL_TASK_TYPE_DEFAULT, and KERNEL_TASK_TYPE for the tiling key of the launch, which counts before that of the
// kernel. `kind`: a KERNEL_TYPE_*.
void aic_kernel_type(uint32_t kind, uint32_t keyed);

// REGIST_MATMUL_OBJ: 1 on a cube core that serves the objects of its vector cores, whose kernel ends. `cube_only`: the
// objects run on the cube core itself.
uint32_t aic_matmul_server(uint32_t cube_only);

// Init of a Matmul object: its number, 0 for a new one; the 50 words of TCubeTiling. The result is its number.
uint32_t aic_matmul_init(uint32_t id, const aic_matmul_types *types, const void *tiling);

// SetTensorA, SetTensorB, SetBias, SetQuantVector, SetWorkspace. `role`: AIC_MATMUL_ROLE_*.
void aic_matmul_tensor(uint32_t id, uint32_t role, const aic_matmul_operand *at);

// Shapes and switches: five values. `what`: AIC_MATMUL_SET_*.
void aic_matmul_set(uint32_t id, uint32_t what, const int64_t *values);

// Iterate: 0 when all blocks are done.
uint32_t aic_matmul_iterate(uint32_t id, uint32_t partial, uint32_t sync);

// IterateAll.
void aic_matmul_all(uint32_t id, const aic_matmul_operand *at, const aic_matmul_out *how);

// GetTensorC.
void aic_matmul_get(uint32_t id, const aic_matmul_operand *at, const aic_matmul_out *how);

// GetTensorC of an asynchronous Iterate without a tensor: where the next block lies.
void *aic_matmul_next(uint32_t id);

// WaitIterateAll.
void aic_matmul_wait(uint32_t id);

// End of a Matmul object.
void aic_matmul_end(uint32_t id);

// The arguments of the kernel and its tiling data, one after the other.
const void *aic_para_base(void);

// Start of a TPipe's life.
void aic_pipe_open(void *pipe);

// A TPipe takes over the state of another one.
void aic_pipe_copy(void *to, const void *from);

// End of a TPipe's life; `all`: wait for every pipe. Called from a destructor: never unwinds, does nothing while a fault
// is on its way.
void aic_pipe_close(uint32_t all);

// TPipe::Reset.
void aic_pipe_reset(void);

// The live TPipe.
void *aic_pipe_current(void);

// InitBuffer of a queue; the result identifies it.
uint32_t aic_queue_init(uint32_t depth, uint32_t num, uint32_t len);

// InitStartBufHandle: a queue whose buffers `aic_queue_place` puts somewhere; the result identifies it.
uint32_t aic_queue_begin(uint32_t depth, uint32_t num);

// InitBufHandle of a queue.
void aic_queue_place(uint32_t que, uint32_t index, uint32_t addr, uint32_t len);

// InitBufHandle of a TBuf.
aic_buffer aic_tbuf_place(uint32_t addr, uint32_t len);

// InitBufPool.
aic_buffer aic_pool_init(uint32_t len);

// FreeAllEvent.
void aic_queue_settle(uint32_t que);

// Keeps bytes next to a tensor for the length of the kernel; equal bytes have the same number, which is never 0.
uint32_t aic_note(const void *bytes, uint32_t len);

// The bytes of a number of `aic_note`; NULL for 0.
const void *aic_noted(uint32_t note);

// LocalTensor::Print.
void aic_tensor_print(const aic_dump_ins *ins);

// LocalTensor::ToFile: 0 when the file is written.
int32_t aic_tensor_file(const aic_operand *ub, const char *name);

// InitBuffer of a TBuf.
aic_buffer aic_tbuf_init(uint32_t len);

// A tensor of a TBuf that ends behind its buffer: the call and both ends.
void aic_tbuf_exceeded(const char *name, uint64_t end, uint32_t bytes);

// PopStackBuffer.
aic_buffer aic_pop_stack(void);

// The buffer of Fill, InitGlobalMemory and InitOutput.
aic_buffer aic_fill_stack(void);

// AllocTensor.
aic_buffer aic_queue_alloc(uint32_t que);

// EnQue.
void aic_queue_enque(uint32_t que, uint32_t handle, uint32_t event);

// DeQue.
aic_buffer aic_queue_deque(uint32_t que);

// FreeTensor.
void aic_queue_free(uint32_t que, uint32_t handle, uint32_t event);

// `what`: AIC_QUEUE_*: tensors in the queue, free places, whether AllocTensor would succeed.
uint32_t aic_queue_query(uint32_t que, uint32_t what);

// A value that does not fit the field of `bits` bits of a vector instruction that it was put into. Returns only where the
// instruction does not use it.
void aic_vector_truncated(const aic_vec *ins,
                          const char *field,
                          int64_t given,
                          uint32_t bits);

// The same for a copy.
void aic_copy_truncated(const aic_copy_ins *ins, const char *field, int64_t given, uint32_t bits);

// A call that exists upstream and is not modelled. Does not return.
void aic_unsupported(const char *name);

// An assertion of the kernel that failed. Does not return.
void aic_assert(const char *expr, const char *file, uint32_t line, const char *text);

// A C++ exception left the kernel: what it says, or its type; may be null. Does not return; the place is the kernel's
// last call.
void aic_thrown(const char *text);

// A misuse the façade found: instruction, operand, what, expected, fix and the value. Does not return.
void aic_misuse(const char *instruction,
                const char *operand,
                const char *what,
                const char *expected,
                int64_t got,
                const char *fix);

// GmAlloc: cleared pages of its own for every block; null when there is no memory.
void *aic_gm_alloc(uint64_t bytes);

// GmFree: 1 when the address is not the start of a live block.
int32_t aic_gm_free(void *block);

// For host programs: runs `kernel` over `block_dim` blocks. 0 on success; otherwise `aic_last_error` has the text. `params`:
// the pointers among the kernel's parameters; check mode bounds them by the blocks of `aic_gm_alloc`.
int32_t aic_icpu_run(aic_kernel kernel,
                     const char *name,
                     uint64_t tiling_key,
                     uint32_t block_dim,
                     void *const *args,
                     uint32_t arg_num,
                     const aic_icpu_param *params,
                     uint32_t param_num);

// Text of the calling thread's last error; valid until its next call.
const char *aic_last_error(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HOSTCANN_AICORE_ABI_H */
