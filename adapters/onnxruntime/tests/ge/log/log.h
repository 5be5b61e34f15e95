// Errors of a plug-in, for whoever runs it.
#ifndef ASCEND_ORT_TESTS_LOG_H
#define ASCEND_ORT_TESTS_LOG_H

#include <cstdio>

#define OP_LOGE(name, format, ...) std::printf("%s: " format "\n", name, ##__VA_ARGS__)

#endif // ASCEND_ORT_TESTS_LOG_H
