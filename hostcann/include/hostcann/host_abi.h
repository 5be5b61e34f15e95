// C ABI between libnnopbase.so (C++ types that op sources need) and libascendcl.so (everything behind them).
#ifndef HOSTCANN_HOST_ABI_H
#define HOSTCANN_HOST_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// An aclnn status code, 0 on success (aclnn/opdev/op_errno.h).
typedef int32_t hc_status;

// --- messages
enum { HC_LOG_ERROR = 0, HC_LOG_WARN = 1, HC_LOG_INFO = 2, HC_LOG_DEBUG = 3 };
int32_t hc_log_enabled(int32_t level);
void hc_log(int32_t level, const char* module, const char* text);
// Adds a message to the calling thread's list, newest first; aclGetRecentErrMsg returns and clears it. code: "EZ1001".
void hc_report_error(const char* code, const char* message);
// The status that goes with a report: inner errors (561xxx) are what HOSTCANN_VERDICT tells.
void hc_note_failure(int32_t status, const char* message);
// 207000 for a function that the toolkit does not have; `*isTold`, false at first, remembers that the log has it.
int32_t hc_unsupported(const char* name, bool* isTold);
// What a crash or a time limit names until hc_host_leave: "tiling function", "Add". Both strings live so long.
void hc_host_enter(const char* what, const char* op_type);
void hc_host_leave(void);

// --- the modelled SoC
// Full name, e.g. "Ascend910B3". NULL (and a reported error) when the SoC file is missing or broken.
const char* hc_soc_name(void);
// Text of `key` in `[section]` of the SoC file after environment overrides; NULL when absent. Lives as long as the
// process.
const char* hc_soc_value(const char* section, const char* key);
// Folder of the SoC below op_impl/ai_core/tbe/{config,kernel}: "ascend910b" or "ascend910_93".
const char* hc_soc_folder(void);

// 1 when kernels run checked (HOSTCANN_CHECK).
int32_t hc_checking(void);

// Level of ACL_OPT_DETERMINISTIC, 0 when it was never set.
int64_t hc_deterministic_level(void);

// --- data types: numeric values of aclDataType, which are those of ge::DataType
int64_t hc_dtype_size(int32_t dtype);                // bytes, -1 when unknown
int32_t hc_promote_type(int32_t a, int32_t b);       // opdev PromoteType table; 28 (DT_UNDEFINED) when undefined
int32_t hc_can_cast(int32_t from, int32_t to);       // opdev CanCast
int32_t hc_cast_supported(int32_t from, int32_t to); // whether hc_plan_add_cast accepts the pair

// --- installed operator packages
// Vendor directories in search order: ASCEND_CUSTOM_OPP_PATH entries, then $ASCEND_OPP_PATH/vendors/<load_priority>.
size_t hc_vendor_count(void);
const char* hc_vendor_dir(size_t index);

typedef struct hc_kernel_binary hc_kernel_binary; // owned by the library, never freed
typedef struct {
    int32_t present; // 0: optional input that is absent; the other fields are ignored
    int32_t dtype;
    int32_t format;
} hc_tensor_type;
// Looks up the op type in aic-<soc>-ops-info.json and the binary in kernel/config/<soc>/<op>.json for exactly these
// types. Failure: 561003/561107/561108..561112 with a reported error that names op, dtypes and what is installed.
hc_status hc_find_kernel(const char* op_type, const hc_tensor_type* inputs, size_t input_num,
                         const hc_tensor_type* outputs, size_t output_num, const hc_kernel_binary** found);
// Vendor directory in which the op type was found, NULL when not installed.
const char* hc_op_vendor_dir(const char* op_type);

// --- executor plan
// A plan is an ordered list of nodes over storages. A storage is memory whose address is known when the plan runs.
typedef struct hc_plan hc_plan;
typedef uint32_t hc_storage;

typedef struct {
    int32_t present; // 0: absent optional tensor, passed to the kernel as a null pointer
    hc_storage storage;
    uint64_t byte_offset;
    uint64_t bytes; // extent used from byte_offset on
    uint32_t view;  // 0: every byte is an element's; else the plan's description of the bytes that are
} hc_operand;

enum { HC_MEMORY_EXTERNAL = 0, HC_MEMORY_WORKSPACE = 1, HC_MEMORY_HOST = 2 };
// The storage object behind a tensor, as it is now.
typedef struct {
    const void* key; // the object: the same one is the same storage of a plan
    int32_t kind;
    int32_t gone;   // 1: the user destroyed the tensor it was made for
    void* address;  // of external and host memory
    uint64_t bytes; // of the tensor it was made for
    int64_t offset; // storage offset in bytes
} hc_memory;

typedef struct {
    uint64_t rank;
    const int64_t* dims;    // `rank` of them
    const int64_t* strides; // elements
    uint32_t bits;          // of an element
    int64_t first;          // bits from where the operand begins
} hc_elements;

typedef struct {
    hc_memory memory;
    int32_t view; // 1: `bytes` count from its offset; 0: from the start of its memory
    uint32_t element_bits;
    int64_t view_offset;    // elements
    int64_t storage_offset; // elements
    uint64_t bytes;         // of its storage shape
    // The dims of its view. Where not all bytes are an element's, as between strided rows of the user's tensor, all of
    // its elements.
    int32_t gaps; // 1: there are such bytes
    hc_elements elements;
} hc_tensor;

typedef struct {
    uint64_t tiling_key;
    uint32_t block_dim;
    int32_t need_atomic; // 1: outputs with an InitValue are filled before the kernel
    const void* tiling_data;
    uint64_t tiling_size;
    // NULL, or the data of the same tiling function in a buffer that held other bytes before: where the two differ,
    // the function did not write.
    const void* tiling_other;
    const uint64_t* workspaces; // sizes asked for by the tiling function
    uint64_t workspace_num;
} hc_launch;

typedef struct {
    hc_operand at;
    const int64_t* strides; // elements, `rank` of them
} hc_strided;

// Functions that return a storage report an error and return 0xFFFFFFFF on failure.
hc_plan* hc_plan_new(void);
void hc_plan_free(hc_plan* plan);
hc_storage hc_plan_add_external(hc_plan* plan, void* address);
hc_storage hc_plan_add_workspace(hc_plan* plan, uint64_t bytes);
hc_storage hc_plan_add_host(hc_plan* plan, const void* data, uint64_t bytes); // copied, zero padded to 32 bytes
// Memory with `words`, followed by the addresses the operands have when the plan runs.
hc_storage hc_plan_add_list(hc_plan* plan, const uint64_t* words, size_t word_num, const hc_operand* tensors,
                            size_t tensor_num);
void hc_plan_set_address(hc_plan* plan, hc_storage storage, void* address);
// From now on `from` (a workspace storage) means `to` + byte_offset: a producer writes its consumer's memory directly.
hc_status hc_plan_redirect(hc_plan* plan, hc_storage from, hc_storage to, uint64_t byte_offset);
// The part of its memory that a tensor means. The memory becomes a storage of the plan at its first use.
hc_status hc_plan_operand(hc_plan* plan, const hc_tensor* tensor, hc_operand* operand);
// The producer of the storage object `middle` writes where `out` is, whose address it follows at every run.
hc_status hc_plan_relate(hc_plan* plan, const hc_tensor* out, const void* middle);
// Storage objects that were in the workspace and have an address of their own by now mean that address.
hc_status hc_plan_settle(hc_plan* plan, const hc_memory* memories, size_t num);
// External storage objects mean the address they have now; one whose tensor is gone is an error.
hc_status hc_plan_readdress(hc_plan* plan, const hc_memory* memories, size_t num);
hc_status hc_plan_add_kernel(hc_plan* plan, const hc_kernel_binary* binary, const hc_launch* launch,
                             const hc_operand* inputs, size_t input_num, const hc_operand* outputs, size_t output_num);
hc_status hc_plan_add_copy(hc_plan* plan, const hc_strided* dst, const hc_strided* src, const int64_t* dims,
                           uint64_t rank, uint64_t element_size);
hc_status hc_plan_add_cast(hc_plan* plan, const hc_operand* dst, int32_t dst_dtype, const hc_operand* src,
                           int32_t src_dtype, uint64_t count);
// What a node does on the host, on the stream's thread: reads and writes the operands (absent ones are null). 0, or the
// status the stream ends with and a text of less than `size` bytes.
typedef hc_status (*hc_host_call)(void* context, void* const* operands, size_t count, char* message, size_t size);
// `drop` gets the context when neither the plan nor a run needs it any more, also when this function fails. Runs of one
// plan may overlap.
hc_status hc_plan_add_call(hc_plan* plan, const char* name, hc_host_call call, void* context, void (*drop)(void*),
                           const hc_operand* inputs, size_t input_num, const hc_operand* outputs, size_t output_num);
// Each workspace storage takes align512(bytes + 32); storages whose lifetimes do not meet share memory.
uint64_t hc_plan_workspace_size(hc_plan* plan);
// Without sharing: each storage in the workspace and each workspace of a kernel for itself.
uint64_t hc_plan_linear_workspace_size(const hc_plan* plan);
size_t hc_plan_redirect_count(const hc_plan* plan);
size_t hc_plan_node_count(const hc_plan* plan);
// One line for every node, in the order they run; valid until the calling thread's next call.
const char* hc_plan_text(const hc_plan* plan);
// Queues every node on the stream and returns; addresses are bound now, so plan and tensors may be freed afterwards.
// Operands must lie in memory of aclrtMalloc*: otherwise the node fails on the stream with 507035.
hc_status hc_plan_run(hc_plan* plan, void* workspace, uint64_t workspace_size, void* stream);
// Waits for what is queued. `failed` is 1 when a task has failed; the next synchronisation returns its failure.
hc_status hc_stream_wait(void* stream, int32_t* failed);

// --- kernels of the program itself (hostcann/direct_launch.h)
typedef struct {
    uint32_t index; // of the argument
    const void* address;
} hc_pointer;
// Queues `kernel(&state)` for every block; addresses must lie in memory of aclrtMalloc*. release(state) is called once,
// when the launch is over or was refused.
hc_status hc_launch_kernel(void (*kernel)(void* const* args), void* state, void (*release)(void* state),
                           const char* name, uint32_t blocks, const hc_pointer* pointers, size_t pointer_num,
                           void* stream);

// --- leak counters, for tests
uint64_t hc_live_allocations(void); // blocks of device and pinned memory that were not freed
uint64_t hc_live_bytes(void);       // device memory in use, padding included

#ifdef __cplusplus
}
#endif
#endif
