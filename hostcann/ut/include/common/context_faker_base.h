// What the tiling and the infershape harness share: descriptions of tensors and attributes, and a builder's short
// names.
#ifndef HOSTCANN_UT_CONTEXT_FAKER_BASE_H
#define HOSTCANN_UT_CONTEXT_FAKER_BASE_H

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "any_value.h"
#include "exe_graph/runtime/runtime_tensor.h"
#include "graph/ascend_string.h"

namespace gert {
namespace faker {
struct TensorDescription {
    TensorDescription(const gert::StorageShape& shape, ge::DataType dtype, ge::Format format, bool isConst = false,
                      void* constValue = nullptr)
        : shape_(shape), dtype_(dtype), format_(format), isConst_(isConst), constValue_(constValue)
    {
    }
    gert::StorageShape shape_;
    ge::DataType dtype_;
    ge::Format format_;
    bool isConst_;
    void* constValue_;
};

struct OpAttr {
    OpAttr(const std::string& attrName, const Ops::Math::AnyValue& attr) : attrName_(attrName), attr_(attr) {}
    std::string attrName_;
    Ops::Math::AnyValue attr_;
};

// Tensors on the host, of a V1 kind as upstream's harness makes them; their owner.
class Tensors {
public:
    explicit Tensors(const std::vector<TensorDescription>& descriptions);
    const std::vector<gert::Tensor*>& Pointers() const { return pointers_; }

private:
    std::vector<std::unique_ptr<gert::Tensor>> tensors_;
    std::vector<gert::Tensor*> pointers_;
};

// Calls faker.Attr(name, value) with the value's own type.
template <typename Faker>
void AppendAttrs(Faker& faker, const std::vector<OpAttr>& attrs)
{
    using Ops::Math::AnyValue;
    for (const OpAttr& attr : attrs) {
        const void* value = attr.attr_.valuePtr_.get();
        switch (attr.attr_.type_) {
            case AnyValue::VT_STRING:
                faker.Attr(attr.attrName_, ge::AscendString(static_cast<const std::string*>(value)->c_str()));
                break;
            case AnyValue::VT_FLOAT:
                faker.Attr(attr.attrName_, *static_cast<const float*>(value));
                break;
            case AnyValue::VT_BOOL:
                faker.Attr(attr.attrName_, *static_cast<const bool*>(value));
                break;
            case AnyValue::VT_INT:
                faker.Attr(attr.attrName_, *static_cast<const int64_t*>(value));
                break;
            case AnyValue::VT_LIST_FLOAT:
                faker.Attr(attr.attrName_, *static_cast<const std::vector<float>*>(value));
                break;
            case AnyValue::VT_LIST_BOOL:
                faker.Attr(attr.attrName_, *static_cast<const std::vector<bool>*>(value));
                break;
            case AnyValue::VT_LIST_INT:
                faker.Attr(attr.attrName_, *static_cast<const std::vector<int64_t>*>(value));
                break;
            case AnyValue::VT_LIST_LIST_INT:
                faker.Attr(attr.attrName_, *static_cast<const std::vector<std::vector<int64_t>>*>(value));
                break;
            default:
                throw std::invalid_argument("attribute " + attr.attrName_ + ": unknown kind of value " +
                                            std::to_string(attr.attr_.type_));
        }
    }
}

// Builder with upstream's short names; Faker is the class itself, Builder the toolkit's.
template <typename Faker, typename Builder>
class ContextFaker : public Builder {
public:
    Faker& SetOpType(const std::string& opType)
    {
        (void)Builder::OpType(opType.c_str()).OpName(opType.c_str());
        return Self();
    }
    // One of the two: a tensor for every input and output, or how many each of them has.
    Faker& NodeIoNum(size_t inputNum, size_t outputNum)
    {
        (void)Builder::IONum(inputNum, outputNum);
        return Self();
    }
    Faker& IrInstanceNum(const std::vector<uint32_t>& inputNum, const std::vector<uint32_t>& outputNum)
    {
        (void)Builder::IONum(inputNum.size(), outputNum.size());
        (void)Builder::IOInstanceNum(inputNum, outputNum);
        return Self();
    }
    // The name is for the reader: contexts know attributes by their order in the op definition.
    template <typename T>
    Faker& Attr(const std::string&, const T& value)
    {
        (void)Builder::AppendAttr(value);
        return Self();
    }
    Faker& InputTensors(const std::vector<gert::Tensor*>& tensors)
    {
        (void)Builder::InputTensors(tensors);
        return Self();
    }

private:
    Faker& Self() { return static_cast<Faker&>(*this); }
};
} // namespace faker
} // namespace gert

#endif // HOSTCANN_UT_CONTEXT_FAKER_BASE_H
