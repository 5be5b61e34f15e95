// libdrvdsmi_host.so: what the driver's management interface knows of a device. Which devices there are and what they
// are called is answered; health, temperature, load and clocks of a chip that does not exist are refused.
#include <cstdint>
#include <cstring>
#include <string>

#include "acl/acl.h"

namespace {

constexpr int OK = 0;
constexpr int INVALID_DEVICE = 2;
constexpr int INNER_ERROR = 7;
constexpr int PARAMETER_ERROR = 8;
constexpr int NOT_SUPPORTED = 0xfffe;

uint32_t Count()
{
    uint32_t count = 0;
    return aclrtGetDeviceCount(&count) == ACL_SUCCESS ? count : 0;
}

bool IsDevice(int device) { return device >= 0 && static_cast<uint32_t>(device) < Count(); }

int Refuse(int device) { return IsDevice(device) ? NOT_SUPPORTED : INVALID_DEVICE; }

struct ChipInfo {
    char type[32];
    char name[32];
    char version[32];
};

} // namespace

extern "C" {

int dsmi_get_device_count(int* count)
{
    if (count == nullptr) {
        return PARAMETER_ERROR;
    }
    *count = static_cast<int>(Count());
    return OK;
}

int dsmi_list_device(int* devices, int count)
{
    if (devices == nullptr || count < 0) {
        return PARAMETER_ERROR;
    }
    for (int device = 0; device < count && IsDevice(device); ++device) {
        devices[device] = device;
    }
    return OK;
}

int dsmi_get_phyid_from_logicid(unsigned int logical, unsigned int* physical)
{
    if (physical == nullptr) {
        return PARAMETER_ERROR;
    }
    *physical = logical;
    return logical < Count() ? OK : INVALID_DEVICE;
}

// "Ascend910B3" in two parts. Of a version of the chip nothing is known.
int dsmi_get_chip_info(int device, ChipInfo* info)
{
    if (info == nullptr) {
        return PARAMETER_ERROR;
    }
    if (!IsDevice(device)) {
        return INVALID_DEVICE;
    }
    const char* soc = aclrtGetSocName();
    const std::string type = "Ascend";
    if (soc == nullptr || std::strncmp(soc, type.c_str(), type.size()) != 0) {
        return INNER_ERROR;
    }
    *info = ChipInfo{};
    type.copy(info->type, sizeof(info->type) - 1);
    std::string(soc + type.size()).copy(info->name, sizeof(info->name) - 1);
    return OK;
}

int dsmi_get_device_health(int device, unsigned int*) { return Refuse(device); }

int dsmi_get_device_errorcode(int device, int*, unsigned int*) { return Refuse(device); }

int dsmi_query_errorstring(int device, unsigned int, unsigned char*, int) { return Refuse(device); }

int dsmi_get_device_temperature(int device, int*) { return Refuse(device); }

int dsmi_get_device_utilization_rate(int device, int, unsigned int*) { return Refuse(device); }

int dsmi_get_device_frequency(int device, int, unsigned int*) { return Refuse(device); }

int dsmi_get_memory_info(int device, void*) { return Refuse(device); }

int dsmi_get_hbm_info(int device, void*) { return Refuse(device); }

int dsmi_get_ecc_info(int device, int, void*) { return Refuse(device); }

int dsmi_get_aicpu_info(int device, void*) { return Refuse(device); }

} // extern "C"
