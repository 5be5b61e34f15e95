namespace {
struct Type {
    aclDataType dtype;
    size_t bytes;
};

struct Output {
    Shape shape;
    uint64_t digest; // of what the graph's interpreter computes from the same numbers
};

struct Case {
    std::vector<Shape> inputs;
    std::vector<Output> outputs;
};

size_t BytesOf(const Shape& shape, const Type& type) { return static_cast<size_t>(CountOf(shape)) * type.bytes; }

std::vector<uint8_t> Numbers(const Type& type, uint64_t seed, size_t length)
{
    std::vector<uint8_t> bytes;
    for (uint64_t at = 0; at < length; at++) {
        uint64_t r = ((seed << 32) + at) * 0x9e3779b97f4a7c15ULL;
        r = (r ^ (r >> 29)) * 0xbf58476d1ce4e5b9ULL;
        r ^= r >> 32;
        const uint64_t exponent = (r >> 40) % 12;
        uint64_t bits = r % 2001 - 1000;
        if (type.dtype == ACL_FLOAT) {
            bits = (r & 0x807fffff) | (121 + exponent) << 23;
        } else if (type.dtype == ACL_BF16) {
            bits = (r & 0x807f) | (121 + exponent) << 7;
        } else if (type.dtype == ACL_FLOAT16) {
            bits = (r & 0x83ff) | (9 + exponent) << 10;
        } else if (type.dtype == ACL_UINT8) {
            bits = r & 1;
        }
        for (size_t i = 0; i < type.bytes; i++) {
            bytes.push_back(static_cast<uint8_t>(bits >> (8 * i)));
        }
    }
    return bytes;
}

uint64_t Digest(const std::vector<uint8_t>& bytes)
{
    uint64_t hash = 0xcbf29ce484222325ULL;
    for (uint8_t byte : bytes) {
        hash = (hash ^ byte) * 0x100000001b3ULL;
    }
    return hash;
}

int32_t Run(aclrtStream stream, const Case& one)
{
    const std::vector<Type> inputTypes = {INPUT_TYPES};
    const std::vector<Type> outputTypes = {OUTPUT_TYPES};
    std::vector<DeviceTensor> x(one.inputs.size());
    std::vector<DeviceTensor> y(one.outputs.size());
    for (size_t i = 0; i < x.size(); i++) {
        const std::vector<uint8_t> numbers = Numbers(inputTypes[i], i + 1, static_cast<size_t>(CountOf(one.inputs[i])));
        CHECK_STATUS(CreateTensor(numbers, one.inputs[i], inputTypes[i].dtype, x[i]));
    }
    for (size_t i = 0; i < y.size(); i++) {
        const std::vector<uint8_t> nothing(BytesOf(one.outputs[i].shape, outputTypes[i]));
        CHECK_STATUS(CreateTensor(nothing, one.outputs[i].shape, outputTypes[i].dtype, y[i]));
    }
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    CHECK_STATUS(aclnnPASCALGetWorkspaceSize(ARGUMENTS, &workspaceSize, &executor));
    void* workspace = nullptr;
    if (workspaceSize > 0) {
        CHECK_STATUS(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    CHECK_STATUS(aclnnPASCAL(workspace, workspaceSize, executor, stream));
    CHECK_STATUS(aclrtSynchronizeStream(stream));
    int32_t wrong = 0;
    for (size_t i = 0; i < y.size(); i++) {
        std::vector<uint8_t> result(BytesOf(one.outputs[i].shape, outputTypes[i]));
        CHECK_STATUS(aclrtMemcpy(result.data(), result.size(), y[i].data, result.size(), ACL_MEMCPY_DEVICE_TO_HOST));
        const bool same = Digest(result) == one.outputs[i].digest;
        std::printf("%lld elements: %s\n", static_cast<long long>(CountOf(one.outputs[i].shape)),
                    same ? "as the graph says" : "other bits");
        wrong += same ? 0 : 1;
    }
    for (const std::vector<DeviceTensor>* list : {&x, &y}) {
        for (const DeviceTensor& device : *list) {
            DestroyTensor(device);
        }
    }
    if (workspace != nullptr) {
        aclrtFree(workspace);
    }
    return wrong;
}
} // namespace

int main()
{
    aclrtStream stream = nullptr;
    CHECK_STATUS(aclInit(nullptr));
    CHECK_STATUS(aclrtSetDevice(0));
    CHECK_STATUS(aclrtCreateStream(&stream));
    const std::vector<Case> cases = {CASES};
    int32_t failed = 0;
    for (const Case& one : cases) {
        failed += Run(stream, one);
    }
    CHECK_STATUS(aclrtDestroyStream(stream));
    CHECK_STATUS(aclrtResetDevice(0));
    CHECK_STATUS(aclFinalize());
    std::printf("SNAKE: %s\n", cases.empty() ? "NOTHING" :
                               failed == 0   ? "every bit as the graph says" :
                                               "wrong values");
    return failed == 0 ? 0 : 1;
}
