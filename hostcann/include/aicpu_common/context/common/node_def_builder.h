// Writes a NodeDef in one expression.
#ifndef HOSTCANN_AICPU_NODE_DEF_BUILDER_H
#define HOSTCANN_AICPU_NODE_DEF_BUILDER_H

#include <memory>
#include <string>
#include <vector>

#include "cpu_kernel.h"
#include "cpu_kernel_register.h"
#include "cpu_kernel_utils.h"
#include "cpu_node_def.h"
#include "status.h"

namespace aicpu {

class AICPU_VISIBILITY NodeDefBuilder {
public:
    struct InputOutputNode {
        std::string node;
        DataType d_type;
        std::vector<int64_t> dims;
        void* data;
        Format format = FORMAT_NCHW;
    };

    static std::shared_ptr<NodeDef> CreateNodeDef() { return CpuKernelUtils::CreateNodeDef(); }

    NodeDefBuilder(NodeDef* nodeDef, std::string name, std::string opName);

    NodeDefBuilder& Input(const InputOutputNode& input);
    NodeDefBuilder& Output(const InputOutputNode& output);

    NodeDefBuilder& Attr(std::string name, int32_t value);
    NodeDefBuilder& Attr(std::string name, int64_t value);
    NodeDefBuilder& Attr(std::string name, float value);
    NodeDefBuilder& Attr(std::string name, double value);
    NodeDefBuilder& Attr(std::string name, bool value);
    NodeDefBuilder& Attr(std::string name, DataType value);
    NodeDefBuilder& Attr(std::string name, const char* value) { return Attr(name, std::string(value)); }
    NodeDefBuilder& Attr(std::string name, const std::string& value);
    NodeDefBuilder& Attr(std::string name, const std::vector<bool>& value);
    NodeDefBuilder& Attr(std::string name, const std::vector<std::string>& value);
    NodeDefBuilder& Attr(std::string name, const std::vector<int64_t>& value);
    NodeDefBuilder& Attr(std::string name, const std::vector<std::vector<int64_t>>& value);
    NodeDefBuilder& Attr(std::string name, const std::vector<float>& value);
    NodeDefBuilder& Attr(std::string name, const std::vector<DataType>& value);

private:
    NodeDef* node_;
};

} // namespace aicpu

#endif // HOSTCANN_AICPU_NODE_DEF_BUILDER_H
