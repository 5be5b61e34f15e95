// C ABI of libnnopbase.so for libopapi.so: what its operators see of aclnn objects, and their two phases.
// Made from Rust sources: a test compares, HOSTCANN_UPDATE_HEADERS=1 writes it.
// clang-format off

#ifndef HOSTCANN_HOST_OP_H
#define HOSTCANN_HOST_OP_H

#include "hostcann/host_abi.h"

typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclOpExecutor aclOpExecutor;

#define HC_MAX_RANK 8

// Elements, strides and the offset count elements; the storage is contiguous.
typedef struct {
    int32_t dtype;
    // 1: elements do not lie where strides say.
    int32_t private_format;
    uint64_t rank;
    int64_t dims[HC_MAX_RANK];
    int64_t strides[HC_MAX_RANK];
    int64_t offset;
    int64_t storage;
} hc_view;

// The value of a scalar.
typedef struct {
    int32_t dtype;
    // Of bool and integers.
    int64_t integer;
    // Of floating types.
    double real;
} hc_number;

// A call of an operator.
typedef struct {
    // Lives as long as the process.
    const char *api;
    // Gets the addresses of the views' first elements, inputs first.
    hc_host_call run;
    void *context;
    void (*drop)(void *context);
    const aclTensor *const *inputs;
    size_t input_num;
    const aclTensor *const *outputs;
    size_t output_num;
    // NULL, or the output whose shape the run decides: one more address behind the outputs is that of 9 int64, its
    // rank and its dims. Phase 2 waits for the stream then and gives the tensor this shape.
    const aclTensor *computed;
} hc_op;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// 161002 for a tensor of more than HC_MAX_RANK dims.
extern hc_status hc_tensor_view(const aclTensor *tensor, hc_view *view);

// The value of a scalar.
extern void hc_scalar_number(const aclScalar *scalar, hc_number *number);

// The numbers of an array.
extern const int64_t *hc_int_array(const aclIntArray *array, uint64_t *size);

// The flags of an array.
extern const bool *hc_bool_array(const aclBoolArray *array, uint64_t *size);

// How many tensors a list has.
extern uint64_t hc_tensor_list_size(const aclTensorList *list);

// A tensor of a list.
extern const aclTensor *hc_tensor_list_at(const aclTensorList *list, uint64_t index);

// Reports `text` for the interface `api` and returns `status`.
extern hc_status hc_op_refuse(const char *api, hc_status status, const char *text);

// Phase 1; the context belongs to the callee whatever happens.
extern hc_status hc_op_prepare(const hc_op *op, uint64_t *workspace_size, aclOpExecutor **executor);

// Phase 2.
extern hc_status hc_op_run(const char *api,
                           void *workspace,
                           uint64_t workspace_size,
                           aclOpExecutor *executor,
                           void *stream);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HOSTCANN_HOST_OP_H */
