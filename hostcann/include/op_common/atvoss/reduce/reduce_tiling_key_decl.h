// The first three parameters of the tiling keys of reductions on chips with register vectors (opbase, atvoss). DAV_2201
// has no such kernel, so only the key of an empty tensor is selected: tiling functions for several chips compile.
#ifndef HOSTCANN_OP_COMMON_ATVOSS_REDUCE_TILING_KEY_DECL_H
#define HOSTCANN_OP_COMMON_ATVOSS_REDUCE_TILING_KEY_DECL_H

#include "ascendc/host_api/tiling/template_argument.h"

#define REDUCE_TPL_KEY_DECL()                                                   \
    ASCENDC_TPL_UINT_DECL(PatternID, 8, ASCENDC_TPL_UI_RANGE, 1, 0, 100),       \
        ASCENDC_TPL_UINT_DECL(LoopARCount, 8, ASCENDC_TPL_UI_RANGE, 1, 0, 100), \
        ASCENDC_TPL_UINT_DECL(LoopInnerARCount, 8, ASCENDC_TPL_UI_RANGE, 1, 0, 100)
#define REDUCE_TPL_KEY_SEL_EMPTY()                                 \
    ASCENDC_TPL_UINT_SEL(PatternID, ASCENDC_TPL_UI_LIST, 0),       \
        ASCENDC_TPL_UINT_SEL(LoopARCount, ASCENDC_TPL_UI_LIST, 0), \
        ASCENDC_TPL_UINT_SEL(LoopInnerARCount, ASCENDC_TPL_UI_LIST, 0)
#define REDUCE_TPL_KEY_SEL_A() REDUCE_TPL_KEY_SEL_EMPTY()
#define REDUCE_TPL_KEY_SEL_AR_NORMAL() REDUCE_TPL_KEY_SEL_EMPTY()
#define REDUCE_TPL_KEY_SEL_AR_GROUP() REDUCE_TPL_KEY_SEL_EMPTY()
#define REDUCE_TPL_KEY_SEL_ARA_NORMAL() REDUCE_TPL_KEY_SEL_EMPTY()
#define REDUCE_TPL_KEY_SEL_ARA_GROUP() REDUCE_TPL_KEY_SEL_EMPTY()
#define REDUCE_TPL_KEY_SEL_ARAR_NORMAL() REDUCE_TPL_KEY_SEL_EMPTY()
#define REDUCE_TPL_KEY_SEL_ARAR_GROUP() REDUCE_TPL_KEY_SEL_EMPTY()
#define REDUCE_TPL_KEY_SEL_ARARARAR_NORMAL() REDUCE_TPL_KEY_SEL_EMPTY()
#define REDUCE_TPL_KEY_SEL_ARARARAR_GROUP() REDUCE_TPL_KEY_SEL_EMPTY()
#define REDUCE_TPL_KEY_SEL_ARARARARA_NORMAL() REDUCE_TPL_KEY_SEL_EMPTY()
#define REDUCE_TPL_KEY_SEL_ARARARARA_GROUP() REDUCE_TPL_KEY_SEL_EMPTY()

#define GEN_REDUCE_TILING_KEY(result, key, ...) \
    result = GET_TPL_TILING_KEY((key).patternID, (key).loopARCount, (key).loopInnerARCount, __VA_ARGS__)

#endif
