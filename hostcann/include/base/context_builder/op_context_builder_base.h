#ifndef HOSTCANN_BASE_CONTEXT_BUILDER_OP_CONTEXT_BUILDER_BASE_H
#define HOSTCANN_BASE_CONTEXT_BUILDER_OP_CONTEXT_BUILDER_BASE_H

#include <memory>
#include <vector>

#include "base/context_builder/context_holder.h"
#include "exe_graph/runtime/expand_dims_type.h"
#include "graph/ascend_string.h"
#include "graph/types.h"

namespace gert {
class ContextBuilderImpl;

// T is the builder itself. OpType, OpName and IONum are mandatory. IONum alone means one tensor per input and output;
// IOInstanceNum says otherwise (0 for an absent optional). Attributes are appended in the order of the op definition.
template <typename T>
class OpContextBuilderBase {
public:
    T& OpType(const ge::AscendString& op_type);
    T& OpName(const ge::AscendString& op_name);
    T& IONum(size_t input_ir_num, size_t output_ir_num);
    T& IOInstanceNum(const std::vector<uint32_t>& input_instance_num, const std::vector<uint32_t>& output_instance_num);
    T& AppendAttr(bool attr);
    T& AppendAttr(int64_t attr);
    T& AppendAttr(float attr);
    T& AppendAttr(const ge::AscendString& attr);
    T& AppendAttr(const std::vector<bool>& attr);
    T& AppendAttr(const std::vector<int64_t>& attr);
    T& AppendAttr(const std::vector<float>& attr);
    // Held as one block: the strings one after the other, each with its zero byte.
    T& AppendAttr(const std::vector<ge::AscendString>& attr);
    T& AppendAttr(const std::vector<std::vector<int64_t>>& attr);

    OpContextBuilderBase(const OpContextBuilderBase&) = delete;
    OpContextBuilderBase& operator=(const OpContextBuilderBase&) = delete;
    OpContextBuilderBase(OpContextBuilderBase&&) = delete;
    OpContextBuilderBase& operator=(OpContextBuilderBase&&) = delete;
    virtual ~OpContextBuilderBase();

protected:
    OpContextBuilderBase();
    T& Self() { return static_cast<T&>(*this); }

    std::unique_ptr<ContextBuilderImpl> impl_;
};
} // namespace gert

#endif
