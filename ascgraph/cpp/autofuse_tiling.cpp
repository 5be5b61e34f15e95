// Scratch of the compiler and of some interfaces.
static constexpr int64_t UB_RESERVED_BYTES = 8192;

// What a launch may use of the chip; 0: no limit.
struct ResLimit {
    uint32_t valid_num;
    uint32_t aiv_num;
    uint32_t aic_num;
    uint32_t ub_size;
    uint32_t resv[10];
};

// 0, or 1 with a line on stderr. Symbols are numbers of elements, *workspace_size is in bytes; a limit of nullptr is
// none.
extern "C" int64_t AutofuseTiling(PARAMETERSAutofuseTilingData* tiling_data, uint64_t* workspace_size,
                                  uint32_t* block_dim, ResLimit* limit)
{
    using namespace NsAutofuse;
    try {
        if (tiling_data == nullptr || workspace_size == nullptr || block_dim == nullptr) {
            std::fprintf(stderr, "AutofuseTiling: tiling_data, workspace_size or block_dim is nullptr\n");
            return 1;
        }
        auto* platform = platform_ascendc::PlatformAscendCManager::GetInstance();
        if (platform == nullptr) {
            std::fprintf(stderr, "AutofuseTiling: the toolkit does not say what chip this is\n");
            return 1;
        }
        uint64_t ubBytes = 0;
        platform->GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
        int64_t ub = static_cast<int64_t>(ubBytes) - UB_RESERVED_BYTES;
        int64_t aivNum = 0;
        if (limit != nullptr) {
            aivNum = limit->aiv_num;
            if (limit->ub_size != 0 && limit->ub_size < ub) {
                ub = limit->ub_size;
            }
        }
        Sizes sizes;
        ASSIGNED;
        const int64_t cores = platform->GetCoreNumAiv();
        if (!Choose(sizes, cores, aivNum, ub, *tiling_data)) {
            std::fprintf(stderr, "AutofuseTiling: no tiling for");
            SHOWN;
            std::fprintf(stderr, " %lld cores (limit %lld), %lld bytes of UBLONG_ROWS\n", static_cast<long long>(cores),
                         static_cast<long long>(aivNum), static_cast<long long>(ub));
            return 1;
        }
        *workspace_size = WORKSPACE;
        *block_dim = static_cast<uint32_t>(tiling_data->block_dim);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "AutofuseTiling: %s\n", error.what());
        return 1;
    } catch (...) {
        return 1;
    }
}
