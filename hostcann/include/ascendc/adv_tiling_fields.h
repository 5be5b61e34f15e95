// Tiling data of the high-level functions, for kernels (plain structs) and for tiling functions (classes with setters)
// alike. Facts from the pages that define the structs.
#ifndef HOSTCANN_ASCENDC_ADV_TILING_FIELDS_H
#define HOSTCANN_ASCENDC_ADV_TILING_FIELDS_H

// X(field), each a uint32_t. «SoftMax Tiling使用说明»; LogSoftMax has the same ones.
#define HOSTCANN_SOFTMAX_FIELDS(X) \
    X(srcM)                        \
    X(srcK)                        \
    X(srcSize)                     \
    X(outMaxM)                     \
    X(outMaxK)                     \
    X(outMaxSize)                  \
    X(splitM)                      \
    X(splitK)                      \
    X(splitSize)                   \
    X(reduceM)                     \
    X(reduceK)                     \
    X(reduceSize)                  \
    X(rangeM)                      \
    X(tailM)                       \
    X(tailSplitSize)               \
    X(tailReduceSize)

#endif // HOSTCANN_ASCENDC_ADV_TILING_FIELDS_H
