// Runs the tiling function of an op on a described call and compares what it decides.
#ifndef HOSTCANN_UT_TILING_CASE_EXECUTOR_H
#define HOSTCANN_UT_TILING_CASE_EXECUTOR_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tiling_context_faker.h"

using namespace std; // tests in upstream layout rely on it

// As expected tiling data: do not compare.
const string EMPTY_EXPECT_TILING_DATA = "EMPTY_EXPECT_TILING_DATA";

struct TilingInfo {
    int64_t tilingKey = -1;
    std::vector<int64_t> workspaceSizes;
    std::unique_ptr<uint8_t[]> tilingData;
    size_t tilingDataSize = 0;
    size_t blockNum = 0;
};

// Tiling data as text: its bytes as int64 numbers in decimal, a blank behind each of them. Nothing but the status is
// compared when a failure is expected.
void ExecuteTestCase(const gert::TilingContextPara& tilingContextPara, ge::graphStatus expectResult = ge::GRAPH_FAILED,
                     uint64_t expectTilingKey = 0, const string& expectTilingData = "",
                     const std::vector<size_t>& expectWorkspaces = {});
void ExecuteTestCase(const gert::TilingContextPara& tilingContextPara, ge::graphStatus expectResult,
                     uint64_t expectTilingKey, const std::vector<size_t>& expectWorkspaces);
// Tiling data in the layout of EleBaseTilingData: int64, 2 int32, 7 int64, uint64.
void ExecuteTestCaseForEle(const gert::TilingContextPara& tilingContextPara, ge::graphStatus expectResult,
                           bool needCheckTilingKey, uint64_t expectTilingKey, bool needCheckTilingData,
                           const string& expectTilingData, const std::vector<size_t>& expectWorkspaces);

// False when the tiling function fails.
bool ExecuteTiling(const gert::TilingContextPara& tilingContextPara, TilingInfo& tilingInfo);

#endif // HOSTCANN_UT_TILING_CASE_EXECUTOR_H
