// What plug-ins for frameworks use of register/register.h, recorded (docs of metadef: OpRegistrationData).
#ifndef ASCEND_ORT_TESTS_REGISTER_H
#define ASCEND_ORT_TESTS_REGISTER_H

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace google {
namespace protobuf {
class Message {
public:
    virtual ~Message() = default;
};
} // namespace protobuf
} // namespace google

namespace ge {
using graphStatus = uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0;

enum DataType { DT_FLOAT = 0, DT_INT8 = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_UINT16 = 7, DT_UINT32 = 8, DT_UINT64 = 10 };

class AscendString {
public:
    AscendString() = default;
    AscendString(const char* text) : text_(text) {}
    const char* GetString() const { return text_.c_str(); }

private:
    std::string text_;
};

class TensorDesc {
public:
    explicit TensorDesc(DataType type) : type_(type) {}
    DataType GetDataType() const { return type_; }

private:
    DataType type_;
};

class Operator {
public:
    Operator(const char* name, DataType type) : name_(name), type_(type) {}
    graphStatus GetName(AscendString& name) const
    {
        name = AscendString(name_.c_str());
        return GRAPH_SUCCESS;
    }
    // An input that nobody described is float, as in GE.
    TensorDesc GetInputDescByName(const char* name) const
    {
        return TensorDesc(std::string(name) == "x1" ? type_ : DT_FLOAT);
    }

private:
    std::string name_;
    DataType type_;
};
} // namespace ge

namespace domi {
using google::protobuf::Message;
using Status = uint32_t;
constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFF;

enum FrameworkType { CAFFE = 0, MINDSPORE = 1, TENSORFLOW = 3, ANDROID_NN, ONNX };
enum class ImplyType { BUILDIN = 0, TVM };

Status AutoMappingByOpFn(const ge::Operator& from, ge::Operator& to);

class OpRegistrationData {
public:
    using Parse = Status (*)(const Message*, ge::Operator&);
    using Map = Status (*)(const ge::Operator&, ge::Operator&);

    explicit OpRegistrationData(const char* name) : name(name) {}
    OpRegistrationData& FrameworkType(domi::FrameworkType type)
    {
        framework = type;
        return *this;
    }
    OpRegistrationData& OriginOpType(const std::vector<ge::AscendString>& types)
    {
        for (const auto& type : types) {
            origins.push_back(type.GetString());
        }
        return *this;
    }
    OpRegistrationData& OriginOpType(const char* type)
    {
        origins.push_back(type);
        return *this;
    }
    OpRegistrationData& ParseParamsFn(Parse function)
    {
        parse = function;
        return *this;
    }
    OpRegistrationData& ParseParamsByOperatorFn(Map function)
    {
        map = function;
        return *this;
    }
    OpRegistrationData& ImplyType(domi::ImplyType type)
    {
        imply = type;
        return *this;
    }

    std::string name;
    domi::FrameworkType framework = CAFFE;
    std::vector<std::string> origins;
    Parse parse = nullptr;
    Map map = nullptr;
    domi::ImplyType imply = domi::ImplyType::BUILDIN;
};

std::vector<OpRegistrationData>& Registered();

struct Receiver {
    Receiver(const OpRegistrationData& data) { Registered().push_back(data); }
};
} // namespace domi

#define HARNESS_JOIN(a, b) a##b
#define HARNESS_NAME(a, b) HARNESS_JOIN(a, b)
#define REGISTER_CUSTOM_OP(name) \
    [[maybe_unused]] static const domi::Receiver HARNESS_NAME(g_receiver, __COUNTER__) = domi::OpRegistrationData(name)

#endif // ASCEND_ORT_TESTS_REGISTER_H
