// Sinks of the host logging macros: the log and the error list of the runtime.
#include "op_common/log/log.h"

#include <cstdarg>
#include <cstdio>

#include "base/err_msg.h"
#include "graph/utils/type_utils.h"
#include "hostcann/host_abi.h"

namespace {
constexpr const char* kModule = "OP";

int32_t AbiLevel(int32_t dlogLevel)
{
    switch (dlogLevel) {
        case DLOG_DEBUG:
            return HC_LOG_DEBUG;
        case DLOG_INFO:
            return HC_LOG_INFO;
        case DLOG_WARN:
            return HC_LOG_WARN;
        default:
            return HC_LOG_ERROR;
    }
}

// printf into a string of the needed length; a broken format gives the format itself.
__attribute__((format(printf, 1, 0))) std::string Print(const char* format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int length = std::vsnprintf(nullptr, 0, format, args);
    std::string text = format;
    if (length >= 0) {
        text.resize(static_cast<size_t>(length) + 1U);
        (void)std::vsnprintf(text.data(), text.size(), format, again);
        text.pop_back();
    }
    va_end(again);
    return text;
}
} // namespace

extern "C" {
int32_t CheckLogLevel(int32_t moduleId, int32_t logLevel)
{
    (void)moduleId;
    return hc_log_enabled(AbiLevel(logLevel)) != 0 ? 1 : 0;
}

void DlogRecord(int32_t moduleId, int32_t level, const char* fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    DlogVaList(moduleId, level, fmt, args);
    va_end(args);
}

__attribute__((format(printf, 3, 0))) void DlogVaList(int32_t moduleId, int32_t level, const char* fmt, va_list list)
{
    (void)moduleId;
    hc_log(AbiLevel(level), kModule, Print(fmt, list).c_str());
}

void DlogFlush(void) {}
}

namespace error_message {
int32_t ReportInnerErrMsg(const char* file_name, const char* func, uint32_t line, const char* error_code,
                          const char* format, ...)
{
    va_list args;
    va_start(args, format);
    std::string text = Print(format, args);
    va_end(args);
    text += std::string(" [") + func + " in " + Ops::Base::FileName(file_name) + ":" + std::to_string(line) + "]";
    hc_report_error(error_code, text.c_str());
    return 0;
}

int32_t ReportUserDefinedErrMsg(const char* error_code, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    const std::string text = Print(format, args);
    va_end(args);
    hc_report_error(error_code, text.c_str());
    return 0;
}

int32_t ReportPredefinedErrMsg(const char* error_code) { return ReportPredefinedErrMsg(error_code, {}, {}); }

int32_t ReportPredefinedErrMsg(const char* error_code, const std::vector<const char*>& key,
                               const std::vector<const char*>& value)
{
    std::string text;
    for (size_t i = 0; i < key.size() && i < value.size(); ++i) {
        text += std::string(i == 0 ? "" : ", ") + key[i] + " = " + value[i];
    }
    hc_report_error(error_code, text.c_str());
    return 0;
}
} // namespace error_message

namespace Ops {
namespace Base {
void ReportBadParam(const char* code, const char* noun, const std::string& entity, const std::string& param,
                    const std::string& got, const std::string& note, bool noteIsExpected)
{
    const std::string text = entity + ": the " + noun + " of " + param + " is " + got +
                             (noteIsExpected ? ", expected " : ": ") + note;
    hc_log(HC_LOG_ERROR, kModule, text.c_str());
    hc_report_error(code, text.c_str());
}

std::string ToString(ge::DataType type) { return ge::TypeUtils::DataTypeToSerialString(type); }
std::string ToString(ge::Format format) { return ge::TypeUtils::FormatToSerialString(format); }

std::string ToString(const gert::Shape& shape)
{
    std::string text = "[";
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(shape.GetDim(i));
    }
    return text + "]";
}

std::string ToString(const std::vector<const gert::Shape*>& v)
{
    std::string text = "[";
    for (size_t i = 0; i < v.size(); ++i) {
        text += (i == 0 ? "" : ", ") + (v[i] == nullptr ? std::string("nil") : ToString(*v[i]));
    }
    return text + "]";
}
} // namespace Base
} // namespace Ops
