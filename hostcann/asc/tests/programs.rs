//! A program with `<<<…>>>` as bisheng compiles it, with a runtime that runs every launch at once.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Kernels, and what they print when all is well.
const PROGRAM: &str = r#"
#include <cstdio>
#include <stdexcept>

#define GM_ADDR unsigned char*

extern "C" void pointers(GM_ADDR a, const char* b, float c, GM_ADDR d) { std::printf("%d %d %g %d\n", a == nullptr, b == nullptr, c, d != nullptr); }
template <typename T>
void deduced(GM_ADDR a, T b) { std::printf("%d %d\n", a != nullptr, static_cast<int>(b + sizeof(T))); }
namespace lib {
struct Tensor {};
template <typename T>
T Sum(Tensor, T a, T b) { return a + b; }
}
void unqualified(int a) { std::printf("%d\n", Sum<int>(lib::Tensor{}, a, 2)); } // found by its argument, as clang does
struct Left {
    ~Left() { std::printf("left, "); }
};
void divides(int a, volatile int b) { Left left; a /= b; std::printf("%d\n", a); }
struct Tiling { unsigned length = 0; float alpha = 0; };
// As samples read tiling data: words through a pointer of another type.
static inline void CopyTiling(Tiling* tiling, GM_ADDR gm)
{
    unsigned* to = reinterpret_cast<unsigned*>(tiling);
    for (unsigned i = 0; i < sizeof(Tiling) / sizeof(unsigned); i++) { to[i] = *(reinterpret_cast<unsigned*>(gm) + i); }
}
void tiled(GM_ADDR gm) { Tiling tiling; CopyTiling(&tiling, gm); std::printf("%u %g\n", tiling.length, tiling.alpha); }
void throws(int) { throw std::runtime_error("no such mode"); }

void All()
{
    unsigned char some[4] = {};
    pointers<<<1, 0, nullptr>>>(0, NULL, 0, some);
    deduced<<<1, nullptr, nullptr>>>(some, 0);
    divides<<<1, 0, nullptr>>>(1, 0);
    throws<<<1, 0>>>(0);
    unqualified<<<1, 0, nullptr>>>(1);
    unsigned words[2] = {3, 0x3F700000U};
    tiled<<<1, 0, nullptr>>>(reinterpret_cast<GM_ADDR>(words));
}
"#;

/// The runtime's side of a launch; a division by zero unwinds as it does there.
const RUNTIME: &str = r#"
#include <csignal>
#include <cstdint>
#include <cstdio>

#include "hostcann/aicore_abi.h"
#include "hostcann/host_abi.h"

void All();

extern "C" int32_t hc_launch_kernel(void (*kernel)(void* const*), void* state, void (*release)(void*), const char* name,
                                    uint32_t blocks, const hc_pointer*, size_t count, void*)
{
    std::printf("%s: %u blocks, %zu pointers: ", name, blocks, count);
    void* const args[] = {state};
    kernel(args);
    release(state);
    return 0;
}
extern "C" void aic_thrown(const char* what) { std::printf("thrown: %s\n", what); }

int main()
{
    struct sigaction action = {};
    action.sa_handler = [](int) { throw 8; };
    action.sa_flags = SA_NODEFER;
    sigaction(SIGFPE, &action, nullptr);
    All();
}
"#;

const PRINTS: &str = "\
pointers: 1 blocks, 1 pointers: 1 1 0 1
deduced: 1 blocks, 1 pointers: 1 4
divides: 1 blocks, 0 pointers: left, thrown: int
throws: 1 blocks, 0 pointers: thrown: no such mode
unqualified: 1 blocks, 0 pointers: 3
tiled: 1 blocks, 1 pointers: 3 0.9375
";

/// A toolkit with bisheng and the headers.
fn toolkit(dir: &Path) -> PathBuf {
    std::fs::create_dir(dir.join("bin")).expect("a new directory");
    let program = dir.join("bin/bisheng");
    // A link would be followed to where the program was built.
    std::fs::copy(env!("CARGO_BIN_EXE_bisheng"), &program).expect("a copy");
    symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join("../include"), dir.join("include")).expect("a link");
    program
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn kernels_take_their_arguments_and_their_faults_unwind() {
    let dir = tempfile::tempdir().expect("a directory");
    let bisheng = toolkit(dir.path());
    let file = |name: &str| dir.path().join(name);
    std::fs::write(file("program.asc"), PROGRAM).expect("a file");
    std::fs::write(file("runtime.cpp"), RUNTIME).expect("a file");
    run(Command::new(bisheng).args(["-std=c++17", "-O2", "-c"]).arg(file("program.asc")).arg("-o").arg(file("p.o")));
    run(Command::new("g++")
        .args(["-std=c++17", "-O2", "-fnon-call-exceptions", "-w", "-I"])
        .arg(file("include"))
        .args([file("runtime.cpp"), file("p.o")])
        .arg("-o")
        .arg(file("program")));
    assert_eq!(run(&mut Command::new(file("program"))), PRINTS);
}
