// What plug-ins use of the checkout's onnx_common.h and of the classes that protoc makes of onnx.proto.
#ifndef ASCEND_ORT_TESTS_ONNX_COMMON_H
#define ASCEND_ORT_TESTS_ONNX_COMMON_H

#include <cstdint>
#include <string>
#include <vector>

#include "log/log.h"
#include "register/register.h"

namespace ge {
namespace onnx {
class AttributeProto {
public:
    const std::string& name() const { return name_; }
    int64_t i() const { return i_; }

    std::string name_;
    int64_t i_ = 0;
};

class NodeProto : public google::protobuf::Message {
public:
    const std::vector<AttributeProto>& attribute() const { return attributes_; }

    std::string type_;
    std::vector<AttributeProto> attributes_;
};
} // namespace onnx
} // namespace ge

namespace domi {
template <typename T>
std::string GetOpName(const T& op)
{
    ge::AscendString name;
    return op.GetName(name) == ge::GRAPH_SUCCESS ? name.GetString() : "None";
}
} // namespace domi

#endif // ASCEND_ORT_TESTS_ONNX_COMMON_H
