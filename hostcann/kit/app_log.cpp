// The exported form of aclAppLog, for programs that were compiled against CANN's header: acl_base_rt.h of this toolkit
// has it inline. Rust has no functions with `...`, so it is not in libascendcl.so.
#include <cstdarg>
#include <cstdint>
#include <cstdio>

extern "C" {

void hc_app_log(int32_t level, const char* function, const char* file, uint32_t line, const char* text);

__attribute__((format(printf, 5, 6))) void aclAppLog(int32_t level, const char* function, const char* file,
                                                     uint32_t line, const char* format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    hc_app_log(level, function, file, line, text);
}

} // extern "C"
