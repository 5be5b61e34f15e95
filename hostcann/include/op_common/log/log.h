// Logging of operator host code (opbase op_common/log/log.h). The first argument of OP_LOGx is a name or a context.
#ifndef HOSTCANN_OP_COMMON_LOG_LOG_H
#define HOSTCANN_OP_COMMON_LOG_LOG_H

#include <sys/syscall.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/dlog_pub.h"
#include "base/err_msg.h"
#include "exe_graph/runtime/shape.h"
#include "graph/error_codes.h"
#include "graph/types.h"
#include "op_common/op_host/util/opbase_export.h"

constexpr int32_t OP_MODULE_ID = OP;

#ifndef OP_SUBMOD_NAME
#define OP_SUBMOD_NAME "OP"
#endif

namespace Ops {
namespace Base {
inline uint64_t GetTid() { return static_cast<uint64_t>(syscall(__NR_gettid)); }

inline const std::string& GetOpInfo(const std::string& name) { return name; }
inline const char* GetOpInfo(const char* name) { return name == nullptr ? "nil" : name; }
// A context: "type:name".
template <class Context, typename = decltype(std::declval<Context*>()->GetNodeType())>
std::string GetOpInfo(Context* context)
{
    if (context == nullptr) {
        return "nil:nil";
    }
    return std::string(GetOpInfo(context->GetNodeType())) + ":" + GetOpInfo(context->GetNodeName());
}
inline const char* GetSafeStr(const char* text) { return text; }
inline const char* GetSafeStr(const std::string& text) { return text.c_str(); }

// Without the directories, which say where the library was built.
inline const char* FileName(const char* path)
{
    const char* slash = __builtin_strrchr(path, '/');
    return slash == nullptr ? path : slash + 1;
}

template <class T>
std::string TextOf(const T& value)
{
    if constexpr (std::is_convertible<T, const char*>::value) {
        return GetOpInfo(static_cast<const char*>(value));
    } else {
        std::ostringstream text;
        text << value;
        return text.str();
    }
}
template <class Item, class File>
std::string OnFile(const Item& item, const File& file)
{
    return TextOf(item) + " of " + TextOf(file);
}

// Reports "<noun> of <param> is <got>", then what was expected or why it is wrong, under an EZ code, and logs it.
OPBASE_API void ReportBadParam(const char* code, const char* noun, const std::string& entity, const std::string& param,
                               const std::string& got, const std::string& note, bool noteIsExpected);

#ifndef OP_LOG_LIBOPAPI_ONLY
OPBASE_API std::string ToString(ge::DataType type);
OPBASE_API std::string ToString(ge::Format format);
OPBASE_API std::string ToString(const gert::Shape& shape);                 // "[2, 3]"
OPBASE_API std::string ToString(const std::vector<const gert::Shape*>& v); // "[[2, 3], [3]]"
#endif
} // namespace Base
} // namespace Ops

#define HC_OP_REPORT_BAD(code, noun, entity, param, got, note, noteIsExpected)                           \
    Ops::Base::ReportBadParam((code), (noun), Ops::Base::TextOf(Ops::Base::GetOpInfo(entity)),           \
                              Ops::Base::TextOf(param), Ops::Base::TextOf(got), Ops::Base::TextOf(note), \
                              noteIsExpected)

#define OP_LOGE_FOR_INVALID_SHAPE(entityName, paramName, got, expected) \
    HC_OP_REPORT_BAD("EZ0008", "shape", entityName, paramName, got, expected, true)
#define OP_LOGE_FOR_INVALID_SHAPE_WITH_REASON(entityName, paramName, got, reason) \
    HC_OP_REPORT_BAD("EZ0009", "shape", entityName, paramName, got, reason, false)
#define OP_LOGE_FOR_INVALID_SHAPES_WITH_REASON(entityName, paramName, got, reason) \
    HC_OP_REPORT_BAD("EZ0010", "shapes", entityName, paramName, got, reason, false)
#define OP_LOGE_FOR_INVALID_SHAPEDIM(entityName, paramName, got, expected) \
    HC_OP_REPORT_BAD("EZ0011", "dim", entityName, paramName, got, expected, true)
#define OP_LOGE_FOR_INVALID_SHAPEDIM_WITH_REASON(entityName, paramName, got, reason) \
    HC_OP_REPORT_BAD("EZ0012", "dim", entityName, paramName, got, reason, false)
#define OP_LOGE_FOR_INVALID_SHAPEDIMS_WITH_REASON(entityName, paramName, got, reason) \
    HC_OP_REPORT_BAD("EZ0013", "dims", entityName, paramName, got, reason, false)
#define OP_LOGE_FOR_INVALID_SHAPESIZE(entityName, paramName, got, expected) \
    HC_OP_REPORT_BAD("EZ0014", "shape size", entityName, paramName, got, expected, true)
#define OP_LOGE_FOR_INVALID_SHAPESIZE_WITH_REASON(entityName, paramName, got, reason) \
    HC_OP_REPORT_BAD("EZ0015", "shape size", entityName, paramName, got, reason, false)
#define OP_LOGE_FOR_INVALID_SHAPESIZES_WITH_REASON(entityName, paramName, got, reason) \
    HC_OP_REPORT_BAD("EZ0016", "shape sizes", entityName, paramName, got, reason, false)
#define OP_LOGE_FOR_INVALID_FORMAT(entityName, paramName, got, expected) \
    HC_OP_REPORT_BAD("EZ0017", "format", entityName, paramName, got, expected, true)
#define OP_LOGE_FOR_INVALID_FORMAT_WITH_REASON(entityName, paramName, got, reason) \
    HC_OP_REPORT_BAD("EZ0035", "format", entityName, paramName, got, reason, false)
#define OP_LOGE_FOR_INVALID_FORMATS_WITH_REASON(entityName, paramName, got, reason) \
    HC_OP_REPORT_BAD("EZ0018", "formats", entityName, paramName, got, reason, false)
#define OP_LOGE_FOR_INVALID_DTYPE(entityName, paramName, got, expected) \
    HC_OP_REPORT_BAD("EZ0019", "dtype", entityName, paramName, got, expected, true)
#define OP_LOGE_FOR_INVALID_DTYPE_WITH_REASON(entityName, paramName, got, reason) \
    HC_OP_REPORT_BAD("EZ0020", "dtype", entityName, paramName, got, reason, false)
#define OP_LOGE_FOR_INVALID_DTYPES_WITH_REASON(entityName, paramName, got, reason) \
    HC_OP_REPORT_BAD("EZ0021", "dtypes", entityName, paramName, got, reason, false)
#define OP_LOGE_FOR_INVALID_TENSORNUM(entityName, paramName, got, expected) \
    HC_OP_REPORT_BAD("EZ0022", "number of tensors", entityName, paramName, got, expected, true)
#define OP_LOGE_FOR_INVALID_TENSORNUMS_WITH_REASON(entityName, paramName, got, reason) \
    HC_OP_REPORT_BAD("EZ0023", "numbers of tensors", entityName, paramName, got, reason, false)
#define OP_LOGE_FOR_INVALID_VALUE(entityName, paramName, got, expected) \
    HC_OP_REPORT_BAD("EZ0024", "value", entityName, paramName, got, expected, true)
#define OP_LOGE_FOR_INVALID_LISTSIZE(entityName, paramName, got, expected) \
    HC_OP_REPORT_BAD("EZ0025", "list size", entityName, paramName, got, expected, true)
#define OP_LOGE_FOR_INVALID_VALUE_WITH_REASON(entityName, paramName, got, reason) \
    HC_OP_REPORT_BAD("EZ0026", "value", entityName, paramName, got, reason, false)
#define OP_LOGE_FOR_INVALID_VALUES_WITH_REASON(entityName, paramName, got, reason) \
    HC_OP_REPORT_BAD("EZ0027", "values", entityName, paramName, got, reason, false)
#define OP_LOGE_FOR_INVALID_STRIDE(entityName, paramName, got, expected) \
    HC_OP_REPORT_BAD("EZ0028", "stride", entityName, paramName, got, expected, true)
#define OP_LOGE_FOR_INVALID_LISTSIZE_WITH_REASON(entityName, paramName, got, reason) \
    HC_OP_REPORT_BAD("EZ0038", "list size", entityName, paramName, got, reason, false)
#define OP_LOGE_WITH_INVALID_INPUT_SHAPE(entityName, input, got, expected) \
    HC_OP_REPORT_BAD("EZ0001", "shape", entityName, input, got, expected, true)
#define OP_LOGE_WITH_INVALID_INPUT_SHAPESIZE(entityName, input, got, expected) \
    HC_OP_REPORT_BAD("EZ0005", "shape size", entityName, input, got, expected, true)
#define OP_LOGE_WITH_INVALID_INPUT_FORMAT(entityName, input, got, expected) \
    HC_OP_REPORT_BAD("EZ0006", "format", entityName, input, got, expected, true)
#define OP_LOGE_WITH_INVALID_INPUT_DTYPE(entityName, input, got, expected) \
    HC_OP_REPORT_BAD("EZ0007", "dtype", entityName, input, got, expected, true)
#define OP_LOGE_WITH_INVALID_ATTR(entityName, attrName, got, expected) \
    HC_OP_REPORT_BAD("EZ0002", "attribute value", entityName, attrName, got, expected, true)
#define OP_LOGE_WITH_INVALID_ATTR_SIZE(entityName, attrName, got, expected) \
    HC_OP_REPORT_BAD("EZ0003", "attribute size", entityName, attrName, got, expected, true)
#define OP_LOGE_WITH_INVALID_INPUT(entityName, paramName) \
    HC_OP_REPORT_BAD("EZ0004", "input", entityName, paramName, "unusable", "a valid tensor", true)
#define OP_LOGE_FOR_INVALID_ARGUMENT_WITH_REASON(entityName, paramName, reason) \
    HC_OP_REPORT_BAD("EZ0037", "argument", entityName, paramName, "invalid", reason, false)
#define OP_LOGE_FOR_INVALID_GRAPH_NODE(nodeName, reason) \
    HC_OP_REPORT_BAD("EZ0036", "graph node", nodeName, nodeName, "invalid", reason, false)
#define OP_LOGE_FOR_FILE_PATH(opName, filePath, reason) \
    HC_OP_REPORT_BAD("EZ0029", "file path", opName, filePath, "invalid", reason, false)
#define OP_LOGE_FOR_FILE_OPEN(opName, filePath, reason) \
    HC_OP_REPORT_BAD("EZ0030", "file", opName, filePath, "not readable", reason, false)
#define OP_LOGE_FOR_FILE_PARSE(opName, fileName, reason) \
    HC_OP_REPORT_BAD("EZ0031", "content of file", opName, fileName, "malformed", reason, false)
#define OP_LOGE_FOR_INVALID_CONFIG(opName, configFile, item, value, expect)                                          \
    HC_OP_REPORT_BAD("EZ0032", "configuration item", opName, Ops::Base::OnFile((item), (configFile)), value, expect, \
                     true)
#define OP_LOGE_FOR_INVALID_CONFIG_WITH_REASON(opName, configFile, item, value, reason)                              \
    HC_OP_REPORT_BAD("EZ0033", "configuration item", opName, Ops::Base::OnFile((item), (configFile)), value, reason, \
                     false)
#define OP_LOGE_FOR_INVALID_CONFIGS_WITH_REASON(opName, configFile, items, values, reason)                      \
    HC_OP_REPORT_BAD("EZ0034", "configuration items", opName, Ops::Base::OnFile((items), (configFile)), values, \
                     reason, false)

#ifndef unlikely
#define unlikely(x) __builtin_expect((x), 0)
#endif
#ifndef likely
#define likely(x) __builtin_expect((x), 1)
#endif

#define OpLogSub(moduleId, level, opInfo, fmt, ...)                                                            \
    do {                                                                                                       \
        if (CheckLogLevel(static_cast<int>(moduleId), (level)) == 1) {                                         \
            DlogRecord(static_cast<int>(moduleId), (level), "[%s][%s:%d][%s] " fmt, OP_SUBMOD_NAME,            \
                       Ops::Base::FileName(__FILE__), __LINE__, Ops::Base::GetSafeStr(opInfo), ##__VA_ARGS__); \
        }                                                                                                      \
    } while (0)
#define OpLogErrSub(moduleId, level, opInfo, fmt, ...) OpLogSub(moduleId, level, opInfo, fmt, ##__VA_ARGS__)
#define OP_LOGE_LIBOPAPI_REPORT(opName, fmt, ...) \
    OpLogSub(OP_MODULE_ID, DLOG_ERROR, Ops::Base::GetOpInfo(opName), fmt, ##__VA_ARGS__)

// opdev/op_log.h has its own OP_LOGx for op_api code.
#ifndef OP_LOG_LIBOPAPI_ONLY
#define D_OP_LOGI(opName, fmt, ...) OpLogSub(OP_MODULE_ID, DLOG_INFO, opName, fmt, ##__VA_ARGS__)
#define D_OP_LOGW(opName, fmt, ...) OpLogSub(OP_MODULE_ID, DLOG_WARN, opName, fmt, ##__VA_ARGS__)
#define D_OP_LOGE(opName, fmt, ...) OpLogSub(OP_MODULE_ID, DLOG_ERROR, opName, fmt, ##__VA_ARGS__)
#define D_OP_LOGD(opName, fmt, ...) OpLogSub(OP_MODULE_ID, DLOG_DEBUG, opName, fmt, ##__VA_ARGS__)
#define OP_LOGD(opName, ...) D_OP_LOGD(Ops::Base::GetOpInfo(opName), __VA_ARGS__)
#define OP_LOGI(opName, ...) D_OP_LOGI(Ops::Base::GetOpInfo(opName), __VA_ARGS__)
#define OP_LOGW(opName, ...) D_OP_LOGW(Ops::Base::GetOpInfo(opName), __VA_ARGS__)
#define OP_LOGE_WITHOUT_REPORT(opName, ...) D_OP_LOGE(Ops::Base::GetOpInfo(opName), __VA_ARGS__)
#define OP_LOGE(opName, ...)                           \
    do {                                               \
        OP_LOGE_WITHOUT_REPORT(opName, ##__VA_ARGS__); \
        REPORT_INNER_ERR_MSG("EZ9999", ##__VA_ARGS__); \
    } while (0)
#endif

#define OP_CHECK_IF(condition, log, return_expr) \
    do {                                         \
        if (unlikely(condition)) {               \
            log;                                 \
            return_expr;                         \
        }                                        \
    } while (0)
#define OP_CHECK_NULL_WITH_CONTEXT(context, ptr)     \
    do {                                             \
        if (unlikely((ptr) == nullptr)) {            \
            OP_LOGE(context, "%s is nullptr", #ptr); \
            return ge::GRAPH_FAILED;                 \
        }                                            \
    } while (0)

#endif
