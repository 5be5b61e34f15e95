// Checks of table rows: `row` names the row in the message.
#ifndef HOSTCANN_NNOPBASE_TESTS_ROWS_H
#define HOSTCANN_NNOPBASE_TESTS_ROWS_H

#include "check.h"

#define CHECK_ROW(row, got, wanted) \
    check::Equal(__FILE__, __LINE__, (std::string(row) + ": " #got).c_str(), (got), (wanted))

#endif // HOSTCANN_NNOPBASE_TESTS_ROWS_H
