#error "the tiling function of a kernel that is not built"
