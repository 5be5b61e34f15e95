// Device memory with a guard behind its end that no kernel may touch.
template <typename T>
class Gm {
public:
    explicit Gm(size_t count) : count_(count)
    {
        data_ = static_cast<T*>(AscendC::GmAlloc((count + GUARD) * sizeof(T)));
        std::memset(static_cast<void*>(data_), FILL, (count + GUARD) * sizeof(T));
    }
    explicit Gm(const std::vector<float>& values) : Gm(values.size())
    {
        for (size_t i = 0; i < count_; i++) {
            data_[i] = static_cast<T>(values[i]);
        }
    }
    Gm(const Gm&) = delete;
    Gm& operator=(const Gm&) = delete;
    ~Gm() { AscendC::GmFree(data_); }

    GM_ADDR Address() const { return reinterpret_cast<GM_ADDR>(data_); }
    float At(size_t index) const { return static_cast<float>(data_[index]); }
    bool IsGuardWhole() const
    {
        const auto* bytes = reinterpret_cast<const uint8_t*>(data_ + count_);
        for (size_t i = 0; i < GUARD * sizeof(T); i++) {
            if (bytes[i] != FILL) {
                return false;
            }
        }
        return true;
    }

private:
    static constexpr size_t GUARD = 32;
    static constexpr uint8_t FILL = 0xA5;
    size_t count_;
    T* data_ = nullptr;
};
