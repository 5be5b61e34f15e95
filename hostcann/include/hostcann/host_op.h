// C ABI of libnnopbase.so for libopapi.so: what its operators see of aclnn objects, and their two phases.
#ifndef HOSTCANN_HOST_OP_H
#define HOSTCANN_HOST_OP_H

#include "hostcann/host_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclOpExecutor aclOpExecutor;

enum { HC_MAX_RANK = 8 };
// Elements, strides and the offset count elements; the storage is contiguous.
typedef struct {
    int32_t dtype;
    int32_t private_format; // 1: elements do not lie where strides say
    uint64_t rank;
    int64_t dims[HC_MAX_RANK];
    int64_t strides[HC_MAX_RANK];
    int64_t offset;
    int64_t storage;
} hc_view;
// 161002 for a tensor of more than HC_MAX_RANK dims.
hc_status hc_tensor_view(const aclTensor* tensor, hc_view* view);

typedef struct {
    int32_t dtype;
    int64_t integer; // of bool and integers
    double real;     // of floating types
} hc_number;
void hc_scalar_number(const aclScalar* scalar, hc_number* number);
const int64_t* hc_int_array(const aclIntArray* array, uint64_t* size);
uint64_t hc_tensor_list_size(const aclTensorList* list);
const aclTensor* hc_tensor_list_at(const aclTensorList* list, uint64_t index);

// Reports `text` for the interface `api` and returns `status`.
hc_status hc_op_refuse(const char* api, hc_status status, const char* text);

typedef struct {
    const char* api;  // lives as long as the process
    hc_host_call run; // gets the addresses of the views' first elements, inputs first
    void* context;
    void (*drop)(void*);
    const aclTensor* const* inputs;
    size_t input_num;
    const aclTensor* const* outputs;
    size_t output_num;
    // NULL, or the output whose shape the run decides: one more address behind the outputs is that of 9 int64, its rank
    // and its dims. Phase 2 waits for the stream then and gives the tensor this shape.
    const aclTensor* computed;
} hc_op;
// Phase 1; the context belongs to the callee whatever happens.
hc_status hc_op_prepare(const hc_op* op, uint64_t* workspace_size, aclOpExecutor** executor);
// Phase 2.
hc_status hc_op_run(const char* api, void* workspace, uint64_t workspace_size, aclOpExecutor* executor, void* stream);

#ifdef __cplusplus
}
#endif
#endif
