// Encoding of tiling keys on the host: parameters in the order of the DECL, the first one in the lowest bits; a UINT as
// its index in the declared values, every other kind as its value.
#ifndef HOSTCANN_ASCENDC_TILING_TEMPLATE_ARGUMENT_HOST_H
#define HOSTCANN_ASCENDC_TILING_TEMPLATE_ARGUMENT_HOST_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <iostream>
#include <utility>
#include <vector>

#include "graph/c_types.h"

constexpr uint32_t ASCENDC_TPL_KERNEL_TYPE = 4;
constexpr uint32_t ASCENDC_TPL_DETERMINISTIC = 5;
constexpr uint32_t ASCENDC_TPL_SHARED_KERNEL_TYPE = 6;
constexpr uint8_t MAX_BITS_NUM = 64;
constexpr uint64_t INVALID_TILING_KEY = 0xFFFFFFFFFFFFFFFFULL;

struct ParamStruct {
    const char* name;
    uint32_t paramType;
    uint8_t bitWidth;
    std::vector<uint64_t> vals; // of a UINT: the values its mode, ranges and list stand for
    const char* macroType;

    ParamStruct(const char* inName, uint32_t inParamType, uint8_t inBitWidth, std::vector<uint64_t> inVals,
                const char* inMacroType)
        : name(inName),
          paramType(inParamType),
          bitWidth(inBitWidth),
          vals(inParamType == ASCENDC_TPL_UINT ? ExpandUint(inName, inVals) : std::move(inVals)),
          macroType(inMacroType)
    {
    }

    bool Has(uint64_t value) const { return std::find(vals.begin(), vals.end(), value) != vals.end(); }

private:
    // text: mode, then for UI_RANGE and UI_MIX the number of ranges and their bounds, then for UI_LIST and UI_MIX
    // values.
    static std::vector<uint64_t> ExpandUint(const char* name, const std::vector<uint64_t>& text)
    {
        std::vector<uint64_t> values;
        if (text.size() < 2 || text[0] > ASCENDC_TPL_UI_MIX) {
            std::printf("[ERROR] ASCENDC_TPL_UINT %s: expected UI_RANGE, UI_LIST or UI_MIX and its values.\n", name);
            return values;
        }
        size_t at = 1;
        if (text[0] != ASCENDC_TPL_UI_LIST) {
            const uint64_t ranges = text[at++];
            if (ranges > (text.size() - at) / 2) {
                std::printf("[ERROR] ASCENDC_TPL_UINT %s: %llu ranges announced, bounds for %zu given.\n", name,
                            static_cast<unsigned long long>(ranges), (text.size() - at) / 2);
                return values;
            }
            for (uint64_t range = 0; range < ranges; ++range, at += 2) {
                for (uint64_t value = text[at]; value <= text[at + 1] && values.size() <= UINT16_MAX; ++value) {
                    values.push_back(value);
                }
            }
        }
        if (text[0] != ASCENDC_TPL_UI_RANGE) {
            values.insert(values.end(), text.begin() + static_cast<std::ptrdiff_t>(at), text.end());
        }
        return values;
    }
};
using TilingDeclareParams = std::vector<ParamStruct>;
using TilingSelectParams = std::vector<std::vector<ParamStruct>>;

namespace AscendC {
// More or fewer arguments than parameters are cut to the shorter list, as in a release build of the real toolkit.
inline uint64_t FastEncodeTilingKeyDirect(const TilingDeclareParams& declareParams,
                                          std::initializer_list<uint64_t> args)
{
    uint64_t key = 0;
    uint32_t shift = 0;
    auto arg = args.begin();
    for (auto param = declareParams.begin(); param != declareParams.end() && arg != args.end(); ++param, ++arg) {
        uint64_t code = *arg;
        if (param->paramType == ASCENDC_TPL_UINT) {
            const auto found = std::find(param->vals.begin(), param->vals.end(), code);
            if (found == param->vals.end()) {
                std::printf("[ERROR] template parameter %s: value %llu is not declared in ASCENDC_TPL_UINT_DECL.\n",
                            param->name, static_cast<unsigned long long>(code));
                return INVALID_TILING_KEY;
            }
            code = static_cast<uint64_t>(found - param->vals.begin());
        }
        if (shift < MAX_BITS_NUM) {
            key |= code << shift;
        }
        shift += param->bitWidth;
    }
    if (shift > MAX_BITS_NUM) {
        std::printf("[ERROR] the template parameters need %u bits, a tiling key has %u.\n", shift,
                    static_cast<unsigned>(MAX_BITS_NUM));
        return INVALID_TILING_KEY;
    }
    return key;
}

// Whether the group names every declared parameter and allows these arguments.
inline bool TplGroupAllows(const TilingDeclareParams& declareParams, const std::vector<ParamStruct>& group,
                           const std::vector<uint64_t>& args)
{
    for (size_t i = 0; i < declareParams.size(); ++i) {
        const auto entry = std::find_if(group.begin(), group.end(), [&](const ParamStruct& candidate) {
            return std::strcmp(candidate.name, declareParams[i].name) == 0;
        });
        if (entry == group.end() || !entry->Has(args[i])) {
            return false;
        }
    }
    return true;
}

// As FastEncodeTilingKeyDirect, and the arguments must match the DECL in number and one ASCENDC_TPL_ARGS_SEL in value.
inline uint64_t EncodeTilingKey(const TilingDeclareParams& declareParams, const TilingSelectParams& selectParams,
                                std::initializer_list<uint64_t> args)
{
    if (args.size() != declareParams.size()) {
        std::printf("[ERROR] GET_TPL_TILING_KEY got %zu arguments, ASCENDC_TPL_ARGS_DECL declares %zu parameters.\n",
                    args.size(), declareParams.size());
        return INVALID_TILING_KEY;
    }
    const std::vector<uint64_t> values(args);
    const auto allows = [&](const TilingSelectParams::value_type& group) {
        return TplGroupAllows(declareParams, group, values);
    };
    const bool selected = std::any_of(selectParams.begin(), selectParams.end(), allows);
    if (!selected) {
        std::printf("[ERROR] no ASCENDC_TPL_ARGS_SEL selects these arguments of GET_TPL_TILING_KEY:");
        for (size_t i = 0; i < values.size(); ++i) {
            std::printf(" %s=%llu", declareParams[i].name, static_cast<unsigned long long>(values[i]));
        }
        std::printf("\n");
        return INVALID_TILING_KEY;
    }
    return FastEncodeTilingKeyDirect(declareParams, args);
}
} // namespace AscendC

#define ASCENDC_TPL_DTYPE_DECL(x, ...) \
    ParamStruct { #x, ASCENDC_TPL_DTYPE, ASCENDC_TPL_8_BW, {__VA_ARGS__}, "DECL" }
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) ASCENDC_TPL_DTYPE_DECL(x, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...) \
    ParamStruct { #x, ASCENDC_TPL_FORMAT, ASCENDC_TPL_8_BW, {__VA_ARGS__}, "DECL" }
#define ASCENDC_TPL_UINT_DECL(x, bw, ...) \
    ParamStruct { #x, ASCENDC_TPL_UINT, bw, {__VA_ARGS__}, "DECL" }
#define ASCENDC_TPL_BOOL_DECL(x, ...) \
    ParamStruct { #x, ASCENDC_TPL_BOOL, ASCENDC_TPL_1_BW, {__VA_ARGS__}, "DECL" }
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...) \
    ParamStruct { #x, ASCENDC_TPL_SHARED_KERNEL_TYPE, ASCENDC_TPL_8_BW, {__VA_ARGS__}, "DECL" }
#define ASCENDC_TPL_ARGS_DECL(x, ...) \
    static const TilingDeclareParams g_tilingDeclareParams { __VA_ARGS__ }

#ifdef ASCENDC_DEBUG
#define ASCENDC_TPL_DTYPE_SEL(x, ...) \
    ParamStruct { #x, ASCENDC_TPL_DTYPE, ASCENDC_TPL_8_BW, {__VA_ARGS__}, "SEL" }
#define ASCENDC_TPL_DATATYPE_SEL(x, ...) ASCENDC_TPL_DTYPE_SEL(x, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(x, ...) \
    ParamStruct { #x, ASCENDC_TPL_FORMAT, ASCENDC_TPL_8_BW, {__VA_ARGS__}, "SEL" }
#define ASCENDC_TPL_UINT_SEL(x, ...) \
    ParamStruct { #x, ASCENDC_TPL_UINT, 0, {__VA_ARGS__}, "SEL" }
#define ASCENDC_TPL_BOOL_SEL(x, ...) \
    ParamStruct { #x, ASCENDC_TPL_BOOL, ASCENDC_TPL_1_BW, {__VA_ARGS__}, "SEL" }
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(x, ...) \
    ParamStruct { #x, ASCENDC_TPL_SHARED_KERNEL_TYPE, ASCENDC_TPL_8_BW, {__VA_ARGS__}, "SEL" }
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...) \
    ParamStruct { "kernel_type", ASCENDC_TPL_KERNEL_TYPE, ASCENDC_TPL_8_BW, {__VA_ARGS__}, "SEL" }
#define ASCENDC_TPL_DETERMINISTIC_SEL(...) \
    ParamStruct { "deterministic", ASCENDC_TPL_DETERMINISTIC, ASCENDC_TPL_1_BW, {__VA_ARGS__}, "SEL" }
#define ASCENDC_TPL_TILING_STRUCT_SEL(...)
#define ASCENDC_TPL_ARGS_SEL(...) {__VA_ARGS__}
#define ASCENDC_TPL_SEL(...) \
    static const TilingSelectParams g_tilingSelectParams { __VA_ARGS__ }
#define GET_TPL_TILING_KEY(...) AscendC::EncodeTilingKey(g_tilingDeclareParams, g_tilingSelectParams, {__VA_ARGS__})
#else
#define ASCENDC_TPL_SEL(...)
#define GET_TPL_TILING_KEY(...) AscendC::FastEncodeTilingKeyDirect(g_tilingDeclareParams, {__VA_ARGS__})
#endif

#define ASCENDC_TPL_SEL_PARAM(context, ...)                            \
    do {                                                               \
        const uint64_t tplTilingKey = GET_TPL_TILING_KEY(__VA_ARGS__); \
        (context)->SetTilingKey(tplTilingKey);                         \
    } while (0)

#endif
