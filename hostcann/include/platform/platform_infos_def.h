#ifndef HOSTCANN_PLATFORM_PLATFORM_INFOS_DEF_H
#define HOSTCANN_PLATFORM_PLATFORM_INFOS_DEF_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// CANN's header does this too, and published tiling functions rely on it.
using std::map;
using std::string;
using std::vector;

namespace fe {
enum class LocalMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, RESERVED };

class PlatFormInfosImpl;

// Items of a platform file by section and key: SoCInfo, AICoreSpec, AICoreMemoryRates, version. After Init, items not
// set by SetPlatformRes are answered from the modelled SoC. Copies share their items.
class PlatFormInfos {
public:
    PlatFormInfos();

    // Empties the object and binds it to the modelled SoC; false when the SoC file cannot be read.
    bool Init();
    bool GetPlatformRes(const std::string& label, const std::string& key, std::string& val);
    bool GetPlatformResWithLock(const std::string& label, const std::string& key, std::string& val);
    // The section as a map, to be changed and given to SetPlatformRes; false when nothing is known of it.
    bool GetPlatformRes(const std::string& label, std::map<std::string, std::string>& res);
    bool GetPlatformResWithLock(const std::string& label, std::map<std::string, std::string>& res);
    void SetPlatformRes(const std::string& label, std::map<std::string, std::string>& res);
    void SetPlatformResWithLock(const std::string& label, std::map<std::string, std::string>& res);

    std::map<std::string, std::vector<std::string>> GetAICoreIntrinsicDtype();
    std::map<std::string, std::vector<std::string>> GetVectorCoreIntrinsicDtype();
    void SetAICoreIntrinsicDtype(std::map<std::string, std::vector<std::string>>& intrinsic_dtypes);
    void SetVectorCoreIntrinsicDtype(std::map<std::string, std::vector<std::string>>& intrinsic_dtypes);
    std::map<std::string, std::vector<std::string>> GetFixPipeDtypeMap();
    void SetFixPipeDtypeMap(const std::map<std::string, std::vector<std::string>>& fixpipe_dtype_map);

    uint32_t GetCoreNum() const;
    uint32_t GetCoreNumWithLock() const;
    void SetCoreNum(const uint32_t& core_num);
    // "VectorCore": vector_core_cnt, anything else: ai_core_cnt.
    uint32_t GetCoreNumByType(const std::string& core_type);
    void SetCoreNumByCoreType(const std::string& core_type);
    void GetLocalMemSize(const LocalMemType& mem_type, uint64_t& size);
    // L2: l2_rate, HBM: ddr_rate, in bytes per cycle; others leave bw_size as it is.
    void GetLocalMemBw(const LocalMemType& mem_type, uint64_t& bw_size);

private:
    std::shared_ptr<PlatFormInfosImpl> impl_;
};

class OptionalInfos {
public:
    bool Init() { return true; }
    std::string GetSocVersion() const { return soc_version_; }
    std::string GetCoreType() const { return core_type_; }
    uint32_t GetAICoreNum() const { return ai_core_num_; }
    std::string GetL1FusionFlag() const { return l1_fusion_flag_; }
    void SetSocVersion(std::string soc_version) { soc_version_ = std::move(soc_version); }
    void SetSocVersionWithLock(std::string soc_version) { soc_version_ = std::move(soc_version); }
    void SetCoreType(std::string core_type) { core_type_ = std::move(core_type); }
    void SetAICoreNum(uint32_t ai_core_num) { ai_core_num_ = ai_core_num; }
    void SetL1FusionFlag(std::string l1_fusion_flag) { l1_fusion_flag_ = std::move(l1_fusion_flag); }

private:
    std::string soc_version_;
    std::string core_type_;
    uint32_t ai_core_num_ = 0;
    std::string l1_fusion_flag_;
};
} // namespace fe

#endif
