// The executor: what phase 1 of an aclnn API builds and phase 2 runs.
#ifndef HOSTCANN_OPDEV_OP_EXECUTOR_H
#define HOSTCANN_OPDEV_OP_EXECUTOR_H

#include <memory>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "acl/acl_base_rt.h"
#include "aclnn/acl_meta.h"
#include "opdev/common_types.h"
#include "opdev/data_type_utils.h"
#include "opdev/fast_vector.h"
#include "opdev/object.h"
#include "opdev/op_arg_def.h"
#include "opdev/op_config.h"
#include "opdev/op_dfx.h"
#include "opdev/op_errno.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"

struct aclOpExecutor : public op::Object {
    friend class UniqueExecutor;

public:
    ~aclOpExecutor() override;
    aclOpExecutor(const aclOpExecutor&) = delete;
    aclOpExecutor& operator=(const aclOpExecutor&) = delete;

    // Everything below that is allocated belongs to the executor. nullptr and a reported error on failure.
    // --- workspace tensors, contiguous; the last form gets its shape from INFER_SHAPE ---
    aclTensor* AllocTensor(const op::Shape& shape, op::DataType dataType, op::Format format = op::Format::FORMAT_ND);
    aclTensor* AllocTensor(const op::Shape& storageShape, const op::Shape& originShape, op::DataType dataType,
                           op::Format storageFormat, op::Format originFormat);
    aclTensor* AllocTensor(op::DataType dataType, op::Format storageFormat, op::Format originFormat);

    // --- host tensors ---
    aclTensor* AllocHostTensor(const op::Shape& shape, op::DataType dataType,
                               op::Format format = op::Format::FORMAT_ND);
    aclTensor* AllocHostTensor(const op::Shape& storageShape, const op::Shape& originShape, op::DataType dataType,
                               op::Format storageFormat, op::Format originFormat);
    aclTensor* AllocHostTensor(const int64_t* value, uint64_t size, op::DataType dataType);
    aclTensor* AllocHostTensor(const uint64_t* value, uint64_t size, op::DataType dataType);
    aclTensor* AllocHostTensor(const bool* value, uint64_t size, op::DataType dataType);
    aclTensor* AllocHostTensor(const char* value, uint64_t size, op::DataType dataType);
    aclTensor* AllocHostTensor(const int32_t* value, uint64_t size, op::DataType dataType);
    aclTensor* AllocHostTensor(const uint32_t* value, uint64_t size, op::DataType dataType);
    aclTensor* AllocHostTensor(const int16_t* value, uint64_t size, op::DataType dataType);
    aclTensor* AllocHostTensor(const uint16_t* value, uint64_t size, op::DataType dataType);
    aclTensor* AllocHostTensor(const int8_t* value, uint64_t size, op::DataType dataType);
    aclTensor* AllocHostTensor(const uint8_t* value, uint64_t size, op::DataType dataType);
    aclTensor* AllocHostTensor(const double* value, uint64_t size, op::DataType dataType);
    aclTensor* AllocHostTensor(const float* value, uint64_t size, op::DataType dataType);
    aclTensor* AllocHostTensor(const op::fp16_t* value, uint64_t size, op::DataType dataType);
    aclTensor* AllocHostTensor(const op::bfloat16* value, uint64_t size, op::DataType dataType);

    // --- views: same storage, offsets in elements ---
    // Contiguous reinterpretation.
    aclTensor* CreateView(const aclTensor* tensor, const op::Shape& shape, int64_t offset);
    // Keeps the strides: tiling reads them with GetInputStride; its storage shape is [elements of storageShape -
    // offset].
    aclTensor* CreateView(const aclTensor* tensor, const op::Shape& oriShape, const op::Shape& storageShape,
                          const op::Strides& oriStride, int64_t offset);

    // --- arrays, lists, scalars ---
    aclIntArray* AllocIntArray(const int64_t* value, uint64_t size);
    aclFloatArray* AllocFloatArray(const float* value, uint64_t size);
    aclBoolArray* AllocBoolArray(const bool* value, uint64_t size);
    aclTensorList* AllocTensorList(const aclTensor* const* tensors, uint64_t size);
    aclScalarList* AllocScalarList(const aclScalar* const* scalars, uint64_t size);
    aclScalar* AllocScalar(const void* data, op::DataType dataType);
    aclScalar* AllocScalar(float value);
    aclScalar* AllocScalar(double value);
    aclScalar* AllocScalar(op::fp16_t value);
    aclScalar* AllocScalar(op::bfloat16 value);
    aclScalar* AllocScalar(int32_t value);
    aclScalar* AllocScalar(int64_t value);
    aclScalar* AllocScalar(int16_t value);
    aclScalar* AllocScalar(int8_t value);
    aclScalar* AllocScalar(uint32_t value);
    aclScalar* AllocScalar(uint64_t value);
    aclScalar* AllocScalar(uint16_t value);
    aclScalar* AllocScalar(uint8_t value);
    aclScalar* AllocScalar(bool value);

    // --- host tensors from host values; a scalar becomes 0-dim. Kernels see a copy, zero padded to 32 bytes ---
    const aclTensor* ConvertToTensor(const aclIntArray* value, op::DataType dataType);
    const aclTensor* ConvertToTensor(const aclBoolArray* value, op::DataType dataType);
    const aclTensor* ConvertToTensor(const aclFloatArray* value, op::DataType dataType);
    const aclTensor* ConvertToTensor(const aclFp16Array* value, op::DataType dataType);
    const aclTensor* ConvertToTensor(const aclBf16Array* value, op::DataType dataType);
    const aclTensor* ConvertToTensor(const aclScalar* value, op::DataType dataType);
    template <typename T>
    const aclTensor* ConvertToTensor(const T* value, uint64_t size, op::DataType dataType)
    {
        return AllocHostTensor(value, size, dataType);
    }

    // --- the plan ---
    uint64_t GetWorkspaceSize() const;
    uint64_t GetLinearWorkspaceSize() const; // without sharing memory between tensors
    void* GetWorkspaceAddr() const;
    aclrtStream GetStream() const;
    void SetStream(aclrtStream stream);
    aclnnStatus Run();

    // hostcann has no executor cache; only the effect of `disableRepeat` remains.
    void AbandonCache(bool disableRepeat = false);
    // The producer of `tensorMiddle`, a workspace tensor, writes the memory of `tensorOut` instead.
    void AddTensorRelation(const aclTensor* tensorOut, const aclTensor* tensorMiddle);
    void UpdateStorageAddr();
    aclnnStatus SetRepeatable();
    bool IsRepeatable() const;
    void AddCache() {}
    void DeleteCache() {}

    op::internal::OpLogInfo GetLogInfo() const;
    void SetLogInfo(const op::internal::OpLogInfo& logInfo);
    op::OpConfigInfo GetOpConfigInfo() const;
    void SetOpConfigInfo(const op::OpConfigInfo& opConfigInfo);

    op::internal::ExecutorPlan& Plan() const { return *plan_; }

protected:
    aclOpExecutor();

private:
    template <typename T>
    T* Keep(T* object);
    aclTensor* NewTensor(const op::Shape& storageShape, const op::Shape& originShape, op::DataType dataType,
                         op::Format storageFormat, op::Format originFormat, bool onHost);
    template <typename T>
    aclTensor* NewHostValues(const T* value, uint64_t size, op::DataType dataType);

    std::unique_ptr<op::internal::ExecutorPlan> plan_;
    std::vector<std::unique_ptr<op::Object>> owned_;
};

// Holds the executor of phase 1 until ReleaseTo hands it to the caller; dropped otherwise.
class UniqueExecutor : public op::Object {
public:
    explicit UniqueExecutor(const char* funcName);
    ~UniqueExecutor() override;
    UniqueExecutor(const UniqueExecutor&) = delete;
    UniqueExecutor& operator=(const UniqueExecutor&) = delete;

    aclOpExecutor* get() const { return executor_.get(); }
    aclOpExecutor* operator->() { return executor_.get(); }
    void ReleaseTo(aclOpExecutor** executor);

private:
    const char* funcName_;
    std::unique_ptr<aclOpExecutor> executor_;
};

aclnnStatus CommonOpExecutorRun(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);
aclnnStatus CreatAiCoreKernelLauncher(const char* l0Name, uint32_t opType, aclOpExecutor* executor,
                                      op::OpArgContext* args);
aclnnStatus InferShape(uint32_t optype, op::OpArgList& inputs, op::OpArgList& outputs, op::OpArgList& attrs);

#endif // HOSTCANN_OPDEV_OP_EXECUTOR_H
