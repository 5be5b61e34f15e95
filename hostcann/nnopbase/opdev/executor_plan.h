// Maps the storages of tensors to the plan behind the C ABI.
#ifndef HOSTCANN_NNOPBASE_EXECUTOR_PLAN_H
#define HOSTCANN_NNOPBASE_EXECUTOR_PLAN_H

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hostcann/host_abi.h"
#include "opdev/common_types.h"
#include "opdev/op_config.h"
#include "opdev/op_dfx.h"

namespace op {
namespace internal {

// What the tiling function of a launch decided.
struct TilingResult {
    uint64_t key{0};
    uint32_t blockDim{0};
    bool needAtomic{false};
    std::vector<uint8_t> data;
    // In check mode: the data of a second run in a buffer with other contents.
    std::vector<uint8_t> otherData;
    std::vector<uint64_t> workspaces;
};

// One input or output of the op definition.
struct TensorArg {
    std::vector<const aclTensor*> tensors; // none: an absent optional one
    bool dynamic{false};                   // a list: the kernel gets the address of a ListTensorDesc

    TensorArg() = default;
    explicit TensorArg(const aclTensor* tensor)
    {
        if (tensor != nullptr) {
            tensors.push_back(tensor);
        }
    }
};

struct IndividualCall;

// What a host node does with the addresses of its operands, inputs first; a status that is not 0 ends the stream with
// the text.
using HostFunction = std::function<aclnnStatus(void* const* operands, std::string* message)>;

class ExecutorPlan {
public:
    ExecutorPlan();
    ~ExecutorPlan();
    ExecutorPlan(const ExecutorPlan&) = delete;
    ExecutorPlan& operator=(const ExecutorPlan&) = delete;

    aclnnStatus AddKernel(const hc_kernel_binary* binary, const TilingResult& tiling,
                          const std::vector<TensorArg>& inputs, const std::vector<TensorArg>& outputs);
    // Elements of `dims`, read and written with the given strides from the two views' first elements.
    aclnnStatus AddCopy(const aclTensor* dst, const Strides& dstStrides, const aclTensor* src,
                        const Strides& srcStrides, const Shape& dims);
    // Contiguous tensors.
    aclnnStatus AddCast(const aclTensor* dst, const aclTensor* src);
    aclnnStatus AddCall(const std::string& name, HostFunction function, const std::vector<TensorArg>& inputs,
                        const std::vector<TensorArg>& outputs);
    // Phase 2 waits for the kernels and gives `tensor` the shape they wrote into `shapes`: OP_OUTSHAPE's words
    // from `place` on, the rank and up to 8 dims; an output of rank 1 needs two.
    aclnnStatus AddOutShape(const std::string& name, const aclTensor* shapes, size_t place, const aclTensor* tensor);
    // The producer of `middle` writes where `out` is.
    aclnnStatus Relate(const aclTensor* out, const aclTensor* middle);

    uint64_t WorkspaceSize();
    uint64_t LinearWorkspaceSize();
    const char* Text() const { return hc_plan_text(plan_); }
    aclnnStatus Run(void* workspace, uint64_t workspaceSize, aclrtStream stream);
    void UpdateStorageAddresses();

    // The storage of host tensors and of tensors in general, for the executor's own tensor classes.
    static std::shared_ptr<aclStorage> NewHostStorage(uint64_t bytes);
    static bool IsWholeStorage(const aclTensor* tensor);

    bool repeatable{false};
    bool repeatForbidden{false};
    OpLogInfo logInfo;
    uint64_t errorsBefore{0}; // of the thread that made the executor
    OpConfigInfo config;
    aclrtStream stream{nullptr};
    void* workspace{nullptr};
    uint64_t workspaceGiven{0};
    std::shared_ptr<IndividualCall> individual; // of a generated interface, while its phase 1 runs

private:
    // `fallback`: where the storage has outlived the tensor it was made for.
    static hc_memory MemoryOf(const aclStorage* storage, const aclTensor* fallback);
    // Valid until the next one.
    hc_tensor Describe(const aclTensor* tensor);
    std::vector<hc_memory> Memories() const;
    // Storages that op sources moved out of the workspace by hand (SetFromWorkspace, SetStorageAddr).
    aclnnStatus Settle();
    bool ToOperand(const aclTensor* tensor, hc_operand* operand);
    bool ToOperands(const std::vector<TensorArg>& args, std::vector<hc_operand>* operands);
    bool ListToOperand(const TensorArg& list, hc_operand* operand);

    struct OutShape {
        std::string name;
        const aclTensor* tensor;
        std::shared_ptr<std::array<int64_t, 9>> words;
        size_t count; // of them, as many as the tensor has
    };
    aclnnStatus RefreshShapes(aclrtStream runStream);

    hc_plan* plan_;
    ShapeVector viewDims_; // of the tensor described last
    std::vector<OutShape> outShapes_;
    std::unordered_map<const aclStorage*, std::shared_ptr<aclStorage>> kept_; // what the plan knows stays alive
    std::vector<std::pair<std::shared_ptr<aclStorage>, std::shared_ptr<aclStorage>>> relations_; // out, middle
};

} // namespace internal
} // namespace op
#endif // HOSTCANN_NNOPBASE_EXECUTOR_PLAN_H
