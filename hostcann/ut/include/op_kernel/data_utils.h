// Binary files and log lines of kernel tests.
#ifndef HOSTCANN_UT_DATA_UTILS_H
#define HOSTCANN_UT_DATA_UTILS_H

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#define INFO_LOG(fmt, args...) std::fprintf(stdout, "[INFO]  " fmt "\n", ##args)
#define WARN_LOG(fmt, args...) std::fprintf(stdout, "[WARN]  " fmt "\n", ##args)
#define ERROR_LOG(fmt, args...) std::fprintf(stdout, "[ERROR]  " fmt "\n", ##args)

// False, with an ERROR line, when the file cannot be read or written or does not fit the buffer.
bool ReadFile(const std::string& filePath, size_t& fileSize, void* buffer, size_t bufferSize);
bool WriteFile(const std::string& filePath, const void* buffer, size_t size);

#endif // HOSTCANN_UT_DATA_UTILS_H
