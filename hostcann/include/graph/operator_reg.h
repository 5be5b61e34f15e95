// What op definitions name from the graph engine. Operator prototypes (REG_OP) belong to graph mode, which hostcann
// lacks: host code may include them, and they register nothing.
#ifndef INC_EXTERNAL_GRAPH_OPERATOR_REG_H_
#define INC_EXTERNAL_GRAPH_OPERATOR_REG_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/error_codes.h"
#include "graph/tensor.h"
#include "graph/types.h"

namespace ge {
struct OperatorContent;

// An operator of a graph, as far as the callbacks of a definition ask for it (SetOpSelectFormat): descriptions of its
// tensors and attributes. Only hostcann fills one in.
class Operator {
public:
    Operator() = default;
    Operator(const char_t* name, const char_t* type) : name_(name), type_(type) {}
    graphStatus GetName(AscendString& name) const
    {
        name = name_;
        return GRAPH_SUCCESS;
    }
    graphStatus GetOpType(AscendString& type) const
    {
        type = type_;
        return GRAPH_SUCCESS;
    }

    // Those that are there: an optional tensor that is absent keeps its index and is not counted.
    size_t GetInputsSize() const;
    size_t GetOutputsSize() const;
    // A default description where there is none. Tensor i of the dynamic input x is x<i>.
    TensorDesc GetInputDesc(uint32_t index) const;
    TensorDesc GetInputDesc(const std::string& name) const { return GetInputDescByName(name.c_str()); }
    TensorDesc GetInputDescByName(const char_t* name) const;
    TensorDesc GetDynamicInputDesc(const char_t* name, uint32_t index) const;
    int32_t GetDynamicInputNum(const char_t* name) const;
    graphStatus TryGetInputDesc(const char_t* name, TensorDesc& tensor_desc) const; // GRAPH_FAILED when absent
    TensorDesc GetOutputDesc(uint32_t index) const;
    TensorDesc GetOutputDesc(const std::string& name) const { return GetOutputDescByName(name.c_str()); }
    TensorDesc GetOutputDescByName(const char_t* name) const;
    TensorDesc GetDynamicOutputDesc(const char_t* name, uint32_t index) const;
    int32_t GetDynamicOutputNum(const char_t* name) const;
    // No input is a constant here.
    graphStatus GetInputConstData(const char_t*, Tensor&) const { return GRAPH_FAILED; }

    // GRAPH_FAILED when there is no attribute of that name and type.
    graphStatus GetAttr(const char_t* name, int64_t& attr_value) const;
    graphStatus GetAttr(const char_t* name, int32_t& attr_value) const;
    graphStatus GetAttr(const char_t* name, float& attr_value) const;
    graphStatus GetAttr(const char_t* name, bool& attr_value) const;
    graphStatus GetAttr(const char_t* name, AscendString& attr_value) const;
    graphStatus GetAttr(const char_t* name, std::vector<int64_t>& attr_value) const;
    graphStatus GetAttr(const char_t* name, std::vector<float>& attr_value) const;
    graphStatus GetAttr(const char_t* name, std::vector<bool>& attr_value) const;
    graphStatus GetAttr(const char_t* name, std::vector<AscendString>& attr_value) const;
    graphStatus GetAttr(const char_t* name, std::vector<std::vector<int64_t>>& attr_value) const;

    // Of parsers for other frameworks, which nobody calls here.
    template <typename T>
    Operator& SetAttr(const char_t*, const T&)
    {
        return *this;
    }

private:
    friend struct OperatorContent;
    AscendString name_;
    AscendString type_;
    std::shared_ptr<const OperatorContent> content_;
};
using OperatorPtr = std::shared_ptr<Operator>;

namespace hostcann {
struct Prototype {
    constexpr Prototype Part() const { return *this; }
};
} // namespace hostcann
} // namespace ge

#define REG_OP(x) [[maybe_unused]] static constexpr ge::hostcann::Prototype kPrototype##x = ge::hostcann::Prototype()
#define INPUT(...) Part()
#define OPTIONAL_INPUT(...) Part()
#define DYNAMIC_INPUT(...) Part()
#define OUTPUT(...) Part()
#define DYNAMIC_OUTPUT(...) Part()
#define ATTR(...) Part()
#define REQUIRED_ATTR(...) Part()
#define DATATYPE(...) Part()
#define GRAPH(...) Part()
#define DYNAMIC_GRAPH(...) Part()
#define OP_END_FACTORY_REG(x) Part();

#endif
