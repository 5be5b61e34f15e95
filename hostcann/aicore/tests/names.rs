//! Names that kernels use besides the documented interface: intrinsics, constants, header names.

use crate::support::{Aligned, Object, check_cpp, compile_cpp};
use aicore::{CoreSpec, Engine, Fault, Launch, Switches, TilingUse, check::LaunchInfo};
use std::{ffi::c_void, sync::OnceLock};

fn kernels() -> &'static Object {
    static O: OnceLock<Object> = OnceLock::new();
    O.get_or_init(|| Object::build("names.cpp"))
}

fn launch(name: &str, blocks: u32, args: &[*mut c_void], tiling: Option<&TilingUse>) -> Result<(), Fault> {
    let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    e.run(&Launch { tiling, ..Launch::new(kernels().kernel(name), name, 0, blocks, args) })
}

#[test]
fn intrinsics_are_the_calls_of_the_interface() {
    let (mut out, mut copied) = ([0i64; 8], Aligned::<i16>::new(16));
    launch("intrinsics", 1, &[out.as_mut_ptr().cast(), copied.as_mut_ptr().cast()], None).unwrap();
    assert_eq!(out[..5], [(1 << 40) + 2 + 9 + 3, 0, 1010, 8, 0xf7 | 1 << 40]);
    // Three elements under the counter, then the first lane.
    assert_eq!(copied[..5], [8, 7, 7, 5, 5]);
    let f = launch("fault_pipe", 1, &[], None).unwrap_err();
    assert!(f.message.contains("got PIPE_M"), "{f}");
}

#[test]
fn a_queue_dequeues_without_a_type() {
    let mut out = [-1i64; 2];
    launch("dequeue_alone", 1, &[out.as_mut_ptr().cast()], None).unwrap();
    assert_eq!(out, [1, 0]);
}

/// Pages Adds, DataCopyPad, Compare, Select, WholeReduceMax, GatherMask, Gather: the instructions under them.
#[test]
fn raw_vector_instructions_work_under_the_mask_registers() {
    let mut x = Aligned::<f32>::new(128);
    (0..128).for_each(|i| x[i] = i as f32);
    let mut out = Aligned::<f32>::new(16 * 64);
    launch("raw_vector", 1, &[x.as_mut_ptr().cast(), out.as_mut_ptr().cast()], None).unwrap();
    let row = |i: usize| &out[i * 64..i * 64 + 64];
    assert_eq!(row(0)[..8], [0., 1., 2., 9., 9., 9., 9., 9.]);
    assert_eq!(row(0)[8..24], [0., 0., 0., 0., 0., 0., 0., 0., 4., 5., 6., 9., 9., 9., 9., 9.]);
    assert_eq!((row(1)[0], row(1)[55]), (17.5, 72.5));
    let bits: Vec<u32> = row(2)[..4].iter().map(|v| v.to_bits()).collect();
    assert_eq!(bits, [0, 0xf000_0000, u32::MAX, u32::MAX]);
    // Below 60 what vadds left, from 60 on x itself; 72 elements were added to.
    assert_eq!((row(3)[0], row(3)[59], row(3)[60], row(4)[0], row(4)[63]), (1.5, 60.5, 60., 64., 127.));
    assert_eq!((row(5)[0], row(5)[59], row(5)[60], row(5)[63]), (-1., -1., 60., 63.));
    assert_eq!((row(6)[0], row(6)[30], row(6)[31], row(6)[63]), (0., 30., 31., 31.));
    // dstRepStride counts results.
    assert_eq!((row(7)[0], row(7)[4]), (4., 68.));
    assert_eq!((row(7)[8].to_bits(), row(7)[12].to_bits()), (4, 4));
    assert_eq!((row(7)[16], row(7)[17].to_bits()), (0., 0));
    assert_eq!((&row(8)[..5], row(8)[16], row(8)[24]), (&[0., 2., 4., 6., 8.][..], 5., 32.));
    assert_eq!((row(8)[32], row(8)[63]), (1., 63.));
    let gathered: Vec<f32> = (0..20).map(|i| (i + 3 + i) as f32).collect();
    assert_eq!((&row(9)[..20], row(9)[20]), (&gathered[..], 31.));
    let blocks = |of: fn(f32) -> f32| (0..16).map(|block| of(8. * block as f32)).collect::<Vec<f32>>();
    assert_eq!(row(10)[..16], blocks(|first| first + 7.));
    assert_eq!(row(10)[16..32], blocks(|first| first));
    assert_eq!(row(10)[32..48], blocks(|first| 8. * first + 28.));
}

#[test]
fn a_raw_copy_adds_as_the_atomic_state_says() {
    let mut sums = Aligned::<f32>::new(8);
    sums.fill(1.0);
    launch("raw_atomic", 1, &[sums.as_mut_ptr().cast()], None).unwrap();
    assert_eq!(sums[..], [3.5; 8]);
    // The copy is one of what the mode adds: the checker would tell an atomic copy of another type.
    let info = LaunchInfo::default();
    let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    let args = [sums.as_mut_ptr().cast()];
    let checked = Launch::new(kernels().kernel("raw_atomic"), "raw_atomic", 0, 1, &args);
    e.run(&Launch { check: Some(&info), ..checked }).unwrap();
    assert_eq!((sums[..].to_vec(), info.rules.take().len()), (vec![6.0; 8], 0));
    let f = launch("fault_raw_repeat", 1, &[], None).unwrap_err();
    assert!(f.to_string().contains("Add<half>") && f.to_string().contains("256"), "{f}");
}

#[test]
fn the_tiling_data_lies_behind_the_arguments() {
    let (mut out, mut workspace, mut tiling) = ([0u64; 6], [0u8; 8], [11u64, 12]);
    let args: [*mut c_void; 3] = [out.as_mut_ptr().cast(), workspace.as_mut_ptr().cast(), tiling.as_mut_ptr().cast()];
    let used = TilingUse::new(args[2] as usize, 16);
    launch("parameters", 1, &args, Some(&used)).unwrap();
    assert_eq!(out[..5], [args[0] as u64, args[1] as u64, args[2] as u64, 11, 12]);
    assert!(used.reads().pointer);
    // Nobody records what is read: the launch says where the data are.
    out.fill(0);
    let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    let plain = Launch::new(kernels().kernel("parameters"), "parameters", 0, 1, &args);
    e.run(&Launch { tiling_data: Some((args[2] as usize, 16)), ..plain }).unwrap();
    assert_eq!(out[..5], [args[0] as u64, args[1] as u64, args[2] as u64, 11, 12]);
    let f = launch("parameters", 1, &args, None).unwrap_err();
    assert!(f.message.contains("get_para_base outside of an operator's launch"), "{f}");
}

fn refused(name: &str, source: &str) -> String {
    check_cpp(name, source).err().unwrap_or_else(|| panic!("{name} compiles"))
}

#[test]
fn what_needs_a_cube_core_says_so() {
    let cube = "#include \"kernel_operator.h\"\n__global__ __cube__ void k(int* x) { *x = 1; }\n\
                template <int n> __global__ __cube__ void t(int* x) { *x = n; }\n";
    compile_cpp("names_cube", cube).unwrap();
    for call in ["void f(int* x) { k(x); }", "void f(int* x) { t<1>(x); }"] {
        let error = compile_cpp("names_cube_call", &format!("{cube}{call}\n")).expect_err(call);
        assert!(error.contains("hostcann's bisheng alone knows __cube__"), "{error}");
    }
    let mix = "#include \"kernel_operator.h\"\n__global__ __mix__(1, 2) void k() {}\n";
    assert!(refused("names_mix", mix).contains("hostcann's bisheng alone knows __mix__"));
    let vector =
        "#include \"kernel_operator.h\"\n__global__ __mix__(0, 1) void k();\n__global__ __vector__ void l();\n";
    check_cpp("names_vector", vector).unwrap();
}

/// Configurations are values and TCubeTiling is a struct; what of a Matmul object is not modelled is named.
#[test]
fn what_of_matmul_is_not_modelled_says_so() {
    const HEAD: &str = "#include \"lib/matmul_intf.h\"\nusing namespace AscendC;\n\
                        using A = MatmulType<TPosition::GM, CubeFormat::ND, half>;\n\
                        using L1 = MatmulType<TPosition::TSCM, CubeFormat::NZ, half>;\n\
                        constexpr MatmulConfig OWN = GetMDLConfig(false, false, 0, true);\n\
                        constexpr MatmulConfig DUAL = GetNormalConfig(false, false, false, BatchMode::NONE, true, \
                        IterateOrder::UNDEF, ScheduleType::OUTER_PRODUCT, true, true);\n\
                        constexpr MatmulConfig OUTER = GetNormalConfig(false, false, false, BatchMode::NONE, true, \
                        IterateOrder::UNDEF, ScheduleType::OUTER_PRODUCT);\n\
                        constexpr MatmulShapeParams SHAPE{64, 64, 64, 32, 32, 32};\n\
                        constexpr auto FIXED = GetMatmulApiTiling<A, A, A, A>(GetMMConfig<MatmulConfigMode::CONFIG_MDL>(SHAPE));\n\
                        static_assert(FIXED.baseM == 32 && FIXED.singleCoreK == 64 && FIXED.depthA1 == -1);\n\
                        struct Tiling { uint32_t n; TCubeTiling cube; };\n\
                        static_assert(sizeof(TCubeTiling) == 200 && sizeof(Tiling) == 208);\n\
                        void CopyIn(const LocalTensor<int8_t>&, const void*, int, int, int, int, uint64_t, uint64_t);\n\
                        template <typename T>\nstruct Mixed {\n    void Run(TPipe* pipe, Tiling* t) {\n        ";
    const TAIL: &str = "\n        REGIST_MATMUL_OBJ(pipe, GetSysWorkSpacePtr(), mm, &t->cube);\n        while (mm.Iterate()) {}\n    }\n};\n\
                        void f(TPipe* pipe, Tiling* t) { Mixed<A>().Run(pipe, t); }\n";
    for used in [
        "Matmul<T, T, T> mm;",
        "Matmul<T, T, T, T, OWN, MatmulCallBackFunc<>, MatmulPolicy> mm;",
        "matmul::Matmul<T, T, T, T, FIXED> mm;",
        "AscendC::MatmulImpl<T, T, T, T, CFG_MDL> mm;",
    ] {
        compile_cpp("names_matmul", &format!("{HEAD}{used}{TAIL}")).unwrap_or_else(|error| panic!("{used}: {error}"));
    }
    for (what, used) in [
        ("TSCM and CO1 are not modelled", "Matmul<T, L1, T> mm;"),
        (
            "MatmulCallBackFunc copies to L1",
            "Matmul<T, T, T, T, CFG_MDL, MatmulCallBackFunc<nullptr, CopyIn, nullptr>> mm;",
        ),
        (
            "this MatmulPolicy is not modelled",
            "Matmul<T, T, T, T, OWN, MatmulCallBackFunc<>, TrianUpperMatmulPolicy> mm;",
        ),
        ("enableMixDualMaster of MatmulConfig is not modelled", "Matmul<T, T, T, T, DUAL> mm;"),
        ("Iterate of ScheduleType::OUTER_PRODUCT is not modelled", "Matmul<T, T, T, T, OUTER> mm;"),
    ] {
        assert!(refused("names_matmul_not", &format!("{HEAD}{used}{TAIL}")).contains(what), "{what}");
    }
}

/// Instructions of the cube core, as operators write them: an error that says why, with the line, and only for what is called.
#[test]
fn instructions_of_the_cube_core_say_so() {
    const HEAD: &str = "#include \"kernel_operator.h\"\nusing namespace AscendC;\nusing L = LocalTensor<half>;\n\
                        struct Cube {\n    void Run(const L& a, const L& b, const LocalTensor<float>& c, const GlobalTensor<float>& g)\n    {\n";
    for (name, call) in [
        ("Mmad", "MmadParams p; p.m = 16; p.cmatrixInitVal = true; Mmad(c, a, b, p); (void)g;"),
        ("LoadData", "LoadData2DParams p; p.repeatTimes = 4; LoadData(a, b, p); (void)c; (void)g;"),
        ("LoadDataWithTranspose", "LoadData2dTransposeParams p; LoadDataWithTranspose(a, b, p); (void)c; (void)g;"),
        ("LoadData", "LoadData3DParamsV2<half> p; p.l1H = 1; LoadData<half>(a, b, p); (void)c; (void)g;"),
        ("InitConstValue", "InitConstValueParams<half> p; InitConstValue(a, p); (void)b; (void)c; (void)g;"),
        (
            "Fixpipe",
            "FixpipeParamsV220 p; p.nSize = 16; p.quantPre = QuantMode_t::NoQuant; \
                     Fixpipe<float, float, CFG_ROW_MAJOR>(g, c, p); (void)a; (void)b;",
        ),
        ("SetFixPipeConfig", "SetFixPipeConfig<half, true>(a); (void)b; (void)c; (void)g;"),
    ] {
        let source = format!("{HEAD}        {call}\n    }}\n}};\n");
        compile_cpp("names_unused", &source).unwrap_or_else(|error| panic!("{name}: {error}"));
        let used = "void f(Cube& k, const L& a, const LocalTensor<float>& c, const GlobalTensor<float>& g) { k.Run(a, a, c, g); }\n";
        let error = compile_cpp("names_used", &format!("{source}{used}")).expect_err(name);
        assert!(error.contains(&format!("hostcann models vector cores only: {name} needs a cube core")), "{error}");
        assert!(error.contains("names_used.cpp:7:"), "{error}");
    }
}

#[test]
fn a_vector_kernel_runs_next_to_one_of_the_cube_core() {
    let (mut x, mut y) = (Aligned::<f32>::new(8), Aligned::<f32>::new(8));
    (0..8).for_each(|i| x[i] = i as f32);
    launch("vector_next_to_cube", 1, &[x.as_mut_ptr().cast(), y.as_mut_ptr().cast()], None).unwrap();
    assert_eq!(y[..], [1., 2., 3., 4., 5., 6., 7., 8.]);
}

/// Operators assign a bfloat16_t to a float and compare types with the compiler's own name for it.
#[test]
fn a_bfloat16_becomes_a_float() {
    let source = "#include \"kernel_operator.h\"\nconstexpr float X = bfloat16_t(1.5f);\n\
                  static_assert(X == 1.5f && std::is_same_v<__bf16, bfloat16_t>);\n";
    for mode in ["", "#define ASCENDC_CPU_DEBUG 1\n"] {
        check_cpp("names_bfloat16", &format!("{mode}{source}")).unwrap();
    }
}

/// Kernels hand instructions on as functions that take a byte, and addresses of blocks; they pass a TPipe by value.
#[test]
fn functions_that_take_a_byte_and_pipes_that_are_copied() {
    let source = "#include \"kernel_operator.h\"\nusing namespace AscendC;\n\
        template <typename T>\nusing Three = void(const LocalTensor<T>&, const LocalTensor<T>&, const LocalTensor<T>&, \
        uint64_t, const uint8_t, const BinaryRepeatParams&);\n\
        template <typename T>\nusing Two = void(const LocalTensor<T>&, const LocalTensor<T>&, uint64_t, const uint8_t, \
        const UnaryRepeatParams&);\n\
        template <typename T, Three<T>* f, Two<T>* g>\nvoid Each(const LocalTensor<T>& x, uint8_t n)\n{\n    \
        f(x, x, x, 64, n, {});\n    g(x, x, 64, n, {});\n    Add(x, x, x, 64, n, {});\n    \
        Add<T, false>(x, x, x, 64, 300, {});\n}\n\
        void Run(TPipe pipe, const LocalTensor<float>& x)\n{\n    TPipe own;\n    own = pipe;\n    \
        Each<float, Div, Abs>(x, 1);\n    __ubuf__ half* blocks[16] = {};\n    \
        TransDataTo5HDImpl(blocks, blocks, TransDataTo5HDParams());\n    \
        __gm__ int32_t* gm = nullptr;\n    auto* ub = reinterpret_cast<__ubuf__ int32_t*>(x.GetPhyAddr());\n    \
        DataCopyPadGm2UBImpl(ub, gm, DataCopyExtParams(), DataCopyPadExtParams<int32_t>());\n    \
        DataCopyPadUB2GMImpl(gm, ub, DataCopyExtParams());\n}\n";
    check_cpp("names_byte", source).unwrap();
}

/// The type of the tiling key counts before that of the kernel.
#[test]
fn a_launch_has_the_cores_of_its_type() {
    let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    for (key, vectors, cubes) in [(0, 2, 0), (1, 0, 2), (2, 2, 0), (3, 0, 2), (4, 2, 2), (6, 4, 2), (8, 4, 2)] {
        let mut x = Aligned::<i32>::new(16);
        let args = [x.as_mut_ptr().cast::<c_void>()];
        e.run(&Launch::new(kernels().kernel("task_types"), "task_types", key, 2, &args))
            .unwrap_or_else(|f| panic!("{f}"));
        let of = |core: i32| x.iter().filter(|seen| **seen == core).count();
        assert_eq!((of(1), of(2)), (vectors, cubes), "{key}");
    }
}

#[test]
fn names_of_later_chips_say_what_a2_does() {
    let mut out = [7u32; 3];
    launch("numbers", 1, &[out.as_mut_ptr().cast()], None).unwrap();
    assert_eq!(out, [0x220, f32::NEG_INFINITY.to_bits(), 1]);
    for (kernel, does) in
        [("broadcast_tiling", "this call does nothing on A2"), ("broadcast_by_tiling", "does nothing on A2, dst stays")]
    {
        let f = launch(kernel, 1, &[], None).unwrap_err();
        assert!(f.message.contains(does) && f.message.contains("(got: rank); got 3"), "{f}");
    }
}
