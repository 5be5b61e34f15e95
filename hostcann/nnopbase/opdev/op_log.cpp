#include "opdev/op_log.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "hostcann/host_abi.h"
#include "op_context.h"

namespace op {
namespace internal {
namespace {

int ToAbiLevel(int level)
{
    switch (level) {
        case OP_LOG_DEBUG:
            return HC_LOG_DEBUG;
        case OP_LOG_INFO:
        case OP_LOG_EVENT:
            return HC_LOG_INFO;
        case OP_LOG_WARN:
            return HC_LOG_WARN;
        default:
            return HC_LOG_ERROR;
    }
}

std::string Format(const char* fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int length = std::vsnprintf(nullptr, 0, fmt, args);
    std::string text(length > 0 ? static_cast<size_t>(length) : 0, '\0');
    std::vsnprintf(text.data(), text.size() + 1, fmt, again);
    va_end(again);
    return text;
}

std::string Prefix(const char* file, int line, const char* func)
{
    const char* slash = std::strrchr(file, '/');
    return "[" + std::string(slash != nullptr ? slash + 1 : file) + ":" + std::to_string(line) + "][" + func + "][" +
           std::to_string(syscall(SYS_gettid)) + "] ";
}

std::string Where()
{
    const OpLogInfo& info = ThreadContext().logInfo;
    if (info.l2ApiName == nullptr && info.l0Name == nullptr) {
        return "";
    }
    std::string text = info.l2ApiName != nullptr ? info.l2ApiName : "";
    if (info.l0Name != nullptr) {
        text += (text.empty() ? "" : "_") + std::string(info.l0Name);
    }
    return "OpName:[" + text + "] ";
}

const char* ReportCode(int code)
{
    int first = code;
    while (first >= 10) {
        first /= 10;
    }
    return first == 1 ? "EZ1001" : first == 3 ? "EZ9903" : "EZ9999";
}

} // namespace

bool LogEnabled(int level) { return hc_log_enabled(ToAbiLevel(level)) != 0; }

void LogRecord(int level, const char* file, int line, const char* func, const char* fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const std::string text = Format(fmt, args);
    va_end(args);
    hc_log(ToAbiLevel(level), OPAPI_SUBMOD_NAME, (Prefix(file, line, func) + Where() + text).c_str());
}

void LogError(bool report, int code, const char* file, int line, const char* func, const char* fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const std::string text = Format(fmt, args);
    va_end(args);
    ++ThreadContext().errors;
    if (LogEnabled(OP_LOG_ERROR)) {
        const std::string head = Prefix(file, line, func) + "errno[" + std::to_string(code) + "] ";
        hc_log(HC_LOG_ERROR, OPAPI_SUBMOD_NAME, (head + Where() + text).c_str());
    }
    if (report) {
        hc_report_error(ReportCode(code), WithApiName(text).c_str());
        hc_note_failure(code, WithApiName(text).c_str());
    }
}

void ReportCoded(const char* ezCode, int code, const std::string& text)
{
    ++ThreadContext().errors;
    if (LogEnabled(OP_LOG_ERROR)) {
        hc_log(HC_LOG_ERROR, OPAPI_SUBMOD_NAME, ("errno[" + std::to_string(code) + "] " + Where() + text).c_str());
    }
    hc_report_error(ezCode, WithApiName(text).c_str());
    hc_note_failure(code, WithApiName(text).c_str());
}

std::string WithApiName(const std::string& text)
{
    const char* api = ThreadContext().logInfo.l2ApiName;
    return api == nullptr ? text : std::string(api) + ": " + text;
}

} // namespace internal
} // namespace op
