// Error messages of the calling thread, as aclGetRecentErrMsg returns them.
#ifndef HOSTCANN_BASE_ERR_MSG_H
#define HOSTCANN_BASE_ERR_MSG_H

#include <cstdint>
#include <string>
#include <vector>

namespace error_message {
// No format check here: messages of upstream operators pass size_t for %d and the like.
int32_t ReportInnerErrMsg(const char* file_name, const char* func, uint32_t line, const char* error_code,
                          const char* format, ...);
int32_t ReportUserDefinedErrMsg(const char* error_code, const char* format, ...);
int32_t ReportPredefinedErrMsg(const char* error_code);
int32_t ReportPredefinedErrMsg(const char* error_code, const std::vector<const char*>& key,
                               const std::vector<const char*>& value);
} // namespace error_message

#define REPORT_INNER_ERR_MSG(error_code, ...) \
    (void)error_message::ReportInnerErrMsg(__FILE__, __FUNCTION__, __LINE__, (error_code), __VA_ARGS__)
#define REPORT_USER_DEFINED_ERR_MSG(error_code, ...) \
    (void)error_message::ReportUserDefinedErrMsg((error_code), __VA_ARGS__)
// (error_code) or (error_code, key, value).
#define REPORT_PREDEFINED_ERR_MSG(...) error_message::ReportPredefinedErrMsg(__VA_ARGS__)

#endif
