// Runs the infershape function of an op on a described call and compares the shapes of its outputs.
#ifndef HOSTCANN_UT_INFERSHAPE_CASE_EXECUTOR_H
#define HOSTCANN_UT_INFERSHAPE_CASE_EXECUTOR_H

#include <cstdint>
#include <vector>

#include "infershape_context_faker.h"

// Nothing but the status is compared when a failure is expected.
void ExecuteTestCase(gert::InfershapeContextPara& infershapeContextPara,
                     ge::graphStatus expectResult = ge::GRAPH_FAILED,
                     const std::vector<std::vector<int64_t>>& expectOutputShape = {});

#endif // HOSTCANN_UT_INFERSHAPE_CASE_EXECUTOR_H
