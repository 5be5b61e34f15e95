//! Operators over lists of tensors, losses of labels, and random numbers.

mod toolkit;

use toolkit::{INVALID, Tensor, Toolkit, list, scalar, toolkit};

fn pair(kit: &Toolkit, first: [f32; 2], second: f32) -> [Tensor<f32>; 2] {
    [Tensor::new(kit, &[2], &first), Tensor::new(kit, &[1], &[second])]
}

fn handles<const N: usize>(kit: &Toolkit, tensors: &[Tensor<f32>; N]) -> usize {
    list(kit, &tensors.each_ref().map(|tensor| tensor.handle))
}

#[test]
fn every_place_of_a_list_is_a_call() {
    let Some(kit) = toolkit() else { return };
    let half = || scalar(kit, 0.5f64);
    type Case<'a> = (&'a str, &'a [usize], [f32; 2], f32);
    let (x, y, z) = (pair(kit, [6.0, -2.0], 8.0), pair(kit, [3.0, 4.0], 0.25), pair(kit, [2.0, -4.0], 0.5));
    let (a, b, c) = (handles(kit, &x), handles(kit, &y), handles(kit, &z));
    let cases: [Case; 11] = [
        ("aclnnForeachAddListV2", &[a, b, half()], [7.5, 0.0], 8.125),
        ("aclnnForeachAddScalarV2", &[a, half()], [6.5, -1.5], 8.5),
        ("aclnnForeachSubListV2", &[a, b, half()], [4.5, -4.0], 7.875),
        ("aclnnForeachSubScalarV2", &[a, half()], [5.5, -2.5], 7.5),
        ("aclnnForeachMulScalarV2", &[a, half()], [3.0, -1.0], 4.0),
        ("aclnnForeachDivScalarV2", &[a, half()], [12.0, -4.0], 16.0),
        ("aclnnForeachAddcmulScalarV2", &[a, b, c, half()], [9.0, -10.0], 8.0625),
        ("aclnnForeachAddcdivScalarV2", &[a, b, c, half()], [6.75, -2.5], 8.25),
        ("aclnnForeachMaximumScalarV2", &[a, half()], [6.0, 0.5], 8.0),
        ("aclnnForeachMinimumScalarV2", &[a, half()], [0.5, -2.0], 0.5),
        ("aclnnForeachPowScalarV2", &[a, scalar(kit, 2.0f64)], [36.0, 4.0], 64.0),
    ];
    for (name, args, first, second) in cases {
        let out = pair(kit, [0.0; 2], 0.0);
        kit.run(name, &[args, &[handles(kit, &out)]].concat())
            .unwrap_or_else(|(code, text)| panic!("{name}: {code} {text}"));
        out[0].expect(kit, name, &first);
        out[1].expect(kit, name, &[second]);
    }
    // In place: what is read is what is written.
    kit.run("aclnnForeachMulScalarV2", &[a, half(), a]).expect("in place");
    x[0].expect(kit, "in place", &[3.0, -1.0]);
    x[1].expect(kit, "in place", &[4.0]);
}

#[test]
fn lists_that_do_not_fit_are_named() {
    let Some(kit) = toolkit() else { return };
    let (x, y) = (pair(kit, [1.0; 2], 1.0), [Tensor::filled(kit, &[2], 1f32)]);
    let (two, one, alpha) = (handles(kit, &x), handles(kit, &y), scalar(kit, 1i64));
    let refused = |args: [usize; 4], text: &str| {
        let (code, message) = kit.run("aclnnForeachAddListV2", &args).expect_err(text);
        assert!(code == INVALID && message.contains(text), "{code} {message}");
    };
    refused([two, one, alpha, two], "argument [x2]: expected 2 tensors as [x1] has, got 1");
    refused([two, two, alpha, one], "argument [out]: expected 2 tensors as [x1] has, got 1");
    let turned = list(kit, &[x[1].handle, x[0].handle]);
    refused([two, two, alpha, turned], "argument [out]: expected shape [2], got [1]");
}

/// -w[label] * x[label] by hand, and its gradient.
#[test]
fn negative_log_likelihood() {
    let Some(kit) = toolkit() else { return };
    let x = Tensor::new(kit, &[3, 2], &[-1f32, -2.0, -3.0, -4.0, -5.0, -6.0]);
    let (labels, weight) = (Tensor::new(kit, &[3], &[1i64, 0, 7]), Tensor::new(kit, &[2], &[2f32, 3.0]));
    let ignored = 7;
    for (reduction, result, gradient) in [
        (0, &[6f32, 6.0, 0.0][..], [0f32, -3.0, -2.0, 0.0, 0.0, 0.0]),
        (1, &[2.4], [0.0, -0.6, -0.4, 0.0, 0.0, 0.0]),
        (2, &[12.0], [0.0, -3.0, -2.0, 0.0, 0.0, 0.0]),
    ] {
        let dims: &[i64] = if reduction == 0 { &[3] } else { &[] };
        let (out, total) = (Tensor::filled(kit, dims, 0f32), Tensor::filled(kit, &[], 0f32));
        let args = [x.handle, labels.handle, weight.handle, reduction, ignored];
        kit.run("aclnnNLLLoss", &[&args[..], &[out.handle, total.handle]].concat()).expect("forward");
        out.expect(kit, "loss", result);
        total.expect(kit, "the weights that count", &[5.0]);
        let (ones, back) = (Tensor::filled(kit, dims, 1f32), Tensor::filled(kit, &[3, 2], 9f32));
        let args = [&[ones.handle], &args[..], &[total.handle, back.handle]].concat();
        kit.run("aclnnNLLLossBackward", &args).expect("backward");
        back.expect(kit, "gradient", &gradient);
    }
    let (out, total) = (Tensor::filled(kit, &[], 0f32), Tensor::filled(kit, &[], 0f32));
    let args = [x.handle, labels.handle, 0, 2, 100, out.handle, total.handle];
    let (code, message) = kit.run("aclnnNLLLoss", &args).expect_err("a label beyond the classes");
    assert!(code == 507_035 && message.contains("label 7 is out of range, there are 2 classes"), "{code} {message}");
}

/// The sequence of SplitMix64 for the seed 1234567, as it is published.
const SEED: usize = 1_234_567;
const SEQUENCE: [u64; 5] = [
    6_457_827_717_110_365_317,
    3_203_168_211_198_807_973,
    9_817_491_932_198_370_423,
    4_593_380_528_125_082_431,
    16_408_922_859_458_223_821,
];

type Uniform = unsafe extern "C" fn(usize, f64, f64, u64, u64, *mut u64, *mut usize) -> i32;
type Normal = unsafe extern "C" fn(usize, f32, f32, i64, i64, *mut u64, *mut usize) -> i32;

/// Phase 1 of a function with floating arguments, then phase 2.
fn floating(kit: &Toolkit, name: &str, phase1: impl FnOnce(*mut u64, *mut usize) -> i32) -> i32 {
    let (mut size, mut executor) = (0u64, 0usize);
    let code = phase1(&raw mut size, &raw mut executor);
    if code != 0 {
        return code;
    }
    let stream = kit.stream();
    assert_eq!(kit.launch(name, (size, executor as *mut std::ffi::c_void), stream), 0);
    kit.synchronize(stream)
}

fn uniform<T: toolkit::Element>(kit: &Toolkit, out: &Tensor<T>, from: f64, to: f64, offset: u64) -> i32 {
    // SAFETY: the documented signature.
    let function = *unsafe { kit.opapi.get::<Uniform>(b"aclnnInplaceUniformGetWorkspaceSize") }.expect("the function");
    // SAFETY: the documented signature, with a live tensor.
    floating(kit, "aclnnInplaceUniform", |size, executor| unsafe {
        function(out.handle, from, to, SEED as u64, offset, size, executor)
    })
}

#[test]
fn random_numbers_are_those_of_the_sequence() {
    let Some(kit) = toolkit() else { return };
    let fraction = |place: usize, bits: i32| (SEQUENCE[place] >> (64 - bits)) as f64 * 2f64.powi(-bits);
    let out = Tensor::filled(kit, &[4], 0f64);
    assert_eq!(uniform(kit, &out, -1.0, 3.0, 0), 0);
    out.expect(kit, "uniform", &[0, 1, 2, 3].map(|place| -1.0 + fraction(place, 53) * 4.0));
    assert_eq!(uniform(kit, &out, 0.0, 1.0, 1), 0);
    out.expect(kit, "from the second on", &[1, 2, 3, 4].map(|place| fraction(place, 53)));
    let out = Tensor::filled(kit, &[4], 0f32);
    assert_eq!(uniform(kit, &out, 0.0, 1.0, 0), 0);
    out.expect(kit, "float", &[0, 1, 2, 3].map(|place| fraction(place, 24) as f32));
    let out = Tensor::filled(kit, &[4], 0i32);
    assert_eq!(uniform(kit, &out, -10.0, 10.0, 0), 0);
    out.expect(kit, "int32", &[0, 1, 2, 3].map(|place| (-10.0 + fraction(place, 53) * 20.0).floor() as i32));
    assert_eq!(uniform(kit, &out, 1.0, 0.0, 0), INVALID);

    let span = |place: usize, span: u128| ((u128::from(SEQUENCE[place]) * span) >> 64) as i64;
    let out = Tensor::filled(kit, &[4], 0i64);
    kit.run("aclnnInplaceRandom", &[out.handle, 5, 25, SEED, 0]).expect("random");
    out.expect(kit, "random", &[0, 1, 2, 3].map(|place| 5 + span(place, 20)));
    assert_eq!(kit.run("aclnnInplaceRandom", &[out.handle, 5, 5, SEED, 0]).expect_err("nothing between").0, INVALID);
    let out = Tensor::filled(kit, &[100], 0i64);
    kit.run("aclnnRandperm", &[100, SEED, 0, out.handle]).expect("randperm");
    let mut values = out.read(kit);
    assert_ne!(values, (0..100).collect::<Vec<i64>>());
    values.sort_unstable();
    assert_eq!(values, (0..100).collect::<Vec<i64>>());

    // SAFETY: the documented signature.
    let function = *unsafe { kit.opapi.get::<Normal>(b"aclnnInplaceNormalGetWorkspaceSize") }.expect("the function");
    let normal = |out: &Tensor<f64>, deviation: f32| {
        // SAFETY: the documented signature, with a live tensor.
        floating(kit, "aclnnInplaceNormal", |size, executor| unsafe {
            function(out.handle, 3.0, deviation, SEED as i64, 0, size, executor)
        })
    };
    let out = Tensor::filled(kit, &[2], 0f64);
    assert_eq!(normal(&out, 2.0), 0);
    let value = |place: usize| {
        let (radius, angle) = (1.0 - fraction(place, 53), std::f64::consts::TAU * fraction(place + 1, 53));
        3.0 + 2.0 * (-2.0 * radius.ln()).sqrt() * angle.cos()
    };
    out.expect(kit, "normal", &[value(0), value(2)]);
    assert_eq!(normal(&out, -1.0), INVALID);
    let out = Tensor::filled(kit, &[100_000], 0f64);
    assert_eq!(normal(&out, 2.0), 0);
    let values = out.read(kit);
    let mean = values.iter().sum::<f64>() / 1e5;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 1e5;
    assert!((mean - 3.0).abs() < 0.03 && (variance - 4.0).abs() < 0.08, "mean {mean}, variance {variance}");
}

/// Against differences of the function.
#[test]
fn the_gradient_of_gelu() {
    let Some(kit) = toolkit() else { return };
    let gelu = |x: f64| 0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh());
    let values = [-3f32, -0.7, 0.0, 0.25, 1.0, 4.0];
    let (x, grad, out) =
        (Tensor::new(kit, &[6], &values), Tensor::filled(kit, &[6], 2f32), Tensor::filled(kit, &[6], 0f32));
    kit.run("aclnnGeluBackward", &[grad.handle, x.handle, out.handle]).expect("gradient");
    let (step, got) = (2f64.powi(-16), out.read(kit));
    for (value, got) in values.into_iter().zip(got) {
        let value = f64::from(value);
        let expected = 2.0 * (gelu(value + step) - gelu(value - step)) / (2.0 * step);
        assert!((f64::from(got) - expected).abs() < 1e-6, "{value}: {got}, expected {expected}");
    }
}
