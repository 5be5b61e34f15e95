// Registration of operators of other frameworks with the graph engine's parsers (REGISTER_CUSTOM_OP). hostcann has no
// graph engine: plugins compile, and nobody asks for what they register.
#ifndef INC_EXTERNAL_REGISTER_REGISTER_H_
#define INC_EXTERNAL_REGISTER_REGISTER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "graph/operator_reg.h"

namespace ge {
using std::string;
} // namespace ge

namespace google {
namespace protobuf {
class Message;
} // namespace protobuf
} // namespace google

namespace domi {
using Status = uint32_t;
constexpr Status SUCCESS = 0U;
constexpr Status FAILED = 0xFFFFFFFFU;
enum class ImplyType : uint32_t { BUILDIN = 0, TVM, CUSTOM, AI_CPU, CCE, GELOCAL, HCCL, INVALID = 0xFFFFFFFFU };
enum FrameworkType { CAFFE = 0, MINDSPORE = 1, TENSORFLOW = 3, ANDROID_NN = 4, ONNX = 5 };

using ParseParamFunc = std::function<Status(const google::protobuf::Message*, ge::Operator&)>;
using ParseParamByOpFunc = std::function<Status(const ge::Operator&, ge::Operator&)>;
using ParseOpToGraphFunc = std::function<Status(const ge::Operator&, void*)>;

inline Status AutoMappingByOpFn(const ge::Operator&, ge::Operator&) { return SUCCESS; }
inline Status AutoMappingFn(const google::protobuf::Message*, ge::Operator&) { return SUCCESS; }

class OpRegistrationData {
public:
    explicit OpRegistrationData(const char* om_optype) : om_optype_(om_optype) {}
    OpRegistrationData& FrameworkType(domi::FrameworkType type)
    {
        framework_ = type;
        return *this;
    }
    OpRegistrationData& OriginOpType(const char* type)
    {
        origins_.emplace_back(type);
        return *this;
    }
    OpRegistrationData& OriginOpType(const std::vector<ge::AscendString>& types)
    {
        for (const ge::AscendString& type : types) {
            origins_.emplace_back(type.GetString());
        }
        return *this;
    }
    OpRegistrationData& ParseParamsFn(const ParseParamFunc&) { return *this; }
    OpRegistrationData& ParseParamsByOperatorFn(const ParseParamByOpFunc&) { return *this; }
    template <typename T>
    OpRegistrationData& ParseOpToGraphFn(const T&)
    {
        return *this;
    }

    OpRegistrationData& ImplyType(domi::ImplyType) { return *this; }

private:
    std::string om_optype_;
    std::vector<std::string> origins_;
    domi::FrameworkType framework_ = CAFFE;
};
} // namespace domi

#define HOSTCANN_CUSTOM_OP_NAME2(counter) g_custom_op_##counter
#define HOSTCANN_CUSTOM_OP_NAME(counter) HOSTCANN_CUSTOM_OP_NAME2(counter)
#define REGISTER_CUSTOM_OP(name)                                                 \
    static const ::domi::OpRegistrationData HOSTCANN_CUSTOM_OP_NAME(__COUNTER__) \
        __attribute__((unused)) = ::domi::OpRegistrationData(name)

#endif
