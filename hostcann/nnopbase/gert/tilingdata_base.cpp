#include "register/tilingdata_base.h"

#include <mutex>

#include "op_common/log/log.h"
#include "tiling_struct_source.h"

namespace optiling {
void TilingDef::Align(size_t alignment, const char* padName)
{
    const size_t rest = data_size_ % alignment;
    if (rest != 0) {
        fields_.emplace_back("uint8_t", padName, alignment - rest);
        data_size_ += alignment - rest;
    }
}

size_t TilingDef::AddScalar(const char* dtype, const char* name, size_t size, const char* padName)
{
    Align(size, padName);
    fields_.emplace_back(dtype, name);
    const size_t offset = data_size_;
    data_size_ += size;
    return offset;
}

size_t TilingDef::AddArray(const char* dtype, const char* name, size_t size, size_t count, const char* padName)
{
    Align(size, padName);
    fields_.emplace_back(dtype, name, count);
    const size_t offset = data_size_;
    data_size_ += size * count;
    return offset;
}

size_t TilingDef::AddStruct(const char* name, const char* structType, TilingDef& nested, const char* padName)
{
    Align(8U, padName);
    fields_.emplace_back("struct", name, structType, nested.GetDataSize());
    const size_t offset = data_size_;
    data_size_ += nested.GetDataSize();
    nested_.emplace_back(&nested, offset);
    return offset;
}

void TilingDef::Finish(const char* className, const char* padName, bool own)
{
    class_name_ = className;
    Align(8U, padName);
    if (own) {
        std::unique_ptr<uint8_t[]> buffer(new uint8_t[data_size_]());
        SetDataPtr(buffer.get());
        own_ = std::move(buffer);
    }
}

TilingDef::TilingDef(const TilingDef& other)
    : class_name_(other.class_name_), fields_(other.fields_), data_size_(other.data_size_), data_ptr_(other.data_ptr_)
{
    if (!other.nested_.empty()) {
        OP_LOGE(class_name_, "tiling data with structures in it is copied, its structures are not: fill it in place");
    }
    if (other.own_ != nullptr) {
        own_.reset(new uint8_t[data_size_]);
        (void)std::memcpy(own_.get(), other.own_.get(), data_size_);
        data_ptr_ = own_.get();
    }
}

void TilingDef::SetDataPtr(void* dataPtr)
{
    own_.reset();
    data_ptr_ = static_cast<uint8_t*>(dataPtr);
    for (const auto& [nested, offset] : nested_) {
        nested->SetDataPtr(data_ptr_ + offset);
    }
}

void TilingDef::SaveToBuffer(void* pdata, size_t capacity)
{
    if (own_ == nullptr) {
        return;
    }
    const errno_t status = memcpy_s(pdata, capacity, own_.get(), data_size_);
    if (status != EOK) {
        OP_LOGE(class_name_, "tiling data of %zu bytes does not fit into the buffer of %zu bytes at %p", data_size_,
                capacity, pdata);
    }
}

namespace {
struct TilingDataClasses {
    std::mutex lock;
    std::map<std::string, TilingDataConstructor> constructors;
};

TilingDataClasses& Classes()
{
    static TilingDataClasses classes;
    return classes;
}
} // namespace

CTilingDataClassFactory& CTilingDataClassFactory::GetInstance()
{
    static CTilingDataClassFactory factory;
    return factory;
}

void CTilingDataClassFactory::RegisterTilingData(const char* op_type, const TilingDataConstructor constructor)
{
    const std::lock_guard<std::mutex> guard(Classes().lock);
    Classes().constructors.emplace(op_type, constructor);
}

std::shared_ptr<TilingDef> CTilingDataClassFactory::CreateTilingDataInstance(const char* op_type)
{
    const std::lock_guard<std::mutex> guard(Classes().lock);
    const auto found = Classes().constructors.find(op_type == nullptr ? "" : op_type);
    return found == Classes().constructors.end() ? nullptr : found->second();
}

std::vector<std::string> TilingDataNamesOfKeys(const std::string& op_type)
{
    const std::string start = op_type + "_";
    std::vector<std::string> names;
    const std::lock_guard<std::mutex> guard(Classes().lock);
    for (auto at = Classes().constructors.lower_bound(start); at != Classes().constructors.end(); ++at) {
        const std::string& name = at->first;
        if (name.compare(0, start.size(), start) != 0) {
            break;
        }
        if (name.size() > start.size() && name.find_first_not_of("0123456789", start.size()) == std::string::npos) {
            names.push_back(name);
        }
    }
    return names;
}
} // namespace optiling
