# find_package(tikicpulib): programs and tests that run kernels with ICPU_RUN_KF, `tikicpulib::<chip>`. It lies in
# <toolkit>/tools/tikicpulib/lib/cmake; the chip is HOSTCANN_SOC's, the cores of all are the same.
get_filename_component(tikicpulib_root "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)
file(GLOB tikicpulib_chips "${tikicpulib_root}/*-linux/data/platform_config/*.ini")
foreach(tikicpulib_chip IN LISTS tikicpulib_chips)
    get_filename_component(tikicpulib_chip "${tikicpulib_chip}" NAME_WE)
    if(TARGET tikicpulib::${tikicpulib_chip})
        continue()
    endif()
    add_library(tikicpulib::${tikicpulib_chip} INTERFACE IMPORTED)
    set_target_properties(tikicpulib::${tikicpulib_chip} PROPERTIES
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${tikicpulib_root}/include"
        INTERFACE_INCLUDE_DIRECTORIES "${tikicpulib_root}/include"
        INTERFACE_COMPILE_DEFINITIONS
            "__NPU_ARCH__=2201;__CCE_AICORE__=220;__DAV_C220_VEC__=1;__CCE_KT_TEST__=1;ASCENDC_CPU_DEBUG=1"
        INTERFACE_COMPILE_OPTIONS "SHELL:-include cstdint;-ffp-contract=off;-fno-optimize-sibling-calls;-fno-strict-aliasing;-g1"
        INTERFACE_LINK_LIBRARIES "${tikicpulib_root}/lib64/libnnopbase.so;${tikicpulib_root}/lib64/libascendcl.so")
endforeach()
set(tikicpulib_FOUND TRUE)
