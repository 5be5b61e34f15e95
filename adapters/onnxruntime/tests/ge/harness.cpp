// Loads plug-ins as GE does, and gives them the Mod of a model.
//   harness                      what is registered, a line each
//   harness <model.onnx> <type>  what the plug-in for ONNX says to the model's Mod with inputs of that data type
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "onnx_common.h"

namespace domi {
std::vector<OpRegistrationData>& Registered()
{
    static std::vector<OpRegistrationData> all;
    return all;
}

Status AutoMappingByOpFn(const ge::Operator&, ge::Operator&) { return SUCCESS; }
} // namespace domi

namespace {
// Fields of a protobuf message (its encoding page): the number, and a number or bytes.
struct Field {
    uint64_t number;
    uint64_t value;
    std::string bytes;
};

[[noreturn]] void Stop(const char* why)
{
    std::printf("harness: %s\n", why);
    std::exit(2);
}

uint64_t Varint(const std::string& text, size_t& at)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (at >= text.size()) {
            Stop("the model is cut");
        }
        const auto byte = static_cast<unsigned char>(text[at++]);
        value |= static_cast<uint64_t>(byte & 127) << shift;
        if (byte < 128) {
            return value;
        }
    }
    Stop("a number is too long");
}

std::vector<Field> Fields(const std::string& text)
{
    std::vector<Field> fields;
    for (size_t at = 0; at < text.size();) {
        const uint64_t key = Varint(text, at);
        Field field{key >> 3, 0, ""};
        const uint64_t kind = key & 7;
        if (kind == 0) {
            field.value = Varint(text, at);
        } else {
            const uint64_t length = kind == 2 ? Varint(text, at) : kind == 1 ? 8 : 4;
            if (length > text.size() - at) {
                Stop("the model is cut");
            }
            field.bytes = text.substr(at, length);
            at += length;
        }
        fields.push_back(field);
    }
    return fields;
}

// Numbers of onnx.proto: ModelProto.graph, GraphProto.node, NodeProto.op_type and attribute, AttributeProto.name and i.
enum { GRAPH = 7, NODE = 1, OP_TYPE = 4, ATTRIBUTE = 5, NAME = 1, INTEGER = 3 };

ge::onnx::NodeProto Node(const std::string& text)
{
    ge::onnx::NodeProto node;
    for (const Field& field : Fields(text)) {
        if (field.number == OP_TYPE) {
            node.type_ = field.bytes;
        } else if (field.number == ATTRIBUTE) {
            ge::onnx::AttributeProto attribute;
            for (const Field& part : Fields(field.bytes)) {
                if (part.number == NAME) {
                    attribute.name_ = part.bytes;
                } else if (part.number == INTEGER) {
                    attribute.i_ = static_cast<int64_t>(part.value);
                }
            }
            node.attributes_.push_back(attribute);
        }
    }
    return node;
}

ge::onnx::NodeProto ModOf(const char* path)
{
    std::ifstream file(path, std::ios::binary);
    const std::string model((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    for (const Field& graph : Fields(model)) {
        if (graph.number != GRAPH) {
            continue;
        }
        for (const Field& node : Fields(graph.bytes)) {
            if (node.number == NODE && Node(node.bytes).type_ == "Mod") {
                return Node(node.bytes);
            }
        }
    }
    Stop("the model has no Mod");
}

class Other : public google::protobuf::Message {};
} // namespace

int main(int count, char** arguments)
{
    if (count < 3) {
        for (const auto& data : domi::Registered()) {
            std::printf("%s of %d, %s, %s:", data.name.c_str(), data.framework, data.parse ? "parsed" : "mapped",
                        data.imply == domi::ImplyType::TVM ? "TVM" : "built in");
            for (const auto& origin : data.origins) {
                std::printf(" %s", origin.c_str());
            }
            std::printf("\n");
        }
        return 0;
    }
    for (const auto& data : domi::Registered()) {
        if (data.framework != domi::ONNX) {
            continue;
        }
        ge::Operator op("node_0", static_cast<ge::DataType>(std::atoi(arguments[2])));
        const bool other = std::string(arguments[1]) == "-";
        const Other nothing;
        const auto node = other ? ge::onnx::NodeProto() : ModOf(arguments[1]);
        const google::protobuf::Message* source = &node;
        const auto status = data.parse(other ? &nothing : source, op);
        std::printf("%s\n", status == domi::SUCCESS ? "SUCCESS" : status == domi::FAILED ? "FAILED" : "?");
    }
    return 0;
}
