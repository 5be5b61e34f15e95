// What op definitions name from the graph engine. Operator prototypes (REG_OP) belong to graph mode, which hostcann
// lacks.
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

private:
    AscendString name_;
    AscendString type_;
};
using OperatorPtr = std::shared_ptr<Operator>;
} // namespace ge

#endif
