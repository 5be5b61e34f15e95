// Levels and module ids of the log (runtime base/log_types.h).
#ifndef HOSTCANN_BASE_LOG_TYPES_H
#define HOSTCANN_BASE_LOG_TYPES_H

#define DLOG_DEBUG 0x0
#define DLOG_INFO 0x1
#define DLOG_WARN 0x2
#define DLOG_ERROR 0x3
#define DLOG_NULL 0x4

enum { DLOG_TYPE_DEBUG = 0, DLOG_TYPE_RUN = 1, DLOG_TYPE_MAX };

#define MSG_LENGTH 1024

enum {
    SLOG = 0,
    IDEDD,
    SCC,
    HCCL,
    FMK,
    CCU,
    DVPP,
    RUNTIME,
    CCE,
    HDC,
    DRV,
    NET,
    DEVMM = 22,
    KERNEL,
    LIBMEDIA,
    CCECPU,
    ROS = 27,
    HCCP,
    ROCE,
    TEFUSION,
    PROFILING,
    DP,
    APP,
    TS,
    TSDUMP,
    AICPU,
    LP,
    TDT,
    FE,
    MD,
    MB,
    ME,
    IMU,
    IMP,
    GE,
    CAMERA = 47,
    ASCENDCL,
    TEEOS,
    ISP,
    SIS,
    HSM,
    DSS,
    PROCMGR,
    BBOX,
    AIVECTOR,
    TBE,
    FV,
    TUNE = 60,
    HSS,
    FFTS,
    OP,
    UDF,
    HICAID,
    TSYNC,
    AUDIO,
    TPRT,
    ASCENDCKERNEL
};

#endif // HOSTCANN_BASE_LOG_TYPES_H
