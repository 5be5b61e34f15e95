// C ABI between libnnopbase.so (C++ types that op sources need) and libascendcl.so (everything else).
// Made from Rust sources: a test compares, HOSTCANN_UPDATE_HEADERS=1 writes it.
// clang-format off

#ifndef HOSTCANN_HOST_ABI_H
#define HOSTCANN_HOST_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A kernel of an installed package; owned by the library, never freed.
typedef struct hc_kernel_binary hc_kernel_binary;
// An ordered list of nodes over storages.
typedef struct hc_plan hc_plan;

// Levels of `hc_log`.
#define HC_LOG_ERROR 0

#define HC_LOG_WARN 1

#define HC_LOG_INFO 2

#define HC_LOG_DEBUG 3

// Kinds of `hc_memory`.
#define HC_MEMORY_EXTERNAL 0

#define HC_MEMORY_WORKSPACE 1

#define HC_MEMORY_HOST 2

// An aclnn status code, 0 on success (aclnn/opdev/op_errno.h).
typedef int32_t hc_status;

// Type and format of an input or output of an operator.
typedef struct {
    // 0: optional input that is absent; the other fields are ignored.
    int32_t present;
    int32_t dtype;
    int32_t format;
} hc_tensor_type;

// A storage of a plan by its number: memory whose address is known when the plan runs.
typedef uint32_t hc_storage;

// A tensor of a node of a plan.
typedef struct {
    // 0: absent optional tensor, passed to the kernel as a null pointer.
    int32_t present;
    hc_storage storage;
    uint64_t byte_offset;
    // Extent used from byte_offset on.
    uint64_t bytes;
    // 0: every byte is an element's; else the plan's description of the bytes that are.
    uint32_t view;
} hc_operand;

// The storage object behind a tensor, as it is now.
typedef struct {
    // The object: the same one is the same storage of a plan.
    const void *key;
    int32_t kind;
    // 1: the user destroyed the tensor it was made for.
    int32_t gone;
    // Of external and host memory.
    void *address;
    // Of the tensor it was made for.
    uint64_t bytes;
    // Storage offset in bytes.
    int64_t offset;
} hc_memory;

// Where the elements of a tensor lie, from the beginning of an operand.
typedef struct {
    uint64_t rank;
    // `rank` of them.
    const int64_t *dims;
    // Elements.
    const int64_t *strides;
    // Of an element.
    uint32_t bits;
    // Bits from where the operand begins.
    int64_t first;
} hc_elements;

// A tensor over its storage object.
typedef struct {
    hc_memory memory;
    // 1: `bytes` count from its offset; 0: from the start of its memory.
    int32_t view;
    uint32_t element_bits;
    // Elements.
    int64_t view_offset;
    // Elements.
    int64_t storage_offset;
    // Of its storage shape.
    uint64_t bytes;
    // The dims of its view. Where not all bytes are an element's, as between strided rows of the user's tensor, all
    // of its elements. 1: there are such bytes.
    int32_t gaps;
    hc_elements elements;
} hc_tensor;

// What the tiling function gives to a launch.
typedef struct {
    uint64_t tiling_key;
    uint32_t block_dim;
    // 1: outputs with an InitValue are filled before the kernel.
    int32_t need_atomic;
    const void *tiling_data;
    uint64_t tiling_size;
    // NULL, or the data of the same tiling function in a buffer that held other bytes before: where the two differ,
    // the function did not write.
    const void *tiling_other;
    // Sizes asked for by the tiling function.
    const uint64_t *workspaces;
    uint64_t workspace_num;
} hc_launch;

// What a node does on the host, on the stream's thread: reads and writes the operands (absent ones are null). 0, or the
// status the stream ends with and a text of less than `size` bytes.
typedef hc_status (*hc_host_call)(void *context, void *const *operands, size_t count, char *message, size_t size);

// Gives a context back.
typedef void (*hc_drop)(void *context);

// One side of a copy.
typedef struct {
    hc_operand at;
    // Elements, `rank` of them.
    const int64_t *strides;
} hc_strided;

// An argument of a launch without a plan that is an address.
typedef struct {
    // Its place among all arguments.
    uint32_t index;
    const void *address;
} hc_pointer;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Whether the log shows lines of this level (HC_LOG_*).
int32_t hc_log_enabled(int32_t level);

// Writes a line to the log.
void hc_log(int32_t level, const char *module, const char *message);

// Adds a message to the calling thread's list, newest first; aclGetRecentErrMsg returns and clears it. code:
// "EZ1001".
void hc_report_error(const char *code, const char *message);

// A failure of nnopbase with its status: inner errors go into the verdict.
void hc_note_failure(int32_t code, const char *message);

// Names the function of an operator's host side that runs on this thread until `hc_host_leave`.
//
// `frame`: an address in the caller's stack frame; a crash is told with the functions above it.
void hc_host_enter(const char *what, const char *op_type, const void *frame);

// The function of `hc_host_enter` has returned.
void hc_host_leave(void);

// Full name, e.g. "Ascend910B3". NULL (and a reported error) when the SoC file is missing or broken.
const char *hc_soc_name(void);

// Text of `key` in `[section]` of the SoC file after environment overrides; NULL when absent. Lives as long as the
// process.
const char *hc_soc_value(const char *section, const char *key);

// Folder of the SoC below op_impl/ai_core/tbe/{config,kernel}: "ascend910b" or "ascend910_93".
const char *hc_soc_folder(void);

// Bytes, -1 when unknown.
int64_t hc_dtype_size(int32_t dtype);

// Opdev PromoteType table; 28 (DT_UNDEFINED) when undefined.
int32_t hc_promote_type(int32_t a, int32_t b);

// Opdev CanCast.
int32_t hc_can_cast(int32_t from, int32_t to);

// Whether hc_plan_add_cast accepts the pair.
int32_t hc_cast_supported(int32_t from, int32_t to);

// Vendor directories in search order: ASCEND_CUSTOM_OPP_PATH entries, then
// $ASCEND_OPP_PATH/vendors/<load_priority>.
size_t hc_vendor_count(void);

// The vendor directory with this number; NULL after the last.
const char *hc_vendor_dir(size_t index);

// Looks up the op type in aic-<soc>-ops-info.json and the binary in kernel/config/<soc>/<op>.json for exactly these
// types. Failure: 561003/561107/561108..561112 with a reported error that names op, dtypes and what is installed.
hc_status hc_find_kernel(const char *op_type,
                         const hc_tensor_type *inputs,
                         size_t input_num,
                         const hc_tensor_type *outputs,
                         size_t output_num,
                         const hc_kernel_binary **found);

// 1 when kernels run checked (HOSTCANN_CHECK).
int32_t hc_checking(void);

// Vendor directory in which the op type was found, NULL when not installed.
const char *hc_op_vendor_dir(const char *op_type);

// 207000 for a function that the toolkit does not have; `*is_told`, false at first, remembers that the log has it.
int32_t hc_unsupported(const char *name, bool *is_told);

// The determinism level of the process, 0 when nobody has set it.
int64_t hc_deterministic_level(void);

// Functions that return a storage report an error and return 0xFFFFFFFF on failure.
hc_plan *hc_plan_new(void);

// Frees a plan; what was queued from it runs on.
void hc_plan_free(hc_plan *plan);

// Memory of the user.
hc_storage hc_plan_add_external(hc_plan *plan, void *address);

// So many bytes of the workspace.
hc_storage hc_plan_add_workspace(hc_plan *plan, uint64_t bytes);

// Copied, zero padded to 32 bytes.
hc_storage hc_plan_add_host(hc_plan *plan, const void *data, uint64_t bytes);

// Memory with `words`, followed by the addresses the operands have when the plan runs.
hc_storage hc_plan_add_list(hc_plan *plan,
                            const uint64_t *words,
                            size_t word_num,
                            const hc_operand *tensors,
                            size_t tensor_num);

// External memory lies somewhere else now.
void hc_plan_set_address(hc_plan *plan, hc_storage storage, void *address);

// From now on `from` (a workspace storage) means `to` + byte_offset: a producer writes its consumer's memory
// directly.
hc_status hc_plan_redirect(hc_plan *plan, hc_storage from, hc_storage to, uint64_t byte_offset);

// The part of its memory that a tensor means. The memory becomes a storage of the plan at its first use.
hc_status hc_plan_operand(hc_plan *plan, const hc_tensor *tensor, hc_operand *operand);

// The producer of the storage object `middle` writes where `out` is, whose address it follows at every run.
hc_status hc_plan_relate(hc_plan *plan, const hc_tensor *out, const void *middle);

// Storage objects that were in the workspace and have an address of their own by now mean that address.
hc_status hc_plan_settle(hc_plan *plan, const hc_memory *memories, size_t num);

// External storage objects mean the address they have now; one whose tensor is gone is an error.
hc_status hc_plan_readdress(hc_plan *plan, const hc_memory *memories, size_t num);

// Adds the launch of a kernel.
hc_status hc_plan_add_kernel(hc_plan *plan,
                             const hc_kernel_binary *binary,
                             const hc_launch *launch,
                             const hc_operand *inputs,
                             size_t input_num,
                             const hc_operand *outputs,
                             size_t output_num);

// `drop` gets the context when neither the plan nor a run needs it any more, also when this function fails. Runs of
// one plan may overlap.
hc_status hc_plan_add_call(hc_plan *plan,
                           const char *name,
                           hc_host_call call,
                           void *context,
                           hc_drop drop,
                           const hc_operand *inputs,
                           size_t input_num,
                           const hc_operand *outputs,
                           size_t output_num);

// Adds a copy between two strided views of the same dims.
hc_status hc_plan_add_copy(hc_plan *plan,
                           const hc_strided *dst,
                           const hc_strided *src,
                           const int64_t *dims,
                           uint64_t rank,
                           uint64_t element_size);

// Adds a conversion of `count` elements.
hc_status hc_plan_add_cast(hc_plan *plan,
                           const hc_operand *dst,
                           int32_t dst_dtype,
                           const hc_operand *src,
                           int32_t src_dtype,
                           uint64_t count);

// Each workspace storage takes align512(bytes + 32); storages whose lifetimes do not meet share memory.
uint64_t hc_plan_workspace_size(hc_plan *plan);

// Without sharing: each storage in the workspace and each workspace of a kernel for itself.
uint64_t hc_plan_linear_workspace_size(const hc_plan *plan);

// How many storages `hc_plan_redirect` has redirected.
size_t hc_plan_redirect_count(const hc_plan *plan);

// How many nodes the plan has.
size_t hc_plan_node_count(const hc_plan *plan);

// One line for every node, in the order they run; valid until the calling thread's next call.
const char *hc_plan_text(const hc_plan *plan);

// Queues every node on the stream and returns; addresses are bound now, so plan and tensors may be freed
// afterwards. Operands must lie in memory of aclrtMalloc*: otherwise the node fails on the stream with 507035.
hc_status hc_plan_run(hc_plan *plan, void *workspace, uint64_t workspace_size, void *stream);

// Waits for what is queued. `failed` is 1 when a task has failed; the next synchronisation returns its failure.
hc_status hc_stream_wait(void *stream, int32_t *failed);

// Queues `kernel(&state)` for every block; addresses must lie in memory of aclrtMalloc*. `free(state)` is called once, when the launch is over or was refused.
hc_status hc_launch_kernel(void (*kernel)(void *const *args),
                           void *state,
                           void (*free)(void *state),
                           const char *name,
                           uint32_t blocks,
                           const hc_pointer *pointers,
                           size_t pointer_num,
                           void *stream);

// Blocks that were allocated and not freed, device and host.
uint64_t hc_live_allocations(void);

// Bytes of device memory in use, padding included.
uint64_t hc_live_bytes(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HOSTCANN_HOST_ABI_H */
