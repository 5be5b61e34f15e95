#ifndef HOSTCANN_PLATFORM_PLATFORM_INFO_DEF_H
#define HOSTCANN_PLATFORM_PLATFORM_INFO_DEF_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// CANN's header does this too, and published tiling functions rely on it.
using std::map;
using std::string;
using std::vector;

// A platform file as structs, one for each section. Items that the file of the modelled SoC does not have are 0.
namespace fe {
enum MemoryType { DDR = 0, HBM };
enum L2Type { Cache = 0, Buff };
enum JitCompileMode { REUSE_BINARY = 0, COMPILE_ONLINE, AUTO };

struct StrInfo {
    std::string aic_version;
    std::string ccec_aic_version;
    std::string ccec_aiv_version;
    std::string is_support_ai_cpu_compiler;
    std::string short_soc_version;
};

struct SoCInfo {
    uint32_t ai_core_cnt = 0;
    uint32_t vector_core_cnt = 0;
    uint32_t ai_cpu_cnt = 0;
    MemoryType memory_type = DDR;
    uint64_t memory_size = 0;
    L2Type l2_type = Cache;
    uint64_t l2_size = 0;
    uint32_t l2PageNum = 0;
    uint32_t task_num = 0;
    int32_t arch_type = -1;
    int32_t chip_type = -1;
};

struct AiCoreSpec {
    double cube_freq = 0;
    uint64_t cube_m_size = 0;
    uint64_t cube_n_size = 0;
    uint64_t cube_k_size = 0;
    uint64_t vec_calc_size = 0;
    uint64_t l0_a_size = 0;
    uint64_t l0_b_size = 0;
    uint64_t l0_c_size = 0;
    uint64_t l1_size = 0;
    uint64_t smask_buffer = 0;
    uint64_t ub_size = 0;
    uint64_t ubblock_size = 0;
    uint64_t ubbank_size = 0;
    uint64_t ubbank_num = 0;
    uint64_t ubburst_in_one_block = 0;
    uint64_t ubbank_group_num = 0;
    uint32_t unzip_engines = 0;
    uint32_t unzip_max_ratios = 0;
    uint32_t unzip_channels = 0;
    uint8_t unzip_is_tight = 0;
    uint8_t cube_vector_split = 0;
    uint8_t sparsity = 0;
};

struct AiCoreMemoryRates {
    double ddr_rate = 0;
    double ddr_read_rate = 0;
    double ddr_write_rate = 0;
    double l2_rate = 0;
    double l2_read_rate = 0;
    double l2_write_rate = 0;
    double l1_to_l0_a_rate = 0;
    double l1_to_l0_b_rate = 0;
    double l1_to_ub_rate = 0;
    double l0_c_to_ub_rate = 0;
    double ub_to_l2_rate = 0;
    double ub_to_ddr_rate = 0;
    double ub_to_l1_rate = 0;
};

struct VectorCoreSpec {
    double vec_freq = 0;
    uint64_t vec_calc_size = 0;
    uint64_t smask_buffer = 0;
    uint64_t ub_size = 0;
    uint64_t ubblock_size = 0;
    uint64_t ubbank_size = 0;
    uint64_t ubbank_num = 0;
    uint64_t ubburst_in_one_block = 0;
    uint64_t ubbank_group_num = 0;
    uint64_t vector_reg_size = 0;
    uint64_t predicate_reg_size = 0;
    uint64_t address_reg_size = 0;
    uint64_t alignment_reg_size = 0;
};

struct VectorCoreMemoryRates {
    double ddr_rate = 0;
    double ddr_read_rate = 0;
    double ddr_write_rate = 0;
    double l2_rate = 0;
    double l2_read_rate = 0;
    double l2_write_rate = 0;
    double ub_to_l2_rate = 0;
    double ub_to_ddr_rate = 0;
};

struct CPUCache {
    uint32_t AICPUSyncBySW = 0;
    uint32_t TSCPUSyncBySW = 0;
};

struct SoftwareSpec {
    bool jit_compile_default_value = false;
    JitCompileMode jit_compile_mode = AUTO;
};

struct PlatformInfo {
    StrInfo str_info;
    SoCInfo soc_info;
    AiCoreSpec ai_core_spec;
    AiCoreMemoryRates ai_core_memory_rates;
    std::map<std::string, std::vector<std::string>> ai_core_intrinsic_dtype_map;
    VectorCoreSpec vector_core_spec;
    VectorCoreMemoryRates vector_core_memory_rates;
    CPUCache cpucache;
    std::map<std::string, std::vector<std::string>> vector_core_intrinsic_dtype_map;
    SoftwareSpec software_spec;
};

struct OptionalInfo {
    std::string soc_version;
    std::string core_type;
    uint32_t ai_core_num = 0;
    std::string l1_fusion_flag;
};
} // namespace fe

#endif
