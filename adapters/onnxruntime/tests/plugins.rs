//! The operator's plug-ins for GE, compiled with stand-ins of the headers that they use, on models made by `onnx`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const DT_FLOAT: &str = "0";
const DT_INT32: &str = "3";
const UNSIGNED: [&str; 4] = ["4", "7", "8", "10"];

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

struct Harness(PathBuf);

impl Harness {
    fn build() -> Harness {
        let plugins = here().join("../../../experimental/math/fmod/framework");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugins");
        let output = Command::new(std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned()))
            .args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-I"])
            .arg(here().join("ge"))
            .args(["fmod_onnx_plugin.cpp", "fmod_tf_plugin.cpp"].map(|file| plugins.join(file)))
            .arg(here().join("ge/harness.cpp"))
            .arg("-o")
            .arg(&program)
            .output()
            .expect("a C++ compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Harness(program)
    }

    fn parse(&self, model: &str, dtype: &str) -> String {
        let path = if model == "-" { PathBuf::from(model) } else { here().join("models").join(model) };
        text(&Command::new(&self.0).arg(path).arg(dtype).output().expect("run"))
    }
}

#[test]
fn plugins_for_ge() {
    let harness = Harness::build();
    // FrameworkType: ONNX is 5, TENSORFLOW 3, whose Mod and TruncateMod "emulate C semantics" (tf.raw_ops.Mod).
    let onnx: String = (10..=18).map(|opset| format!(" ai.onnx::{opset}::Mod")).collect();
    let registered = text(&Command::new(&harness.0).output().expect("run"));
    assert_eq!(registered, format!("Fmod of 5, parsed, TVM:{onnx}\nFmod of 3, mapped, TVM: Mod TruncateMod\n"));

    let refused = "node_0: Mod with fmod=0 takes the sign of the divisor, Fmod that of the dividend; only fmod=1 is \
                   supported\nFAILED\n";
    for opset in [10, 13, 18] {
        for dtype in [DT_FLOAT, DT_INT32, UNSIGNED[0]] {
            assert_eq!(harness.parse(&format!("mod_{opset}_one.onnx"), dtype), "SUCCESS\n", "{opset} {dtype}");
        }
        for name in ["zero", "absent"] {
            let model = format!("mod_{opset}_{name}.onnx");
            assert_eq!(harness.parse(&model, DT_INT32), refused, "{model}");
            // What GE has not inferred yet is float.
            assert_eq!(harness.parse(&model, DT_FLOAT), refused, "{model}");
            for dtype in UNSIGNED {
                assert_eq!(harness.parse(&model, dtype), "SUCCESS\n", "{model} {dtype}");
            }
        }
    }
    assert_eq!(harness.parse("-", DT_FLOAT), "node_0: the source of the operator is no node of ONNX\nFAILED\n");
}
