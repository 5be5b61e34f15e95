#include "operator_content.h"

#include <cstdlib>
#include <limits>
#include <sstream>

#include "graph/utils/type_utils.h"

namespace ge {
namespace {
using Param = OperatorContent::Param;
using Params = std::vector<Param>;

const Params& Inputs(const std::shared_ptr<const OperatorContent>& content)
{
    static const Params kNone;
    return content == nullptr ? kNone : content->inputs;
}
const Params& Outputs(const std::shared_ptr<const OperatorContent>& content)
{
    static const Params kNone;
    return content == nullptr ? kNone : content->outputs;
}

size_t Present(const Params& params)
{
    size_t count = 0;
    for (const Param& param : params) {
        count += param.present ? 1U : 0U;
    }
    return count;
}

TensorDesc At(const Params& params, uint32_t index)
{
    return index < params.size() ? params[index].desc : TensorDesc();
}

const Param* Named(const Params& params, const std::string& name)
{
    for (const Param& param : params) {
        if (param.name == name) {
            return &param;
        }
    }
    return nullptr;
}

TensorDesc DescOf(const Params& params, const std::string& name)
{
    const Param* param = Named(params, name);
    return param == nullptr ? TensorDesc() : param->desc;
}

std::string Text(const char_t* name) { return name == nullptr ? "" : name; }

int32_t Parts(const Params& params, const char_t* name)
{
    int32_t count = 0;
    while (Named(params, Text(name) + std::to_string(count)) != nullptr) {
        ++count;
    }
    return count;
}

template <typename Stored>
const Stored* Find(const std::shared_ptr<const OperatorContent>& content, const char_t* name)
{
    if (content == nullptr) {
        return nullptr;
    }
    const auto found = content->attrs.find(Text(name));
    return found == content->attrs.end() ? nullptr : std::get_if<Stored>(&found->second);
}

template <typename T>
graphStatus Get(const std::shared_ptr<const OperatorContent>& content, const char_t* name, T& value)
{
    const T* found = Find<T>(content, name);
    if (found == nullptr) {
        return GRAPH_FAILED;
    }
    value = *found;
    return GRAPH_SUCCESS;
}
} // namespace

size_t Operator::GetInputsSize() const { return Present(Inputs(content_)); }
size_t Operator::GetOutputsSize() const { return Present(Outputs(content_)); }
TensorDesc Operator::GetInputDesc(uint32_t index) const { return At(Inputs(content_), index); }
TensorDesc Operator::GetInputDescByName(const char_t* name) const { return DescOf(Inputs(content_), Text(name)); }
TensorDesc Operator::GetDynamicInputDesc(const char_t* name, uint32_t index) const
{
    return DescOf(Inputs(content_), Text(name) + std::to_string(index));
}
int32_t Operator::GetDynamicInputNum(const char_t* name) const { return Parts(Inputs(content_), name); }
graphStatus Operator::TryGetInputDesc(const char_t* name, TensorDesc& tensor_desc) const
{
    const Param* param = Named(Inputs(content_), Text(name));
    if (param == nullptr || !param->present) {
        return GRAPH_FAILED;
    }
    tensor_desc = param->desc;
    return GRAPH_SUCCESS;
}
TensorDesc Operator::GetOutputDesc(uint32_t index) const { return At(Outputs(content_), index); }
TensorDesc Operator::GetOutputDescByName(const char_t* name) const { return DescOf(Outputs(content_), Text(name)); }
TensorDesc Operator::GetDynamicOutputDesc(const char_t* name, uint32_t index) const
{
    return DescOf(Outputs(content_), Text(name) + std::to_string(index));
}
int32_t Operator::GetDynamicOutputNum(const char_t* name) const { return Parts(Outputs(content_), name); }

graphStatus Operator::GetAttr(const char_t* name, int64_t& attr_value) const { return Get(content_, name, attr_value); }
graphStatus Operator::GetAttr(const char_t* name, int32_t& attr_value) const
{
    int64_t wide = 0;
    const bool fits = Get(content_, name, wide) == GRAPH_SUCCESS && wide >= std::numeric_limits<int32_t>::min() &&
                      wide <= std::numeric_limits<int32_t>::max();
    if (!fits) {
        return GRAPH_FAILED;
    }
    attr_value = static_cast<int32_t>(wide);
    return GRAPH_SUCCESS;
}
graphStatus Operator::GetAttr(const char_t* name, float& attr_value) const { return Get(content_, name, attr_value); }
graphStatus Operator::GetAttr(const char_t* name, bool& attr_value) const { return Get(content_, name, attr_value); }
graphStatus Operator::GetAttr(const char_t* name, AscendString& attr_value) const
{
    std::string text;
    const graphStatus status = Get(content_, name, text);
    if (status == GRAPH_SUCCESS) {
        attr_value = AscendString(text.c_str());
    }
    return status;
}
graphStatus Operator::GetAttr(const char_t* name, std::vector<int64_t>& attr_value) const
{
    return Get(content_, name, attr_value);
}
graphStatus Operator::GetAttr(const char_t* name, std::vector<float>& attr_value) const
{
    return Get(content_, name, attr_value);
}
graphStatus Operator::GetAttr(const char_t* name, std::vector<bool>& attr_value) const
{
    return Get(content_, name, attr_value);
}
graphStatus Operator::GetAttr(const char_t* name, std::vector<AscendString>& attr_value) const
{
    std::vector<std::string> texts;
    const graphStatus status = Get(content_, name, texts);
    if (status == GRAPH_SUCCESS) {
        attr_value.clear();
        for (const std::string& text : texts) {
            attr_value.emplace_back(text.c_str());
        }
    }
    return status;
}
graphStatus Operator::GetAttr(const char_t* name, std::vector<std::vector<int64_t>>& attr_value) const
{
    return Get(content_, name, attr_value);
}

namespace {
std::vector<std::string> Split(const std::string& text, char separator)
{
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

DataType TypeNamed(const std::string& name)
{
    if (name.empty() || name == "float") {
        return name.empty() ? DT_UNDEFINED : DT_FLOAT;
    }
#define HC_DATA_TYPE(name_, value, size, token, kernel) \
    if (name == (token)) {                              \
        return DT_##name_;                              \
    }
#include "hostcann/data_types.inc"
#undef HC_DATA_TYPE
    return DT_UNDEFINED;
}

template <typename Number>
bool Read(const std::string& text, Number& value)
{
    std::istringstream stream(text);
    stream >> value;
    return !text.empty() && !stream.fail() && stream.eof();
}
bool Read(const std::string& text, bool& value)
{
    value = text == "true";
    return value || text == "false";
}
bool Read(const std::string& text, std::string& value)
{
    value = text;
    return true;
}
bool Read(const std::string& text, std::vector<int64_t>& value)
{
    value.clear();
    for (const std::string& part : text.empty() ? std::vector<std::string>() : Split(text, ',')) {
        value.push_back(0);
        if (!Read(part, value.back())) {
            return false;
        }
    }
    return true;
}

template <typename T>
bool ReadOne(const std::vector<std::string>& fields, OperatorContent::Attr& attr)
{
    T value{};
    const bool good = fields.size() == 1U && Read(fields[0], value);
    attr = value;
    return good;
}

template <typename T>
bool ReadList(const std::vector<std::string>& fields, OperatorContent::Attr& attr)
{
    std::vector<T> values;
    for (const std::string& field : fields) {
        T value{};
        if (!Read(field, value)) {
            return false;
        }
        values.push_back(value);
    }
    attr = values;
    return true;
}

bool ReadAttr(const std::string& kind, const std::vector<std::string>& fields, OperatorContent::Attr& attr)
{
    using Reader = bool (*)(const std::vector<std::string>&, OperatorContent::Attr&);
    static const std::map<std::string, Reader> kReaders = {
        {"int", ReadOne<int64_t>},
        {"float", ReadOne<float>},
        {"bool", ReadOne<bool>},
        {"str", ReadOne<std::string>},
        {"listInt", ReadList<int64_t>},
        {"listFloat", ReadList<float>},
        {"listBool", ReadList<bool>},
        {"listStr", ReadList<std::string>},
        {"listListInt", ReadList<std::vector<int64_t>>},
    };
    const auto reader = kReaders.find(kind);
    return reader != kReaders.end() && reader->second(fields, attr);
}

bool ReadParam(const std::vector<std::string>& fields, Param& param)
{
    std::vector<int64_t> dims;
    if (fields.size() != 5U || !Read(fields[4], dims)) {
        return false;
    }
    const DataType type = TypeNamed(fields[2]);
    const Format format = TypeUtils::SerialStringToFormat(fields[3]);
    if (type == DT_UNDEFINED || format == FORMAT_RESERVED) {
        return false;
    }
    param.name = fields[1];
    param.desc = TensorDesc(Shape(dims), format, type);
    param.desc.SetOriginShape(Shape(dims));
    param.desc.SetName(fields[1].c_str());
    return true;
}

bool ReadLine(const std::string& line, OperatorContent& content)
{
    const std::vector<std::string> fields = Split(line, '\t');
    if (fields[0] == "absent" && fields.size() == 2U) {
        content.inputs.push_back({fields[1], false, TensorDesc(Shape(), FORMAT_RESERVED, DT_UNDEFINED)});
        return true;
    }
    if (fields[0] == "attr" && fields.size() >= 3U) {
        return ReadAttr(fields[2], {fields.begin() + 3, fields.end()}, content.attrs[fields[1]]);
    }
    Params* params = nullptr;
    if (fields[0] == "input") {
        params = &content.inputs;
    } else if (fields[0] == "output") {
        params = &content.outputs;
    }
    if (params == nullptr) {
        return false;
    }
    params->emplace_back();
    return ReadParam(fields, params->back());
}
} // namespace

Operator OperatorOfText(const std::string& type, const std::string& text, std::string& error)
{
    OperatorContent content;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (!ReadLine(line, content)) {
            error = "'" + line + "' is no line of a description: data type, format, kind or number is unknown";
            break;
        }
    }
    return OperatorContent::Made(type, std::move(content));
}
} // namespace ge
