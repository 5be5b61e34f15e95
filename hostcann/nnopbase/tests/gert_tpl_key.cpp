// Tiling keys of template kernels: the worked numbers of the asc-devkit pages and of measured keys.
#include "ascendc/host_api/tiling/template_argument.h"
#include "gtest/gtest.h"

namespace {
struct KeySink {
    uint64_t key = 0;
    void SetTilingKey(uint64_t value) { key = value; }
};

namespace documented {
ASCENDC_TPL_ARGS_DECL(Documented, ASCENDC_TPL_DTYPE_DECL(X, 10, 20, 30), ASCENDC_TPL_FORMAT_DECL(F, 15, 25),
                      ASCENDC_TPL_UINT_DECL(U, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_MIX, 2, 0, 2, 3, 5, 7, 6),
                      ASCENDC_TPL_BOOL_DECL(B, 0, 1));
uint64_t Key(uint64_t x, uint64_t f, uint64_t u, uint64_t b) { return GET_TPL_TILING_KEY(x, f, u, b); }
} // namespace documented

namespace mod {
ASCENDC_TPL_ARGS_DECL(Mod, ASCENDC_TPL_DTYPE_DECL(X1, 10, 20, 30, 40, 50),
                      ASCENDC_TPL_DTYPE_DECL(X2, 10, 20, 30, 40, 50), ASCENDC_TPL_DTYPE_DECL(Y, 10, 20, 30, 40, 50));
uint64_t Key(uint64_t t) { return GET_TPL_TILING_KEY(t, t, t); }
} // namespace mod

namespace broadcast {
ASCENDC_TPL_ARGS_DECL(Broadcast, ASCENDC_TPL_UINT_DECL(schMode, 16, ASCENDC_TPL_UI_LIST, 1, 2, 101, 102, 103, 104, 109,
                                                       201, 202, 301, 302, 303, 304, 305, 999));
uint64_t Key(uint64_t mode) { return GET_TPL_TILING_KEY(mode); }
} // namespace broadcast

namespace fmod_modes {
ASCENDC_TPL_ARGS_DECL(Fmod, ASCENDC_TPL_UINT_DECL(mode, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, 0, 1, 2, 3, 4));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_LIST, 0, 1, 2, 3, 4)));
uint64_t Key(uint64_t mode) { return GET_TPL_TILING_KEY(mode); }
void Set(KeySink* sink, uint64_t mode) { ASCENDC_TPL_SEL_PARAM(sink, mode); }
} // namespace fmod_modes

namespace too_wide {
ASCENDC_TPL_ARGS_DECL(TooWide, ASCENDC_TPL_UINT_DECL(a, 33, ASCENDC_TPL_UI_LIST, 0, 1),
                      ASCENDC_TPL_UINT_DECL(b, 32, ASCENDC_TPL_UI_LIST, 0, 1));
uint64_t Key() { return GET_TPL_TILING_KEY(0, 1); }
} // namespace too_wide

namespace ranges {
ASCENDC_TPL_ARGS_DECL(Ranges, ASCENDC_TPL_UINT_DECL(a, 4, ASCENDC_TPL_UI_RANGE, 2, 10, 12, 3, 4));
uint64_t Key(uint64_t value) { return GET_TPL_TILING_KEY(value); }
} // namespace ranges
} // namespace

TEST(GertTplKey, tpl_keys_documented)
{
    EXPECT_EQ(documented::Key(10, 15, 7, 1), 17174282U);
    EXPECT_EQ(documented::Key(20, 25, 4, 0), 268564U);
}

TEST(GertTplKey, tpl_keys_mod_dtype_triples)
{
    const uint64_t wanted[] = {657930, 1315860, 1973790, 2631720, 3289650};
    for (uint64_t i = 0; i < 5; ++i) {
        EXPECT_EQ(mod::Key(10 * (i + 1)), wanted[i]);
    }
}

TEST(GertTplKey, tpl_keys_broadcast_modes)
{
    const uint64_t table[][2] = {{1, 0}, {2, 1}, {101, 2}, {201, 7}, {202, 8}, {303, 11}, {305, 13}, {999, 14}};
    for (const auto& row : table) {
        EXPECT_EQ(broadcast::Key(row[0]), row[1]);
    }
}

TEST(GertTplKey, tpl_keys_fmod_modes)
{
    for (uint64_t mode = 0; mode < 5; ++mode) {
        EXPECT_EQ(fmod_modes::Key(mode), mode);
    }
    EXPECT_EQ(fmod_modes::Key(5), UINT64_MAX);
    KeySink sink;
    fmod_modes::Set(&sink, 3);
    EXPECT_EQ(sink.key, 3U);
}

TEST(GertTplKey, tpl_keys_above_64_bits_are_refused) { EXPECT_EQ(too_wide::Key(), UINT64_MAX); }

TEST(GertTplKey, tpl_keys_ranges_in_written_order)
{
    EXPECT_EQ(ranges::Key(10), 0U);
    EXPECT_EQ(ranges::Key(12), 2U);
    EXPECT_EQ(ranges::Key(3), 3U);
    EXPECT_EQ(ranges::Key(4), 4U);
    EXPECT_EQ(ranges::Key(13), UINT64_MAX);
}
