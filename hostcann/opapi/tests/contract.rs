//! What holds for every operator: names, both phases' checks, the order on a stream, and the table.

mod toolkit;

use hostcann_types::operators as table;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use toolkit::{INVALID, NULLPTR, Tensor, has, home, ints, list, scalar, toolkit};

fn operators() -> table::Table {
    table::parse(include_str!("../operators.txt")).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn header() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/host.rs");
    let source = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    headers::check(&headers::Header {
        path: "hostcann/host_op.h",
        intro: "// C ABI of libnnopbase.so for libopapi.so: what its operators see of aclnn objects, and their two phases.",
        includes: &["hostcann/host_abi.h"],
        sources: &[source],
        prelude: "typedef struct aclTensor aclTensor;\ntypedef struct aclScalar aclScalar;\n\
                  typedef struct aclIntArray aclIntArray;\ntypedef struct aclBoolArray aclBoolArray;\n\
                  typedef struct aclTensorList aclTensorList;\n\
                  typedef struct aclOpExecutor aclOpExecutor;\n",
        names: &[
            ("AclTensor", "aclTensor"),
            ("AclScalar", "aclScalar"),
            ("AclIntArray", "aclIntArray"),
            ("AclBoolArray", "aclBoolArray"),
            ("AclTensorList", "aclTensorList"),
            ("AclOpExecutor", "aclOpExecutor"),
            ("HcStatus", "hc_status"),
            ("HcHostCall", "hc_host_call"),
            ("MAX_RANK", "HC_MAX_RANK"),
            ("HcView", "hc_view"),
            ("HcNumber", "hc_number"),
            ("HcOp", "hc_op"),
        ],
        // The objects are opaque in C; the others stand in host_abi.h.
        exclude: &[
            "AclTensor",
            "AclScalar",
            "AclIntArray",
            "AclBoolArray",
            "AclTensorList",
            "AclOpExecutor",
            "HcStatus",
            "HcHostCall",
            "hc_promote_type",
            "hc_can_cast",
            "aclCreateTensor",
            "aclDestroyTensor",
        ],
    });
}

#[test]
fn both_phases_of_every_operator_are_exported() {
    let Some(kit) = toolkit() else { return };
    let table = operators();
    assert!(table.rows.len() > 200, "{} rows", table.rows.len());
    for row in table.rows {
        for name in [row.function.clone(), row.function + "GetWorkspaceSize"] {
            assert!(has(&kit.opapi, &name), "libopapi.so lacks {name}");
        }
    }
}

/// 161001 for every object that may not be null, before anything else is checked.
#[test]
fn null_arguments_are_named() {
    let Some(kit) = toolkit() else { return };
    let dim = ints(kit, &[]);
    for row in operators()
        .rows
        .iter()
        .filter(|row| row.params.iter().all(|param| !["double", "float"].contains(&param.kind.as_str())))
    {
        // Good objects before the null one would be read only behind the check.
        let words: Vec<usize> = row.params.iter().map(|param| if param.kind == "ints" { dim } else { 0 }).collect();
        let needed =
            row.params.iter().find(|p| !p.optional && table::c_type(&p.kind).is_some_and(|t| t.ends_with('*')));
        let Some(first) = needed.filter(|param| param.kind != "ints") else { continue };
        kit.message();
        assert_eq!(kit.prepare(&row.function, &words).err(), Some(NULLPTR), "{}", row.function);
        let text = kit.message();
        let expected = format!("{}: argument [{}]: expected a non-null pointer", row.function, first.name);
        assert!(text.contains(&expected), "{text}");
    }
}

#[test]
fn wrong_parameters_are_named() {
    let Some(kit) = toolkit() else { return };
    let x = Tensor::filled(kit, &[2, 3], 0f32);
    let one = scalar(kit, 1i64);
    let refused = |name: &str, args: &[usize], text: &str| {
        let (code, message) = kit.run(name, args).expect_err(text);
        assert_eq!(code, INVALID, "{message}");
        assert!(message.contains(&format!("{name}: {text}")), "{message}");
    };
    let row = Tensor::filled(kit, &[2], 0f32);
    let text = "argument [other]: shape [2] cannot be broadcast with [2, 3]";
    refused("aclnnAdd", &[x.handle, row.handle, one, x.handle], text);
    refused("aclnnAdd", &[x.handle, x.handle, one, row.handle], "argument [out]: expected shape [2, 3], got [2]");
    // A result in place does not grow.
    refused("aclnnInplaceMul", &[row.handle, x.handle], "argument [other]: shape [2, 3] cannot be broadcast with [2]");
    let column = Tensor::filled(kit, &[2, 1], 0f32);
    refused("aclnnInplaceMul", &[column.handle, x.handle], "argument [selfRef]: expected shape [2, 3], got [2, 1]");
    let small = Tensor::filled(kit, &[2], 0i16);
    let text = "argument [self]: expected one of the data types float32, float16, bfloat16, got int16";
    refused("aclnnTrunc", &[small.handle, small.handle], text);
    refused(
        "aclnnAmax",
        &[x.handle, ints(kit, &[2]), 0, x.handle],
        "argument [dim]: expected a dim from -2 to 1, got 2",
    );
    let (mask, value) = (Tensor::filled(kit, &[], true), Tensor::filled(kit, &[1], 0f32));
    let text = "argument [value]: expected a tensor without dims, got shape [1]";
    refused("aclnnInplaceMaskedFillTensor", &[x.handle, mask.handle, value.handle], text);
    let out = Tensor::<f32>::at(kit, x.memory, 6, &[2, 3], &[3, 1], 1);
    refused(
        "aclnnNeg",
        &[x.handle, out.handle],
        "argument [out]: shape [2, 3] with strides [3, 1] from element 1 on reaches element 6; the storage has 6",
    );
    // Complex numbers: aclDataType 16 is complex64.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Complex([f32; 2]);
    impl toolkit::Element for Complex {
        const DTYPE: i32 = 16;
    }
    let complex = Tensor::filled(kit, &[2], Complex([1.0, 2.0]));
    let (code, message) = kit.run("aclnnNeg", &[complex.handle, complex.handle]).expect_err("complex64");
    assert_eq!(code, INVALID);
    assert!(message.contains("got complex64"), "{message}");
    // Frameworks that go on to phase 2 see the reason as well.
    let code = kit.launch("aclnnNeg", (0, std::ptr::null_mut()), 0);
    let message = kit.message();
    assert_eq!(code, 161_001);
    let refused = "got nullptr: the last GetWorkspaceSize of aclnnNeg was refused: argument [self]: expected one of";
    assert!(message.contains(refused) && message.contains("got complex64"), "{message}");
    // Freed memory ends the stream, not the process.
    let gone = Tensor::filled(kit, &[2], 1f32);
    // SAFETY: the documented signature.
    unsafe { kit.acl("aclrtFree", [gone.memory, 0, 0, 0, 0, 0, 0, 0]) };
    let (code, _) = kit.run("aclnnNeg", &[gone.handle, gone.handle]).expect_err("freed memory");
    assert_eq!(code, 507_035);
}

/// The order in which torch_npu calls. It takes a last error of the thread for the code of any call that fails, so there
/// must be none but what really failed.
#[test]
fn the_last_error_is_of_a_call_that_failed() {
    let Some(kit) = toolkit() else { return };
    let sequence = || {
        // SAFETY: the documented signatures.
        let acl = |name: &str, word: usize| unsafe { kit.acl(name, [word, 0, 0, 0, 0, 0, 0, 0]) };
        let mut device = -1i32;
        assert_eq!(acl("aclInit", 0), 100_002, "somebody has");
        assert_eq!(acl("aclrtGetDevice", &raw mut device as usize), 107_002, "no device was set in this thread");
        assert_eq!(acl("aclrtPeekAtLastError", 0), 0, "that was a question");
        assert_eq!(acl("aclrtSetDevice", 0), 0);
        let small = Tensor::filled(kit, &[2], 0i16);
        kit.message();
        assert_eq!(kit.prepare("aclnnTrunc", &[small.handle, small.handle]).err(), Some(INVALID));
        assert_eq!(acl("aclrtPeekAtLastError", 0), 0, "161002 is what a caller has to tell");
        assert!(kit.message().contains("aclnnTrunc: argument [self]: expected one of the data types"));

        assert_eq!(acl("aclrtFree", 64), 107_000, "nobody allocated that");
        assert_eq!(acl("aclrtSetDevice", 0), 0);
        assert_eq!(
            [(); 2].map(|()| acl("aclrtPeekAtLastError", 0)),
            [107_000; 2],
            "neither success nor a look clears it"
        );
        assert_eq!([(); 2].map(|()| acl("aclrtGetLastError", 0)), [107_000, 0], "reading it does");
        kit.message();
    };
    std::thread::scope(|scope| scope.spawn(sequence).join()).expect("a thread that has not set a device");
}

#[test]
fn an_executor_runs_once() {
    let Some(kit) = toolkit() else { return };
    let x = Tensor::filled(kit, &[2], 1f32);
    let prepared = kit.prepare("aclnnNeg", &[x.handle, x.handle]).expect("phase 1");
    assert_eq!(prepared.0, 0, "bytes of workspace");
    assert_eq!(kit.launch("aclnnNeg", prepared, 0), 0);
    assert_ne!(kit.launch("aclnnNeg", prepared, 0), 0, "a second run");
    assert_eq!(kit.launch("aclnnNeg", (0, std::ptr::null_mut()), 0), NULLPTR);
    assert_eq!(kit.synchronize(0), 0);
    x.expect(kit, "one run", &[-1.0, -1.0]);
}

static GATE: AtomicU32 = AtomicU32::new(0);
/// What the second kernel saw.
static SEEN: AtomicU32 = AtomicU32::new(0);

/// Both kernels get the address of a float.
unsafe extern "C" fn writes_seven(args: *const *mut c_void) {
    while GATE.load(Ordering::Acquire) == 0 {
        std::thread::yield_now();
    }
    // SAFETY: the state of the launch.
    unsafe { (*args).cast::<f32>().write(7.0) };
}
unsafe extern "C" fn reads(args: *const *mut c_void) {
    // SAFETY: the state of the launch.
    SEEN.store(unsafe { (*args).cast::<f32>().read() }.to_bits(), Ordering::Release);
}
unsafe extern "C" fn keeps(_: *mut c_void) {}

/// Phase 2 returns while a kernel holds up the stream; then kernels and operators run in the order of the calls.
#[test]
fn operators_run_in_the_order_of_the_stream() {
    let Some(kit) = toolkit() else { return };
    let stream = kit.stream();
    let x = Tensor::new(kit, &[3], &[1f32, 2.0, 3.0]);
    let (twice, sum) = (Tensor::filled(kit, &[3], 0f32), Tensor::filled(kit, &[], 0f32));
    let launch = |kernel: unsafe extern "C" fn(*const *mut c_void), state: usize| {
        let keep = keeps as unsafe extern "C" fn(*mut c_void) as usize;
        // SAFETY: the signature of hostcann/host_abi.h.
        let code = unsafe {
            kit.acl("hc_launch_kernel", [kernel as usize, state, keep, c"gate".as_ptr() as usize, 1, 0, 0, stream])
        };
        assert_eq!(code, 0, "hc_launch_kernel");
    };
    let queue = |name: &str, args: &[usize]| {
        let prepared = kit.prepare(name, args).unwrap_or_else(|code| panic!("{name}: {code}"));
        assert_eq!(kit.launch(name, prepared, stream), 0, "{name}");
    };
    launch(writes_seven, x.memory);
    queue("aclnnMuls", &[x.handle, scalar(kit, 2i64), twice.handle]);
    queue("aclnnInplaceCopy", &[x.handle, twice.handle]);
    queue("aclnnReduceSum", &[x.handle, ints(kit, &[]), 0, 0, sum.handle]);
    launch(reads, sum.memory);
    queue("aclnnInplaceZero", &[sum.handle]);
    x.expect(kit, "before the gate opens", &[1.0, 2.0, 3.0]);
    GATE.store(1, Ordering::Release);
    assert_eq!(kit.synchronize(stream), 0);
    x.expect(kit, "copied", &[14.0, 4.0, 6.0]);
    assert_eq!(f32::from_bits(SEEN.load(Ordering::Acquire)), 24.0, "the sum, as the second kernel read it");
    sum.expect(kit, "zeroed at last", &[0.0]);
}

/// torch_npu's queue takes an error code of phase 2 as its end. An operator that hands its shape back waits for the stream,
/// on which an earlier call has failed: that call's failure belongs to the synchronisation.
#[test]
fn a_failure_of_before_is_left_to_the_synchronisation() {
    let Some(kit) = toolkit() else { return };
    type Queue =
        unsafe extern "C" fn(usize, i32, usize, usize, i32, usize, usize, usize, i32, i32, usize, usize) -> i32;
    let stream = kit.stream();
    let x = Tensor::new(kit, &[3], &[0f32, 1.0, 2.0]);
    let places = Tensor::filled(kit, &[3, 1], 0i64);
    // SAFETY: the documented signature; an operator's name and no operands.
    let code = unsafe {
        let queue = kit.acl.get::<Queue>(b"aclopCompileAndExecute").expect("aclopCompileAndExecute");
        queue(c"LayerNorm".as_ptr() as usize, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, stream)
    };
    assert_eq!(code, 0, "it fails on the stream");
    let prepared = kit.prepare("aclnnNonzero", &[x.handle, places.handle]).expect("phase 1");
    kit.message();
    assert_eq!(kit.launch("aclnnNonzero", prepared, stream), 0, "of aclnnNonzero nothing has failed");
    assert_eq!(kit.synchronize(stream), 507_000);
    let message = kit.message();
    assert!(message.contains("single-operator calls of LayerNorm"), "{message}");
    assert_eq!(kit.synchronize(stream), 0);
}

/// A device reads and writes in any order.
#[test]
fn a_result_over_its_own_operands_is_an_error() {
    let Some(kit) = toolkit() else { return };
    let refused = |name: &str, args: &[usize], operand: &str| {
        let (code, message) = kit.run(name, args).expect_err(name);
        let text = format!("argument [out]: its memory overlaps that of [{operand}]");
        assert!(code == 507_035 && message.contains(&text), "{name}: {code} {message}");
    };
    let x = Tensor::new(kit, &[4], &[0i64, 1, 2, 3]);
    let part = |from: i64, dims: &[i64]| Tensor::<i64>::at(kit, x.memory, 4, dims, &[1], from);
    let (front, back, rest) = (part(0, &[2]), part(2, &[2]), part(1, &[3]));
    refused("aclnnCat", &[list(kit, &[front.handle, back.handle]), 0, x.handle], "tensors");
    refused("aclnnGather", &[rest.handle, 0, front.handle, part(1, &[2]).handle], "self");
    let values = Tensor::new(kit, &[4], &[9i64, 8, 7, 6]);
    refused("aclnnGather", &[values.handle, 0, front.handle, part(1, &[2]).handle], "index");
    x.expect(kit, "untouched", &[0, 1, 2, 3]);
    // Halves of one memory, and a tensor that stays where it is.
    kit.run("aclnnGather", &[values.handle, 0, front.handle, back.handle]).expect("halves");
    x.expect(kit, "gathered", &[0, 1, 9, 8]);
    let nothing = Tensor::<i64>::at(kit, x.memory, 4, &[0], &[1], 1);
    kit.run("aclnnCat", &[list(kit, &[nothing.handle, x.handle]), 0, x.handle]).expect("in place");
    x.expect(kit, "joined", &[0, 1, 9, 8]);
}

/// The tensors may go after phase 2 was called.
#[test]
fn tensors_may_be_destroyed_after_phase_two() {
    let Some(kit) = toolkit() else { return };
    let stream = kit.stream();
    let x = Tensor::filled(kit, &[4], 3i32);
    let prepared = kit.prepare("aclnnInplaceMul", &[x.handle, x.handle]).expect("phase 1");
    assert_eq!(kit.launch("aclnnInplaceMul", prepared, stream), 0);
    // SAFETY: the documented signature.
    unsafe { kit.meta::<unsafe extern "C" fn(usize) -> i32>("aclDestroyTensor")(x.handle) };
    assert_eq!(kit.synchronize(stream), 0);
    assert_eq!(x.storage(kit), [9; 4]);
}

/// The headers, included together, declare every operator with the types that the table says.
#[test]
fn headers_compile_and_declare_the_operators() {
    let Some(_) = toolkit() else { return };
    let mut source = String::new();
    for row in operators().rows {
        source += &format!("#include \"aclnnop/aclnn_{}.h\"\n", row.header);
        let types: Vec<&str> = row.params.iter().filter_map(|param| table::c_type(&param.kind)).collect();
        source += &format!(
            "aclnnStatus (*p1{name})({}, uint64_t*, aclOpExecutor**) = {name}GetWorkspaceSize;\n\
             aclnnStatus (*p2{name})(void*, uint64_t, aclOpExecutor*, aclrtStream) = {name};\n",
            types.join(", "),
            name = row.function
        );
    }
    let file = std::env::temp_dir().join(format!("hostcann-opapi-{}.cpp", std::process::id()));
    std::fs::write(&file, source).expect("the directory for temporary files is writable");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
    let mut command = std::process::Command::new(compiler);
    command.args(["-std=c++17", "-fsyntax-only", "-Wall", "-Werror", "-I"]).arg(home().join("include")).arg(&file);
    let output = command.output();
    std::fs::remove_file(&file).expect("what was written can be removed");
    let output = output.unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// docs/reference/built-in-operators.md below its introduction. `HOSTCANN_UPDATE_INTERFACES=1` writes it. The READMEs say how
/// many there are.
#[test]
fn the_document_lists_the_operators() {
    const TABLE: &str = "<!-- made from hostcann/opapi/operators.txt -->\n";
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let path = root.join("docs/reference/built-in-operators.md");
    let old = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (head, _) = old.split_once(TABLE).unwrap_or_else(|| panic!("{}: no line {TABLE}", path.display()));
    let table = operators();
    let mut new = format!(
        "{head}{TABLE}\n{} functions:\n\n| Function | Parameters | Data types |\n|---|---|---|\n",
        table.rows.len()
    );
    for row in &table.rows {
        let params: Vec<String> =
            row.params.iter().map(|p| format!("{}{}", p.name, if p.optional { "?" } else { "" })).collect();
        new += &format!("| `{}` | {} | {} |\n", row.function, params.join(", "), row.types);
    }
    new += "\n| Data types | |\n|---|---|\n";
    for (name, members) in &table.sets {
        new += &format!("| {name} | {} |\n", members.join(", "));
    }
    if std::env::var_os("HOSTCANN_UPDATE_INTERFACES").is_some() {
        std::fs::write(&path, &new).expect("the document is writable");
    } else {
        assert!(old == new, "{} does not fit the table; HOSTCANN_UPDATE_INTERFACES=1 writes it", path.display());
    }
    let number = table.rows.len();
    for (name, words) in [
        ("README.md", format!("[{number} of CANN's built-in functions]")),
        ("README.zh.md", format!("[{number}个内置接口]")),
    ] {
        let text = std::fs::read_to_string(root.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(text.contains(&words), "{name}: expected {words}, which the table has");
    }
}
