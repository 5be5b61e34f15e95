// With ASCENDC_DEBUG the arguments must match the declaration in number and one selection in value.
#define ASCENDC_DEBUG
#include "ascendc/host_api/tiling/template_argument.h"

#include "gtest/gtest.h"

namespace {
ASCENDC_TPL_ARGS_DECL(Op, ASCENDC_TPL_UINT_DECL(mode, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, 0, 1, 2),
                      ASCENDC_TPL_BOOL_DECL(flag, 0, 1));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY),
                                     ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_LIST, 0, 1),
                                     ASCENDC_TPL_BOOL_SEL(flag, 0)),
                ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_RANGE, 1, 2, 2),
                                     ASCENDC_TPL_BOOL_SEL(flag, 0, 1)));
} // namespace

TEST(GertTplDebug, tpl_debug_checks_selections)
{
    EXPECT_EQ(GET_TPL_TILING_KEY(1, 0), 1U);
    EXPECT_EQ(GET_TPL_TILING_KEY(2, 1), 258U);
    EXPECT_EQ(GET_TPL_TILING_KEY(1, 1), UINT64_MAX);
    EXPECT_EQ(GET_TPL_TILING_KEY(1), UINT64_MAX);
}
