// Tilings of Matmul keep the limits of the TCubeTiling page, for every shape and split.
#include "ascendc/host_api/tiling/matmul_tiling.h"
#include "gtest/gtest.h"

using namespace matmul_tiling;

namespace {

int32_t Bytes(DataType type) { return type == DataType::DT_FLOAT ? 4 : type == DataType::DT_INT8 ? 1 : 2; }

void SetTypes(MatmulApiTilingBase& mm, DataType in, DataType out, TPosition to = TPosition::GM)
{
    mm.SetAType(TPosition::GM, CubeFormat::ND, in);
    mm.SetBType(TPosition::GM, CubeFormat::ND, in, true);
    mm.SetCType(to, CubeFormat::ND, out);
    mm.SetBiasType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
}

void ExpectLimits(const AscendC::tiling::TCubeTiling& t, DataType in, bool isBias)
{
    const int64_t a = int64_t{t.baseM} * t.baseK * Bytes(in);
    const int64_t b = int64_t{t.baseN} * t.baseK * Bytes(in);
    EXPECT_LE(a * t.dbL0A, 64 * 1024);
    EXPECT_LE(b * t.dbL0B, 64 * 1024);
    EXPECT_LE(int64_t{t.baseM} * t.baseN * 4 * t.dbL0C, 128 * 1024);
    EXPECT_LE(a * t.depthA1 + b * t.depthB1 + (isBias ? t.baseN * 4 : 0), 512 * 1024);
    EXPECT_EQ(t.baseM % 16, 0);
    EXPECT_EQ(t.baseN % 16, 0);
    EXPECT_EQ(t.baseK % std::max(16, 32 / Bytes(in)), 0);
    EXPECT_TRUE(t.depthA1 == t.stepM * t.stepKa || t.depthA1 == 2 * t.stepM * t.stepKa);
    EXPECT_EQ(t.stepKa, t.stepKb);
    EXPECT_TRUE(!isBias || t.baseN * 4 <= 1024);
    EXPECT_EQ(t.isBias, isBias ? 1 : 0);
}

int32_t Parts(int32_t whole, int32_t part) { return (whole + part - 1) / part; }

} // namespace

TEST(GertMatmulTiling, everyTilingKeepsTheLimits)
{
    const int32_t sizes[] = {1, 17, 128, 640, 4097};
    for (const DataType in : {DataType::DT_FLOAT16, DataType::DT_FLOAT, DataType::DT_INT8}) {
        for (const int32_t m : sizes) {
            for (const int32_t n : sizes) {
                for (const int32_t k : {16, 100, 5000}) {
                    for (const bool isBias : {false, true}) {
                        MultiCoreMatmulTiling mm;
                        SetTypes(mm, in, in == DataType::DT_INT8 ? DataType::DT_INT32 : DataType::DT_FLOAT);
                        mm.SetDim(20);
                        mm.SetShape(m, n, k);
                        mm.SetOrgShape(m, n, k);
                        mm.EnableBias(isBias);
                        AscendC::tiling::TCubeTiling t;
                        ASSERT_EQ(mm.GetTiling(t), 0) << m << " " << n << " " << k;
                        ExpectLimits(t, in, isBias);
                        EXPECT_EQ(t.usedCoreNum, Parts(m, t.singleCoreM) * Parts(n, t.singleCoreN));
                        EXPECT_LE(t.usedCoreNum, 20);
                        EXPECT_EQ(t.singleCoreK, k);
                        AscendC::tiling::TCubeTiling again;
                        ASSERT_EQ(mm.GetTiling(again), 0);
                        EXPECT_EQ(std::memcmp(&t, &again, sizeof(t)), 0);
                    }
                }
            }
        }
    }
}

TEST(GertMatmulTiling, whatIsGivenStays)
{
    MultiCoreMatmulTiling mm;
    SetTypes(mm, DataType::DT_FLOAT16, DataType::DT_FLOAT, TPosition::VECIN);
    mm.SetDim(2);
    mm.SetShape(512, 128, 128);
    mm.SetOrgShape(512, 128, 128);
    mm.SetFixSplit(128, 64, 128);
    mm.SetTraverse(MatrixTraverse::FIRSTN);
    optiling::TCubeTiling t;
    ASSERT_EQ(mm.GetTiling(t), 0);
    EXPECT_EQ(t.get_baseM(), 128);
    EXPECT_EQ(t.get_baseN(), 64);
    EXPECT_EQ(t.get_baseK(), 128);
    EXPECT_EQ(mm.GetBaseM(), 128);
    // N is cut first.
    EXPECT_EQ(t.get_singleCoreM(), 512);
    EXPECT_EQ(t.get_singleCoreN(), 64);
    EXPECT_EQ(t.get_usedCoreNum(), 2);
    EXPECT_EQ(t.get_iterateOrder(), 1);
    EXPECT_EQ(t.get_transLength(), 128 * 64 * 4);
    int32_t dim = 0;
    int32_t mDim = 0;
    int32_t nDim = 0;
    mm.GetCoreNum(dim, mDim, nDim);
    EXPECT_EQ(dim * 100 + mDim * 10 + nDim, 212);
    mm.SetSingleShape(256, 128, 128);
    ASSERT_EQ(mm.GetTiling(t), 0);
    EXPECT_EQ(t.get_singleCoreM(), 256);
    SysTilingTempBufSize size;
    EXPECT_EQ(MatmulGetTmpBufSize(t, size), 0);
    EXPECT_EQ(size.ubSize, 128 * 64 * 4);
    EXPECT_EQ(size.l0cSize, 128 * 64 * 4);
}

TEST(GertMatmulTiling, KIsCutWhereItMayBe)
{
    MultiCoreMatmulTiling mm;
    SetTypes(mm, DataType::DT_FLOAT16, DataType::DT_FLOAT);
    mm.SetDim(8);
    mm.SetShape(16, 16, 4096);
    mm.EnableMultiCoreSplitK(true);
    AscendC::tiling::TCubeTiling t;
    ASSERT_EQ(mm.GetTiling(t), 0);
    EXPECT_EQ(t.singleCoreK, 512);
    EXPECT_EQ(t.usedCoreNum, 8);
}

TEST(GertMatmulTiling, whatCannotBeIsMinusOne)
{
    AscendC::tiling::TCubeTiling t;
    MatmulApiTiling mm;
    SetTypes(mm, DataType::DT_FLOAT, DataType::DT_FLOAT);
    EXPECT_EQ(mm.GetTiling(t), -1) << "no shape";
    mm.SetShape(512, 512, 512);
    ASSERT_EQ(mm.GetTiling(t), 0);
    EXPECT_EQ(t.singleCoreM, 512);
    mm.SetFixSplit(256, 256, 16);
    EXPECT_EQ(mm.GetTiling(t), -1) << "256 x 256 sums are more than L0C has";
    mm.SetFixSplit(128, 128, 256);
    EXPECT_EQ(mm.GetTiling(t), -1) << "128 x 256 floats are more than L0A has";
    mm.SetFixSplit(-1, -1, -1);
    mm.SetBufferSpace(1024, -1, -1);
    EXPECT_EQ(mm.GetTiling(t), -1) << "no L1";
    MultiCoreMatmulTiling several;
    SetTypes(several, DataType::DT_FLOAT16, DataType::DT_FLOAT);
    several.SetDim(2);
    several.SetShape(512, 512, 512);
    several.SetSingleShape(128, 128, 512);
    EXPECT_EQ(several.GetTiling(t), -1) << "16 parts for two cores";
    EXPECT_EQ(several.SetDim(0), -1);
}
