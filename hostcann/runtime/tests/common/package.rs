//! An installed operator package with the kernels of `tests/kernels/scale.cpp`, and launches of them.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

use crate::common::*;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::null_mut;
use std::sync::OnceLock;

const OPS_INFO: &str = r#"{"Scale": {"opFile": {"value": "scale"},
 "input0": {"name": "x1", "dtype": "float32", "format": "ND", "paramType": "required"},
 "input1": {"name": "x2", "dtype": "float32", "format": "ND", "paramType": "optional"},
 "output0": {"name": "y", "dtype": "float32", "format": "ND", "paramType": "required"}}}"#;
const BIN_LIST: &str = r#"{"binList": [{"inputs": [{"dtype": "float32", "format": "ND"},
 {"dtype": "float32", "format": "ND"}], "outputs": [{"dtype": "float32", "format": "ND"}],
 "binInfo": {"jsonFilePath": "ascend910b/scale/Scale_k.json"}}]}"#;
const KEYS: u64 = 14;

fn install(vendor: &Path) {
    let tbe = vendor.join("op_impl/ai_core/tbe");
    let write = |path: &str, text: &str| {
        let path = tbe.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let keys: Vec<String> = (0..KEYS).map(|key| format!(r#"{{"kernelName": "Scale_k_{key}"}}"#)).collect();
    write("config/ascend910b/aic-ascend910b-ops-info.json", OPS_INFO);
    write("kernel/config/ascend910b/scale.json", BIN_LIST);
    let metadata = r#"{"binFileName": "Scale_k", "binFileSuffix": ".o", "kernelName": "Scale_k", "kernelList": ["#;
    write("kernel/ascend910b/scale/Scale_k.json", &format!("{metadata}{}]}}", keys.join(", ")));
    let output = Command::new("g++")
        .args(["-std=c++17", "-O2", "-g1", "-fno-rtti", "-ffp-contract=off", "-fno-optimize-sibling-calls"])
        .args(["-D__NPU_ARCH__=2201", "-D__CCE_AICORE__=220", "-D__DAV_C220_VEC__=1", "-DASCENDC_TPL_KERNEL"])
        .args(["-fPIC", "-shared", "-I"])
        .arg(manifest("../include"))
        .arg("-o")
        .arg(tbe.join("kernel/ascend910b/scale/Scale_k.o"))
        .arg(manifest("tests/kernels/scale.cpp"))
        .arg(format!("-L{}", root().join("lib64").display()))
        .arg("-lascendcl")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The library under these variables, with the package installed. One set of variables per test program.
pub fn set_up(variables: &[(&str, &str)]) -> &'static Api {
    static OPP: OnceLock<PathBuf> = OnceLock::new();
    OPP.get_or_init(|| {
        let opp = kept_dir("opp");
        install(&opp.join("vendors/test_math"));
        std::fs::write(opp.join("vendors/config.ini"), "load_priority=test_math\n").unwrap();
        // Before any other thread of this process reads the environment: every test starts here.
        unsafe {
            std::env::set_var("ASCEND_OPP_PATH", &opp);
            std::env::remove_var("ASCEND_CUSTOM_OPP_PATH");
            for name in ["CHECK", "TIME_LIMIT", "TRACE", "AUTO_SYNC", "FLIP", "DIV_ULP", "FMA", "FTZ", "SATURATION"] {
                std::env::remove_var(format!("HOSTCANN_{name}"));
            }
            for (name, value) in variables {
                std::env::set_var(name, value);
            }
        }
        opp
    });
    ready()
}

/// Tiling data of the kernels as their function leaves it in a buffer that was full of `fill`.
pub struct Tiling {
    pub bytes: Vec<u8>,
}

impl Tiling {
    pub fn new(fill: u8) -> Tiling {
        Tiling { bytes: vec![fill; 16] }
    }
    /// Writes 4 bytes.
    pub fn set(mut self, at: usize, value: u32) -> Tiling {
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        self
    }
    pub fn count(self, count: u32) -> Tiling {
        self.set(4, count)
    }
    pub fn scale(self, scale: f32) -> Tiling {
        self.set(8, scale.to_bits())
    }
}

pub struct Scale<'a> {
    pub key: u64,
    pub blocks: u32,
    pub tiling: &'a [u8],
    pub other: Option<&'a [u8]>,
    pub workspace: u64,
    pub x1: (Handle, u64),
    pub x2: Option<(Handle, u64)>,
    pub y: (Handle, u64),
}

impl Scale<'_> {
    /// Runs it on a stream and gives the status and the message: of the plan if that refuses it, else of the
    /// synchronisation.
    pub fn run(&self) -> (i32, String) {
        let (api, stream) = (api(), Stream::new());
        let types = [TensorType { present: 1, dtype: 0, format: 2 }; 2];
        let mut binary = null_mut();
        let code =
            unsafe { (api.hc_find_kernel)(c"Scale".as_ptr(), types.as_ptr(), 2, types.as_ptr(), 1, &mut binary) };
        assert_eq!(code, 0, "{}", message());
        unsafe {
            let plan = (api.hc_plan_new)();
            let operand = |tensor: Option<(Handle, u64)>| match tensor {
                None => Operand { present: 0, storage: 0, byte_offset: 0, bytes: 0, view: 0 },
                Some((address, bytes)) => {
                    let storage = (api.hc_plan_add_external)(plan, address);
                    Operand { present: 1, storage, byte_offset: 0, bytes, view: 0 }
                }
            };
            let inputs = [operand(Some(self.x1)), operand(self.x2)];
            let output = operand(Some(self.y));
            let launch = Launch {
                tiling_key: self.key,
                block_dim: self.blocks,
                need_atomic: 0,
                tiling_data: self.tiling.as_ptr().cast(),
                tiling_size: self.tiling.len() as u64,
                tiling_other: self.other.map_or(std::ptr::null(), |o| o.as_ptr().cast()),
                workspaces: &raw const self.workspace,
                workspace_num: u64::from(self.workspace > 0),
            };
            let code = (api.hc_plan_add_kernel)(plan, binary, &launch, inputs.as_ptr(), 2, &output, 1);
            if code != 0 {
                (api.hc_plan_free)(plan);
                return (code, message());
            }
            let bytes = (api.hc_plan_workspace_size)(plan);
            let workspace = DeviceBuffer::new(bytes.max(1) as usize);
            assert_eq!((api.hc_plan_run)(plan, workspace.0, bytes, stream.0), 0, "{}", message());
            (api.hc_plan_free)(plan);
            match std::env::var("HOSTCANN_TEST_UNFETCHED").as_deref() {
                Err(_) => (stream.sync(), message()),
                Ok(left) => {
                    while !stream.is_done() {
                        std::thread::yield_now();
                    }
                    if left == "alive" {
                        std::mem::forget(stream);
                    }
                    (0, message())
                }
            }
        }
    }
}

/// y = 2x over eight elements.
#[allow(dead_code)] // not every test program has so plain a launch
pub fn launch() {
    let tiling = Tiling::new(0).count(8).scale(2.0);
    let (x, y) = (DeviceBuffer::from(&[3f32; 8]), DeviceBuffer::from(&[0f32; 8]));
    let (x1, y1) = ((x.0, 32), (y.0, 32));
    let scale = Scale { key: 0, blocks: 1, tiling: &tiling.bytes, other: None, workspace: 0, x1, x2: None, y: y1 };
    let (code, text) = scale.run();
    assert_eq!((code, text.as_str()), (0, ""));
    assert_eq!(y.read::<f32>(8), [6.0; 8]);
}
