//! Losses of single points and their gradients, by hand.

mod toolkit;

use half::f16;
use std::f64::consts::LN_2;
use toolkit::{INVALID, Tensor, Toolkit, toolkit};

fn call(kit: &Toolkit, name: &str, beta: f32, args: &[usize]) {
    kit.run_with(name, [beta, 0.0, 0.0], args).unwrap_or_else(|e| panic!("{name}: {e:?}"));
}

/// A loss with its gradient: `tensors` are self, target and weights, `losses` and `slopes` those of the four points.
fn check(kit: &Toolkit, name: &str, beta: f32, tensors: &[usize], losses: [f64; 4], slopes: [f64; 4]) {
    let backward = format!("{name}Backward");
    let sum: f64 = losses.iter().sum();
    let back = Tensor::filled(kit, &[2, 2], 9f32);
    let each = Tensor::filled(kit, &[2, 2], 9f32);
    call(kit, name, beta, &[tensors, &[0, each.handle]].concat());
    each.expect(kit, name, &losses.map(|loss| loss as f32));
    let grad = Tensor::new(kit, &[2, 2], &[1f32, 2.0, -4.0, 8.0]);
    call(kit, &backward, beta, &[&[grad.handle], tensors, &[0, back.handle]].concat());
    let golden = [slopes[0], 2.0 * slopes[1], -4.0 * slopes[2], 8.0 * slopes[3]];
    back.expect(kit, &backward, &golden.map(|slope| slope as f32));
    for (reduction, parts) in [(1, 4.0), (2, 1.0)] {
        for dims in [&[][..], &[1]] {
            let one = Tensor::filled(kit, dims, 9f32);
            call(kit, name, beta, &[tensors, &[reduction, one.handle]].concat());
            one.expect(kit, &format!("{name}, reduction {reduction}"), &[(sum / parts) as f32]);
        }
        let grad = Tensor::filled(kit, &[], 2f32);
        call(kit, &backward, beta, &[&[grad.handle], tensors, &[reduction, back.handle]].concat());
        let golden = slopes.map(|slope| (2.0 * slope / parts) as f32);
        back.expect(kit, &format!("{backward}, reduction {reduction}"), &golden);
    }
}

#[test]
fn distances() {
    let Some(kit) = toolkit() else { return };
    // [[3, -4], [0, 1]] by columns; the target repeats: distances 2, 0, -1, 5.
    let x = Tensor::view(kit, &[3f32, 0.0, -4.0, 1.0], &[2, 2], &[1, 2], 0);
    let target = Tensor::new(kit, &[2], &[1f32, -4.0]);
    let tensors = [x.handle, target.handle];
    check(kit, "aclnnMseLoss", 0.0, &tensors, [4.0, 0.0, 1.0, 25.0], [4.0, 0.0, -2.0, 10.0]);
    check(kit, "aclnnL1Loss", 0.0, &tensors, [2.0, 0.0, 1.0, 5.0], [1.0, 0.0, -1.0, 1.0]);
    check(kit, "aclnnSmoothL1Loss", 2.0, &tensors, [1.0, 0.0, 0.25, 4.0], [1.0, 0.0, -0.5, 1.0]);
    check(kit, "aclnnSmoothL1Loss", 0.0, &tensors, [2.0, 0.0, 1.0, 5.0], [1.0, 0.0, -1.0, 1.0]);
    let (nan, zero) = (Tensor::filled(kit, &[1], f32::NAN), Tensor::filled(kit, &[1], 0f32));
    let back = Tensor::filled(kit, &[1], 9f32);
    call(kit, "aclnnL1LossBackward", 0.0, &[nan.handle, nan.handle, zero.handle, 0, back.handle]);
    back.expect(kit, "the gradient of a NaN result", &[f32::NAN]);
    let one = Tensor::filled(kit, &[1], 1f32);
    call(kit, "aclnnL1LossBackward", 0.0, &[one.handle, nan.handle, zero.handle, 0, back.handle]);
    back.expect(kit, "the distance of a NaN has no sign", &[0.0]);
    // A sum that float16 has not; int64.
    let (large, small) = (Tensor::filled(kit, &[4], f16::from_f32(60000.0)), Tensor::filled(kit, &[4], f16::ZERO));
    let mean = Tensor::filled(kit, &[], f16::ZERO);
    call(kit, "aclnnL1Loss", 0.0, &[large.handle, small.handle, 1, mean.handle]);
    mean.expect(kit, "float16", &[f16::from_f32(60000.0)]);
    let (a, b) = (Tensor::new(kit, &[2], &[7i64, -3]), Tensor::new(kit, &[2], &[2i64, 5]));
    let whole = Tensor::filled(kit, &[], 0i64);
    call(kit, "aclnnL1Loss", 0.0, &[a.handle, b.handle, 2, whole.handle]);
    whole.expect(kit, "int64", &[13]);
}

/// Of probabilities: a logarithm of 0 is -100, and a gradient there is divided by 1e-12.
#[test]
fn binary_cross_entropy() {
    let Some(kit) = toolkit() else { return };
    let x = Tensor::new(kit, &[2, 2], &[0.5f32, 0.25, 0.0, 1.0]);
    let y = Tensor::new(kit, &[2, 2], &[1f32, 0.0, 1.0, 1.0]);
    let quarter = -0.75f64.ln();
    let name = "aclnnBinaryCrossEntropy";
    let slopes = [-2.0, 4.0 / 3.0, -1e12, 0.0];
    let losses = [LN_2, quarter, 100.0, -0.0];
    check(kit, name, 0.0, &[x.handle, y.handle, 0], losses, slopes);
    let weight = Tensor::new(kit, &[2, 1], &[4f32, 0.5]);
    let times = |values: [f64; 4]| [4.0 * values[0], 4.0 * values[1], 0.5 * values[2], 0.5 * values[3]];
    check(kit, name, 0.0, &[x.handle, y.handle, weight.handle], times(losses), times(slopes));
    let (odd, label) = (Tensor::new(kit, &[2], &[f32::NAN, 0.5]), Tensor::filled(kit, &[2], 0.5f32));
    let out = Tensor::filled(kit, &[2], 0f32);
    call(kit, name, 0.0, &[odd.handle, label.handle, 0, 0, out.handle]);
    out.expect(kit, "a NaN stays", &[f32::NAN, LN_2 as f32]);
}

/// Of logits that e to their power overflows.
#[test]
fn binary_cross_entropy_with_logits() {
    let Some(kit) = toolkit() else { return };
    let x = Tensor::new(kit, &[2, 2], &[0f32, 1000.0, -1000.0, 0.0]);
    let y = Tensor::new(kit, &[2, 2], &[1f32, 0.0, 1.0, 0.0]);
    let name = "aclnnBinaryCrossEntropyWithLogits";
    check(kit, name, 0.0, &[x.handle, y.handle, 0, 0], [LN_2, 1000.0, 1000.0, LN_2], [-0.5, 1.0, -1.0, 0.5]);
    // 8 times the first column, 4 times its positive labels more.
    let (weight, positive) = (Tensor::new(kit, &[2], &[8f32, 1.0]), Tensor::new(kit, &[2], &[4f32, 16.0]));
    let (losses, slopes) = ([32.0 * LN_2, 1000.0, 32000.0, LN_2], [-16.0, 1.0, -32.0, 0.5]);
    check(kit, name, 0.0, &[x.handle, y.handle, weight.handle, positive.handle], losses, slopes);
    let far = Tensor::new(kit, &[3], &[f32::INFINITY, f32::NEG_INFINITY, f32::NAN]);
    let (labels, out) = (Tensor::new(kit, &[3], &[0f32, 0.5, 0.0]), Tensor::filled(kit, &[3], 0f32));
    call(kit, name, 0.0, &[far.handle, labels.handle, 0, 0, 0, out.handle]);
    out.expect(kit, "infinite logits", &[f32::INFINITY, f32::NAN, f32::NAN]);
}

#[test]
fn what_does_not_fit_is_named() {
    let Some(kit) = toolkit() else { return };
    let (x, row) = (Tensor::filled(kit, &[2, 2], 0.5f32), Tensor::filled(kit, &[2], 0.5f32));
    let (three, one) = (Tensor::filled(kit, &[3, 2, 2], 1f32), Tensor::filled(kit, &[], 1f32));
    let whole = Tensor::filled(kit, &[2, 2], 0i64);
    let refused = |name: &str, beta: f32, args: &[usize], text: &str| {
        let (code, message) = kit.run_with(name, [beta, 0.0, 0.0], args).expect_err(text);
        assert!(code == INVALID && message.contains(&format!("{name}: {text}")), "{code} {message}");
    };
    let (x, row, three, one, whole) = (x.handle, row.handle, three.handle, one.handle, whole.handle);
    let text = "argument [reduction]: expected 0 (none), 1 (mean) or 2 (sum), got 3";
    refused("aclnnL1Loss", 0.0, &[x, x, 3, one], text);
    refused("aclnnL1Loss", 0.0, &[x, x, 1, x], "argument [out]: expected shape [], got [2, 2]");
    refused("aclnnL1Loss", 0.0, &[x, x, 0, one], "argument [out]: expected shape [2, 2], got []");
    let text = "argument [out]: a result of data type float32 cannot be cast to int64";
    refused("aclnnL1Loss", 0.0, &[x, x, 0, whole], text);
    refused("aclnnSmoothL1Loss", -1.0, &[x, x, 1, one], "argument [beta]: expected 0 or more, got -1");
    refused("aclnnSmoothL1LossBackward", -1.0, &[one, x, x, 1, x], "argument [beta]: expected 0 or more, got -1");
    let text = "argument [gradInput]: expected shape [2, 2], got [2]";
    refused("aclnnL1LossBackward", 0.0, &[one, x, x, 1, row], text);
    let text = "argument [target]: expected shape [2, 2], got [2]";
    refused("aclnnBinaryCrossEntropy", 0.0, &[x, row, 0, 1, one], text);
    refused("aclnnBinaryCrossEntropyWithLogits", 0.0, &[x, row, 0, 0, 1, one], text);
    refused("aclnnBinaryCrossEntropyWithLogitsBackward", 0.0, &[one, x, row, 0, 0, 1, x], text);
    let text = "argument [weightOptional]: shape [3, 2, 2] cannot be broadcast to [2, 2]";
    refused("aclnnBinaryCrossEntropyWithLogits", 0.0, &[x, x, three, 0, 1, one], text);
    let text = "argument [posWeightOptional]: shape [3, 2, 2] cannot be broadcast to [2, 2]";
    refused("aclnnBinaryCrossEntropyWithLogitsBackward", 0.0, &[one, x, x, 0, three, 1, x], text);
}
