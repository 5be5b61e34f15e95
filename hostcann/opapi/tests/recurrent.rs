//! LSTM as single operators (aclopCompileAndExecuteV2): the passes against plain arithmetic, their gradients against differences of
//! it.

mod toolkit;

use std::ffi::{CString, c_char, c_void};
use std::ptr::null;
use toolkit::{Element, Tensor, Toolkit, toolkit};

const TIME: usize = 3;
const BATCH: usize = 2;
const WIDTH: usize = 4;
const HIDDEN: usize = 3;
const STEPS: usize = TIME * BATCH * HIDDEN;
const STATE: usize = BATCH * HIDDEN;
/// ACL_DT_UNDEFINED: an operand that is not given.
const ABSENT: i32 = -1;

/// What goes in, in the order of [`NAMES`]: x, weights of input and hidden state, bias, first hidden state and cell.
type Values = [Vec<f64>; 6];
const NAMES: [&str; 6] = ["x", "weight of x", "weight of h", "bias", "first h", "first c"];
const SIZES: [usize; 6] = [TIME * BATCH * WIDTH, WIDTH * 4 * HIDDEN, HIDDEN * 4 * HIDDEN, 4 * HIDDEN, STATE, STATE];

/// Small numbers without a pattern, exact in float32.
fn numbers(seed: usize, count: usize) -> Vec<f64> {
    (0..count).map(|i| ((i * 37 + seed * 101) % 61) as f64 / 32.0 - 0.9375).collect()
}

/// Of each step: hidden states, cells, gates i, j, f, o and tanh of the cell. Gates lie as i, f, j, o in the weights.
fn lstm(values: &Values, reversed: bool) -> [Vec<f64>; 7] {
    let [x, of_x, of_h, bias, first_h, first_c] = values;
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let (mut h, mut c) = (first_h.clone(), first_c.clone());
    let mut kept = [(); 7].map(|()| vec![0.0; STEPS]);
    for order in 0..TIME {
        let step = if reversed { TIME - 1 - order } else { order };
        let before = h.clone();
        for row in 0..BATCH {
            let gate = |at: usize| {
                let column = |weight: &[f64], i: usize| weight[i * 4 * HIDDEN + at];
                let from_x: f64 = (0..WIDTH).map(|i| x[(step * BATCH + row) * WIDTH + i] * column(of_x, i)).sum();
                let from_h: f64 = (0..HIDDEN).map(|i| before[row * HIDDEN + i] * column(of_h, i)).sum();
                from_x + from_h + bias[at]
            };
            for k in 0..HIDDEN {
                let own = row * HIDDEN + k;
                let (i, f) = (sigmoid(gate(k)), sigmoid(gate(HIDDEN + k)));
                let (j, o) = (gate(2 * HIDDEN + k).tanh(), sigmoid(gate(3 * HIDDEN + k)));
                c[own] = f * c[own] + i * j;
                h[own] = o * c[own].tanh();
                let all = [h[own], c[own], i, j, f, o, c[own].tanh()];
                kept.iter_mut().zip(all).for_each(|(list, value)| list[step * STATE + own] = value);
            }
        }
    }
    kept
}

fn inputs() -> Values {
    let mut seed = 0;
    SIZES.map(|count| {
        seed += 1;
        numbers(seed, count)
    })
}

fn narrow(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&value| value as f32).collect()
}

/// A float32 operand, or none.
struct Operand {
    desc: usize,
    buffer: usize,
}

fn function<T: Copy>(kit: &Toolkit, name: &str) -> T {
    // SAFETY: the callers name the documented types.
    *unsafe { kit.acl.get::<T>(name.as_bytes()) }.unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn described(kit: &Toolkit, dims: &[i64], dtype: i32, memory: usize, bytes: usize) -> Operand {
    type Describe = unsafe extern "C" fn(i32, i32, *const i64, i32) -> usize;
    type Hold = unsafe extern "C" fn(usize, usize) -> usize;
    // SAFETY: the documented signatures; 2: format ND.
    unsafe {
        let desc = function::<Describe>(kit, "aclCreateTensorDesc")(dtype, dims.len() as i32, dims.as_ptr(), 2);
        Operand { desc, buffer: function::<Hold>(kit, "aclCreateDataBuffer")(memory, bytes) }
    }
}

fn absent(kit: &Toolkit) -> Operand {
    described(kit, &[], ABSENT, 0, 0)
}

fn operand(kit: &Toolkit, tensor: &Tensor<f32>, dims: &[usize]) -> Operand {
    let dims: Vec<i64> = dims.iter().map(|&dim| dim as i64).collect();
    described(kit, &dims, f32::DTYPE, tensor.memory, dims.iter().product::<i64>() as usize * 4)
}

/// Calls the operator as torch_npu does, and waits; the message of a failure.
fn run(
    kit: &Toolkit,
    name: &str,
    inputs: &[Operand],
    outputs: &[Operand],
    texts: &[(&str, &str)],
) -> Result<(), String> {
    type Make = unsafe extern "C" fn() -> *mut c_void;
    type SetText = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> i32;
    type SetFloat = unsafe extern "C" fn(*mut c_void, *const c_char, f32) -> i32;
    type Execute = unsafe extern "C" fn(
        *const c_char,
        i32,
        *const usize,
        *const usize,
        i32,
        *const usize,
        *const usize,
        *const c_void,
        i32,
        i32,
        *const c_char,
        usize,
    ) -> i32;
    let text = |text: &str| CString::new(text).expect("no zero");
    let split = |all: &[Operand]| -> (Vec<usize>, Vec<usize>) { all.iter().map(|one| (one.desc, one.buffer)).unzip() };
    let ((from, held), (to, kept)) = (split(inputs), split(outputs));
    let stream = kit.stream();
    kit.message();
    // SAFETY: the documented signatures; what they point to lives until the stream has run.
    let code = unsafe {
        let attr = function::<Make>(kit, "aclopCreateAttr")();
        for (key, value) in texts {
            let (key, value) = (text(key), text(value));
            assert_eq!(function::<SetText>(kit, "aclopSetAttrString")(attr, key.as_ptr(), value.as_ptr()), 0);
        }
        assert_eq!(function::<SetFloat>(kit, "aclopSetAttrFloat")(attr, c"keep_prob".as_ptr(), 1.0), 0);
        let (name, execute) = (text(name), function::<Execute>(kit, "aclopCompileAndExecuteV2"));
        let (a, b, c, d) = (from.as_ptr(), held.as_ptr(), to.as_ptr(), kept.as_ptr());
        let (count, made) = (inputs.len() as i32, outputs.len() as i32);
        match execute(name.as_ptr(), count, a, b, made, c, d, attr, 0, 0, null(), stream) {
            0 => kit.synchronize(stream),
            code => code,
        }
    };
    if code == 0 { Ok(()) } else { Err(kit.message()) }
}

const ORDER: (&str, &str) = ("gate_order", "ifjo");

fn near(what: &str, got: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len(), "{what}");
    for (i, (&got, &expected)) in got.iter().zip(expected).enumerate() {
        assert!((f64::from(got) - expected).abs() <= tolerance, "{what}: element {i}: got {got}, expected {expected}");
    }
}

/// y, output_h, output_c, i, j, f, o, tanhc.
fn forward(kit: &Toolkit, name: &str, values: &Values, direction: &str) -> Result<Vec<Tensor<f32>>, String> {
    let new = |values: &[f64]| Tensor::new(kit, &[values.len() as i64], &narrow(values));
    let stacked = [&values[1][..], &values[2][..]].concat();
    let tensors: Vec<Tensor<f32>> = values.iter().chain([&stacked]).map(|all| new(all)).collect();
    let gates = 4 * HIDDEN;
    let x = operand(kit, &tensors[0], &[TIME, BATCH, WIDTH]);
    let weights = match name {
        "DynamicRNN" => vec![operand(kit, &tensors[6], &[WIDTH + HIDDEN, gates])],
        _ => vec![operand(kit, &tensors[1], &[WIDTH, gates]), operand(kit, &tensors[2], &[HIDDEN, gates])],
    };
    let bias = operand(kit, &tensors[3], &[gates]);
    let states = [4, 5].map(|at| operand(kit, &tensors[at], &[1, BATCH, HIDDEN]));
    let inputs: Vec<Operand> = [x].into_iter().chain(weights).chain([bias, absent(kit)]).chain(states).collect();
    let made: Vec<Tensor<f32>> = (0..8).map(|_| Tensor::filled(kit, &[STEPS as i64], f32::NAN)).collect();
    let outputs: Vec<Operand> = made.iter().map(|one| operand(kit, one, &[TIME, BATCH, HIDDEN])).collect();
    run(kit, name, &inputs, &outputs, &[ORDER, ("direction", direction), ("cell_type", "LSTM")])?;
    Ok(made)
}

#[test]
fn both_forms_and_both_directions_are_the_arithmetic() {
    let Some(kit) = toolkit() else { return };
    let values = inputs();
    for (direction, reversed) in [("UNIDIRECTIONAL", false), ("REDIRECTIONAL", true)] {
        let [h, c, i, j, f, o, tanh] = lstm(&values, reversed);
        for name in ["DynamicRNN", "DynamicRNNV2"] {
            let made = forward(kit, name, &values, direction).expect(name);
            let expected =
                [("y", &h), ("h", &h), ("c", &c), ("i", &i), ("j", &j), ("f", &f), ("o", &o), ("tanhc", &tanh)];
            for (made, (what, expected)) in made.iter().zip(expected) {
                near(&format!("{name} {direction}: {what}"), &made.read(kit), expected, 1e-6);
            }
        }
    }
}

/// A loss: the output and the last states, weighted.
fn loss(values: &Values, weights: &[Vec<f64>; 3]) -> f64 {
    let [h, c, ..] = lstm(values, false);
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    sum(&h, &weights[0]) + sum(&h[STEPS - STATE..], &weights[1]) + sum(&c[STEPS - STATE..], &weights[2])
}

#[test]
fn gradients_are_the_differences() {
    let Some(kit) = toolkit() else { return };
    let values = inputs();
    let weights = [numbers(7, STEPS), numbers(8, STATE), numbers(9, STATE)];
    let differences: Vec<Vec<f64>> = (0..6)
        .map(|which| {
            let moved = |at: usize, by: f64| {
                let mut values = values.clone();
                values[which][at] += by;
                loss(&values, &weights)
            };
            (0..SIZES[which]).map(|at| (moved(at, 1e-5) - moved(at, -1e-5)) / 2e-5).collect()
        })
        .collect();
    let new = |values: &[f64]| Tensor::new(kit, &[values.len() as i64], &narrow(values));
    let given: Vec<Tensor<f32>> = values.iter().chain(&weights).map(|all| new(all)).collect();
    let stacked = new(&[&values[1][..], &values[2][..]].concat());
    let (gates, steps, state) = (4 * HIDDEN, [TIME, BATCH, HIDDEN], [1, BATCH, HIDDEN]);
    let (of_x, of_h, whole) = ([WIDTH, gates], [HIDDEN, gates], [WIDTH + HIDDEN, gates]);
    for (name, forms) in [("DynamicRNNV2Grad", 2), ("DynamicRNNGrad", 1)] {
        let kept = forward(kit, name.trim_end_matches("Grad"), &values, "UNIDIRECTIONAL").expect(name);
        let [y, h, c, i, j, f, o, tanh] = [0, 1, 2, 3, 4, 5, 6, 7].map(|at| operand(kit, &kept[at], &steps));
        let x = operand(kit, &given[0], &[TIME, BATCH, WIDTH]);
        let states = [4, 5].map(|at| operand(kit, &given[at], &state));
        let grads = [(6, &steps), (7, &state), (8, &state)].map(|(at, dims)| operand(kit, &given[at], dims));
        let of_weights = match forms {
            2 => vec![operand(kit, &given[1], &of_x), operand(kit, &given[2], &of_h)],
            _ => vec![operand(kit, &stacked, &whole), operand(kit, &given[3], &[gates])],
        };
        let inputs: Vec<Operand> = [x]
            .into_iter()
            .chain(of_weights)
            .chain([y])
            .chain(states)
            .chain([h, c])
            .chain(grads)
            .chain([i, j, f, o, tanh])
            .collect();
        let sizes = [SIZES[1] + SIZES[2], SIZES[1], SIZES[2], SIZES[3], SIZES[0], STATE, STATE];
        let made = sizes.map(|count| Tensor::filled(kit, &[count as i64], f32::NAN));
        let rest = [(3, vec![gates]), (4, vec![TIME, BATCH, WIDTH]), (5, state.to_vec()), (6, state.to_vec())];
        let first = if forms == 2 { vec![(1, of_x.to_vec()), (2, of_h.to_vec())] } else { vec![(0, whole.to_vec())] };
        let outputs: Vec<Operand> =
            first.into_iter().chain(rest).map(|(at, dims)| operand(kit, &made[at], &dims)).collect();
        run(kit, name, &inputs, &outputs, &[ORDER]).expect(name);
        let both = [made[1].read(kit), made[2].read(kit)].concat();
        let of_weights = if forms == 2 { both } else { made[0].read(kit) };
        let (dw, dh) = of_weights.split_at(SIZES[1]);
        let [bias, dx, first_h, first_c] = [3, 4, 5, 6].map(|at: usize| made[at].read(kit));
        let got = [dx, dw.to_vec(), dh.to_vec(), bias, first_h, first_c];
        for (got, (what, expected)) in got.iter().zip(NAMES.iter().zip(&differences)) {
            near(&format!("{name}: {what}"), got, expected, 2e-5);
        }
    }
}

#[test]
fn what_the_host_has_not_is_refused_by_name() {
    let Some(kit) = toolkit() else { return };
    let values = inputs();
    let refused = |texts: &[(&str, &str)], text: &str| {
        let said = run(kit, "DynamicRNN", &[], &[], texts).expect_err(text);
        assert!(said.contains(text), "{said}");
    };
    refused(&[ORDER], "DynamicRNN: expected at most 10 inputs and 8 outputs, got 0 and 0");
    let said = forward(kit, "DynamicRNNV3", &values, "UNIDIRECTIONAL").err().expect("no such operator");
    assert!(said.contains("single-operator calls of DynamicRNNV3 are not supported by the host toolkit"), "{said}");
    assert!(said.contains("Identity, DynamicRNN, DynamicRNNV2, DynamicRNNGrad, DynamicRNNV2Grad for them"), "{said}");
    assert!(said.contains("Compute this part on the CPU"), "{said}");
    let said = forward(kit, "DynamicRNN", &values, "BIDIRECTIONAL").err().expect("one direction only");
    assert!(said.contains("attribute [direction]: expected UNIDIRECTIONAL or REDIRECTIONAL"), "{said}");
    let memory = Tensor::filled(kit, &[4], 0f32);
    let short = described(kit, &[2, 3], f32::DTYPE, memory.memory, 16);
    let said = run(kit, "DynamicRNN", &[short], &[], &[ORDER]).expect_err("a short buffer");
    assert!(said.contains("an operand of shape [2, 3] and data type 0 lies in a buffer of 16 bytes"), "{said}");
}
