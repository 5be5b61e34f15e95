//! What is read of a launch.

use super::*;
use crate::base::diag;

/// Two cores at 1800 MHz: 18000 and 14400 cycles, 10 and 8 us.
pub const LINE: &str = r#"{"kernel":"Add_k_3","tiling_key":3,"soc":"Ascend910B3","mode":"warm","blocks":2,"simulated":2,
    "error":{"class":"element-wise, long calls","percent":4.0,"source":"held-out kernels"},
    "ai_cores":20,"mhz":1800.0,"ub_size":196608,"task_us":11.25,"launch_us":1.25,"bound":"vector",
    "cores":[{"core":0,"cycles":18000,"vec":9000,"scalar":1800,"mte2":4500,"mte3":3600},
             {"core":1,"cycles":14400,"vec":7200,"scalar":1800,"mte2":4500,"mte3":3600}],
    "bytes":{"read":9000000,"write":4500000,"l2_hit":9000000,"hbm_read":0,"hbm_write":4500000},
    "vec_ops":2250000.0,"roofs":{"vec_gops":230.4,"l2_gbs":6400.0,"hbm_gbs":1400.0},
    "conflicts":[{"op":"Add","kind":"read-read","line":"op_kernel/add.h:52","operands":["src0","src1"],"at":[0,16384],"repeats":64,
                  "cycles":64}],
    "lines":[{"line":"op_kernel/add.h:52","pipe":"V","instructions":4,"cycles":600}],
    "what_if":[{"kind":"balance","task_us":10.125},
               {"kind":"no-bank-conflict","line":"op_kernel/add.h:52","task_us":9.0}],
    "trace":[{"core":0,"events":[
        {"pipe":"S","name":"SetFlag","start":10,"end":11},
        {"pipe":"MTE2","name":"DataCopyPad","start":100,"end":400,"line":"op_kernel/add.h:40","args":{"bytes":16384}},
        {"pipe":"V","name":"Add","start":400,"end":550,"line":"op_kernel/add.h:52","args":{"repeats":64}}],
      "flows":[{"name":"MTE2_V:0","from":1,"to":2}],
      "ub":[[0,0],[90,16384],[560,0]],
      "buffers":[{"addr":0,"bytes":16384,"name":"queue 1"},{"addr":16384,"bytes":16384,"name":"queue 2"}]}]}"#;

pub fn launch() -> Launch {
    serde_json::from_str(LINE).unwrap_or_else(|error| panic!("{error}"))
}

/// As large as the L2.
pub fn at_the_edge() -> Launch {
    let error = ErrorBar { class: "near the size of the L2".into(), ..ErrorBar::default() };
    let l2_edge = L2Edge { part: 1.0, fits_us: 11.25, misses_us: 178.6 };
    Launch { error: Some(error), l2_edge: Some(l2_edge), ..launch() }
}

#[test]
fn times_and_ratios() {
    let launch = launch();
    assert_eq!(launch.core_us(), Spread { min: 8.0, mean: 9.0, max: 10.0 });
    assert_eq!(launch.pipe_us(0), Spread { min: 4.0, mean: 4.5, max: 5.0 });
    assert_eq!((0..4).map(|pipe| launch.pipe_ratio(pipe)).collect::<Vec<_>>(), [0.5, 1.0 / 9.0, 2.5 / 9.0, 2.0 / 9.0]);
    assert_eq!((launch.gbs(launch.bytes.read), launch.gbs(0)), (800.0, 0.0));
    assert_eq!(launch.what_if.iter().map(|what| launch.gain(what)).collect::<Vec<_>>(), [0.1, 0.2]);
}

#[test]
fn short_names_and_tensors() {
    let tensor = |name: &str, shape: &[i64]| Tensor {
        name: name.into(),
        dtype: Some("float32".into()),
        shape: Some(shape.to_vec()),
    };
    let list = Tensor { name: "input 1 (xs)".into(), ..Tensor::default() };
    let tensors = vec![tensor("input 0 (x)", &[4, 1]), list, tensor("output 0 (y)", &[])];
    let known = Launch { op: Some(Op { kind: "Fmod".into(), tensors }), ..Launch::default() };
    assert_eq!((known.name().as_str(), known.tensors().as_str()), ("Fmod", "float32[4, 1], ? -> float32[]"));
    let kernel = "Fmod_a4502c9194702bf35b8c97e190484246_high_performance_0".to_owned();
    let other = Launch { kernel, ..Launch::default() };
    assert_eq!((other.name().as_str(), other.tensors().as_str()), ("Fmod_high_performance_0", ""));
}

#[test]
fn a_launch_without_cores_has_no_times() {
    let empty = Launch::default();
    assert_eq!((empty.core_us(), empty.pipe_ratio(0), empty.gbs(5)), (Spread::default(), 0.0, 0.0));
}

#[test]
fn lines_of_a_file() {
    let one = LINE.replace('\n', " ");
    assert_eq!(read(&format!("{one}\n{one}\n")).expect("launches"), [launch(), launch()]);
    assert_eq!(read("").expect("no launch"), []);
    let error = read(r#"{"kernel":"k","error":"Sort32<int8_t> has no row"}"#).expect_err("no cost");
    assert_eq!(diag::causes(&error)[0], "the model cannot say what k costs: Sort32<int8_t> has no row");
    let error = read(&format!("{one}\n{{\n")).expect_err("cut off");
    assert_eq!(error.to_string(), "line 2 of the model's file is not what is expected");
}

#[test]
fn how_far_a_time_may_be_off() {
    assert_eq!((launch().us_text().as_str(), launch().longest_us()), ("11.25", 11.25));
    assert_eq!(launch().error_text(), "± 4 % (element-wise, long calls)");
    let edge = at_the_edge();
    assert_eq!((edge.us_text().as_str(), edge.longest_us()), ("11.25 to 178.60", 178.6));
    assert_eq!(edge.error_text(), "no error known (near the size of the L2)");
    assert_eq!(Launch::default().error_text(), "", "nothing was said");
}
