// What stands behind a ge::Operator.
#ifndef HOSTCANN_NNOPBASE_GERT_OPERATOR_CONTENT_H
#define HOSTCANN_NNOPBASE_GERT_OPERATOR_CONTENT_H

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graph/operator_reg.h"

namespace ge {
struct OperatorContent {
    struct Param {
        std::string name;
        bool present = true;
        TensorDesc desc;
    };
    using Attr = std::variant<int64_t, float, bool, std::string, std::vector<int64_t>, std::vector<float>,
                              std::vector<bool>, std::vector<std::string>, std::vector<std::vector<int64_t>>>;

    std::vector<Param> inputs, outputs;
    std::map<std::string, Attr> attrs;

    static Operator Made(const std::string& type, OperatorContent content)
    {
        Operator op(type.c_str(), type.c_str());
        op.content_ = std::make_shared<const OperatorContent>(std::move(content));
        return op;
    }
};

// From a text with a line for each tensor and attribute, fields separated by tabs:
//   input <name> <data type> <format> [<dim>,<dim>...]      output the same
//   absent <name>                                           an optional input that is not there
//   attr <name> <kind> [<value>...]                         kind as in the op info library; lists: a field for each
//   item
// An error says which line it is.
Operator OperatorOfText(const std::string& type, const std::string& text, std::string& error);
} // namespace ge

#endif
