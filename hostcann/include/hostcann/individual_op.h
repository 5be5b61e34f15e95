// What a generated aclnn interface (op_build, OPS_ACLNN_GEN=1) calls. Names, order and types are those of CANN's
// libnnopbase.so, so that sources which CANN's own op_build wrote link here as well.
#ifndef HOSTCANN_INDIVIDUAL_OP_H
#define HOSTCANN_INDIVIDUAL_OP_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "aclnn/acl_meta.h"
#include "graph/types.h"

struct NnopbaseDfxId {
    uint32_t id;
    const char* funcName;
    bool hasReg;
};

// One column of the op definition: data type and format of every parameter.
struct TensorDesc {
    ge::DataType dtype;
    ge::Format format;
};
struct SupportInfo {
    TensorDesc* inputsDesc;
    size_t inputsNum;
    TensorDesc* outputsDesc;
    size_t outputsNum;
};
struct OpSocSupportInfo {
    SupportInfo* supportInfo;
    size_t num;
};
struct OpSupportList {
    OpSocSupportInfo* socSupportInfo;
    size_t num;
};

enum NnopbaseAttrDtype { kNnopbaseBool = 0U, kNnopbaseFloat, kNnopbaseInt, kNnopbaseString, kNnopbaseAttrEnd };

void NnopbaseOpLogE(const aclnnStatus code, const char* const expr);

extern "C" {
aclnnStatus NnopbaseCreateExecutorSpace(void** space);
// One character per parameter: 0 optional, 1 required, 2 dynamic; attributes: 0 optional, 1 required. Null on failure.
void* NnopbaseGetExecutor(void* space, const char* opType, char* inputsDesc, uint32_t inputNum, char* outputsDesc,
                          uint32_t outputNum, char* attrsDesc, uint32_t attrsNum);

// Every function with an executor drops it when it fails: the interface returns and has nothing to free.
aclnnStatus NnopbaseAddInput(void* executor, const aclTensor* tensor, const uint32_t index);
aclnnStatus NnopbaseAddIgnoreContinuesInput(void* executor, const aclTensor* tensor, const uint32_t index);
aclnnStatus NnopbaseAddDynamicInput(void* executor, const aclTensorList* tensor_list, const uint32_t index);
aclnnStatus NnopbaseAddIgnoreContiguousDynamicInput(void* executor, const aclTensorList* tensor_list,
                                                    const uint32_t index);
aclnnStatus NnopbaseAddIntArrayInput(void* executor, const aclIntArray* array, const uint32_t index);
aclnnStatus NnopbaseAddBoolArrayInput(void* executor, const aclBoolArray* array, const uint32_t index);
aclnnStatus NnopbaseAddFloatArrayInput(void* executor, const aclFloatArray* array, const uint32_t index);
// srcIndex >= 0: the data type of that input; otherwise dtype; DT_UNDEFINED: the scalar's own (double becomes float).
aclnnStatus NnopbaseAddScalarInput(void* executor, const aclScalar* scalar, const uint32_t index,
                                   const int32_t srcIndex, const ge::DataType dtype);
aclnnStatus NnopbaseAddScalarListInput(void* executor, const aclScalarList* scalarList, const uint32_t index,
                                       const int32_t srcIndex, const ge::DataType dtype);
aclnnStatus NnopbaseAddOutput(void* executor, const aclTensor* tensor, const uint32_t index);
aclnnStatus NnopbaseAddDynamicOutput(void* executor, const aclTensorList* tensor_list, const uint32_t index);
aclnnStatus NnopbaseAddOutputShapeDependTensor(void* executor, aclTensor* tensor, const uint32_t index);
aclnnStatus NnopbaseAddAttrWithDtype(void* executor, void* attrAddr, size_t attrLen, const size_t index,
                                     const NnopbaseAttrDtype dtype);
aclnnStatus NnopbaseAddIntArrayAttr(void* executor, const aclIntArray* array, const size_t index);
aclnnStatus NnopbaseAddFloatArrayAttr(void* executor, const aclFloatArray* array, const size_t index);
aclnnStatus NnopbaseAddBoolArrayAttr(void* executor, const aclBoolArray* array, const size_t index);
aclnnStatus NnopbaseAddArrayAttrWithDtype(void* executor, void* array, const size_t len, const size_t elementSize,
                                          const size_t index, const NnopbaseAttrDtype dtype);

aclnnStatus NnopbaseSetRef(void* executor, const size_t inputIrIdx, const size_t outputIrIdx);
aclnnStatus NnopbaseAddParamName(void* executor, const uint32_t index, const char* name, const bool isInput);
aclnnStatus NnopbaseSetFormatMatchMode(void* executor, const uint32_t mode); // 1: formats must be the column's own
void NnopbaseSetZeroEleOutputLaunchFlag(void* executor);
// socSupportList: CANN's numbers of SoCs; socNameList: their folder names.
aclnnStatus NnopbaseAddSupportList(void* executor, OpSupportList* list, uint32_t* socSupportList,
                                   size_t socSupportListLen);
aclnnStatus NnopbaseAddSocNameList(void* executor, OpSupportList* list, const char* const* socNameList,
                                   size_t socNameListLen);
aclnnStatus NnopbaseAddTilingId(void* executor, NnopbaseDfxId* tilingId);
void NnopbaseSetMatchArgsFlag(void* executor);
bool NnopbaseMatchArgs(void* executor, uint64_t* workspaceLen); // never: there is no cache
void NnopbaseAddOpTypeId(void* executor, const uint32_t opTypeId);
const char* NnopbaseGetSocName();
uint64_t NnopbaseMsprofSysTime();
void NnopbaseReportApiInfo(const uint64_t beginTime, NnopbaseDfxId& dfxId);

// Says that inputs are to be made contiguous. That is done inside RunForWorkspace, so no tensors come back and the
// functions around CANN's aclnnContiguous and aclnnViewCopy have nothing to hand over.
aclnnStatus NnopbaseGetUnContiguousTensors(void* executor, const aclTensorList** inTensors);
aclnnStatus NnopbaseSetUnContExecutor(void* executor, aclOpExecutor* inExe, const size_t inWsSize);
aclnnStatus NnopbaseGetUnContExecutor(void* executor, aclOpExecutor** inExe, size_t* inWsSize);
aclnnStatus NnopbaseGetRefUnContiguousTensors(void* executor, const aclTensorList** unContTensors,
                                              const aclTensorList** contTensors);
aclnnStatus NnopbaseSetViewCopyExecutor(void* executor, aclOpExecutor* exe);
aclnnStatus NnopbaseGetViewCopyExecutor(void* executor, aclOpExecutor** exe);
aclnnStatus NnopbaseReleaseRefContiguousTensors(void* executor, const aclTensorList** tensors);
void* NnopbaseGetApiFunc(const char* funcName);

aclnnStatus NnopbaseRunForWorkspace(void* executor, uint64_t* workspaceLen);
aclnnStatus NnopbaseRunWithWorkspace(void* executor, aclrtStream stream, void* workspace, uint64_t workspaceSize);
}

#endif // HOSTCANN_INDIVIDUAL_OP_H
