// What the tiling function needs to know of the machine.
struct Machine {
    int64_t coreNum = 0;
    int64_t ubBytes = 0;
};

static ge::graphStatus ReadMachine(gert::TilingContext* context, Machine& machine)
{
    auto platformInfo = context->GetPlatformInfo();
    OP_CHECK_NULL_WITH_CONTEXT(context, platformInfo);
    auto platform = platform_ascendc::PlatformAscendC(platformInfo);
    uint64_t ubBytes = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
    machine.coreNum = platform.GetCoreNumAiv();
    machine.ubBytes = static_cast<int64_t>(ubBytes) - UB_RESERVED_BYTES;
    OP_CHECK_IF(machine.coreNum <= 0 || machine.ubBytes <= 0,
                OP_LOGE(context, "no vector cores or no UB: %ld cores, %lu bytes", machine.coreNum, ubBytes),
                return ge::GRAPH_FAILED);
    return ge::GRAPH_SUCCESS;
}
