// The entry of PTO ISA, tile instructions that lie above and below the Ascend C API and use the cube core.
#ifndef HOSTCANN_PTO_INST_HPP
#define HOSTCANN_PTO_INST_HPP

#error "kernels of PTO ISA (pto/pto-inst.hpp) are not modelled: hostcann runs kernels of the Ascend C API"

#endif // HOSTCANN_PTO_INST_HPP
