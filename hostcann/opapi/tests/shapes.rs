//! Reductions, moves, indices, fills, rows and products of matrices, against plain arithmetic on their elements.

mod toolkit;

use half::f16;
use toolkit::{INVALID, Tensor, Toolkit, contiguous, ints, list, places, scalar, shape, toolkit};

const DIMS: [i64; 3] = [2, 3, 4];

/// 24 values in a view with gaps and a transposed memory.
fn cube(kit: &Toolkit, value: impl Fn(usize) -> f32) -> Tensor<f32> {
    let mut storage = vec![-99f32; 60];
    for (i, at) in places(&DIMS, &[1, 2, 14]).into_iter().enumerate() {
        storage[at as usize + 3] = value(i);
    }
    Tensor::view(kit, &storage, &DIMS, &[1, 2, 14], 3)
}

fn call(kit: &Toolkit, name: &str, args: &[usize]) {
    kit.run(name, args).unwrap_or_else(|e| panic!("{name}: {e:?}"));
}

/// The elements of a cube that lie at (i, _, _), (_, i, _) or (_, _, i).
fn slice_of(values: &[f32], dim: usize, at: usize) -> Vec<f32> {
    let strides = contiguous(&DIMS);
    (0..24).filter(|i| i / strides[dim] as usize % DIMS[dim] as usize == at).map(|i| values[i]).collect()
}

#[test]
fn sums_extremes_and_truths() {
    let Some(kit) = toolkit() else { return };
    let value = |i: usize| ((i * 7) % 24) as f32 - 11.5;
    let values: Vec<f32> = (0..24).map(value).collect();
    let x = cube(kit, value);
    for (kept, reduced) in [(0usize, [1, -1]), (1, [0, 2]), (2, [-3, -2])] {
        let length = DIMS[kept];
        let dims = ints(kit, &reduced);
        let keep: Vec<i64> = (0..3).map(|d| if d == kept { length } else { 1 }).collect();
        let expect = |what: &str, out: &Tensor<f32>, function: fn(&[f32]) -> f32| {
            let golden: Vec<f32> = (0..length as usize).map(|at| function(&slice_of(&values, kept, at))).collect();
            out.expect(kit, &format!("{what} but dim {kept}"), &golden);
        };
        let out = Tensor::filled(kit, &keep, 0f32);
        call(kit, "aclnnReduceSum", &[x.handle, dims, 1, 0, out.handle]);
        expect("sum", &out, |v| v.iter().sum());
        call(kit, "aclnnMean", &[x.handle, dims, 1, 0, out.handle]);
        expect("mean", &out, |v| v.iter().sum::<f32>() / v.len() as f32);
        let out = Tensor::filled(kit, &[length], 0f32);
        call(kit, "aclnnAmax", &[x.handle, dims, 0, out.handle]);
        expect("max", &out, |v| v.iter().copied().fold(f32::MIN, f32::max));
        call(kit, "aclnnAmin", &[x.handle, dims, 0, out.handle]);
        expect("min", &out, |v| v.iter().copied().fold(f32::MAX, f32::min));
    }
    let single = Tensor::filled(kit, &[], 0f32);
    call(kit, "aclnnReduceSum", &[x.handle, ints(kit, &[]), 0, 0, single.handle]);
    single.expect(kit, "sum of all", &[values.iter().sum()]);
    // A sum that float32 cannot follow step by step, and one of small integers that needs int64.
    let steps = Tensor::new(kit, &[3], &[1e8f32, 1.0, -1e8]);
    call(kit, "aclnnReduceSum", &[steps.handle, ints(kit, &[0]), 0, 0, single.handle]);
    single.expect(kit, "sum in double", &[1.0]);
    let bytes = Tensor::new(kit, &[3], &[200u8, 100, 255]);
    let wide = Tensor::filled(kit, &[], 0i64);
    call(kit, "aclnnReduceSum", &[bytes.handle, ints(kit, &[0]), 0, 9, wide.handle]);
    wide.expect(kit, "sum of uint8", &[555]);
    call(kit, "aclnnProd", &[bytes.handle, 9, wide.handle]);
    wide.expect(kit, "product of uint8", &[200 * 100 * 255]);
    let truth = Tensor::filled(kit, &[], true);
    let zero = Tensor::new(kit, &[2], &[0.0f32, f32::NAN]);
    call(kit, "aclnnAll", &[zero.handle, ints(kit, &[]), 0, truth.handle]);
    truth.expect(kit, "all", &[false]);
    call(kit, "aclnnAny", &[zero.handle, ints(kit, &[]), 0, truth.handle]);
    truth.expect(kit, "any", &[true]);
}

/// Sums that overflow without the largest, rows of infinities, of nothing, and of integers.
#[test]
fn logarithms_of_sums() {
    let Some(kit) = toolkit() else { return };
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let x = Tensor::new(kit, &[5, 2], &[1e4f32, 1e4, -1e4, -1e4, -inf, -inf, inf, -inf, nan, inf]);
    let out = Tensor::filled(kit, &[5, 1], 0f32);
    call(kit, "aclnnLogSumExp", &[x.handle, ints(kit, &[-1]), 1, out.handle]);
    let two = std::f64::consts::LN_2;
    out.expect(kit, "rows", &[(1e4 + two) as f32, (two - 1e4) as f32, -inf, inf, nan]);
    let whole = Tensor::new(kit, &[2, 2], &[0i8, 0, 0, 0]);
    let single = Tensor::filled(kit, &[], 0f32);
    call(kit, "aclnnLogSumExp", &[whole.handle, ints(kit, &[0, 1]), 0, single.handle]);
    single.expect(kit, "of both dims", &[(2.0 * two) as f32]);
    let none = Tensor::<f32>::new(kit, &[0], &[]);
    call(kit, "aclnnLogSumExp", &[none.handle, ints(kit, &[0]), 0, single.handle]);
    single.expect(kit, "of nothing", &[-inf]);
    let args = [whole.handle, ints(kit, &[0]), 0, Tensor::filled(kit, &[2], 0i8).handle];
    let (code, text) = kit.run("aclnnLogSumExp", &args).expect_err("an integer");
    assert!(code == INVALID && text.contains("argument [out]: expected a floating type, got int8"), "{text}");
}

#[test]
fn places_of_extremes() {
    let Some(kit) = toolkit() else { return };
    let nan = f32::NAN;
    let x = Tensor::new(kit, &[3, 4], &[1.0, 5.0, 5.0, 2.0, nan, 9.0, nan, 0.0, -1.0, -1.0, -3.0, -3.0f32]);
    let (values, indices) = (Tensor::filled(kit, &[3], 0f32), Tensor::filled(kit, &[3], 7i64));
    call(kit, "aclnnMaxDim", &[x.handle, 1, 0, values.handle, indices.handle]);
    values.expect(kit, "max", &[5.0, nan, -1.0]);
    indices.expect(kit, "the first of the largest", &[1, 0, 0]);
    call(kit, "aclnnMinDim", &[x.handle, usize::MAX, 0, values.handle, indices.handle]);
    values.expect(kit, "min", &[1.0, nan, -3.0]);
    indices.expect(kit, "the first of the smallest", &[0, 0, 2]);
    let kept = Tensor::filled(kit, &[1, 4], 7i64);
    call(kit, "aclnnArgMax", &[x.handle, 0, 1, kept.handle]);
    kept.expect(kit, "argmax of columns", &[1, 1, 1, 0]);
}

#[test]
fn deviations() {
    let Some(kit) = toolkit() else { return };
    let x = Tensor::new(kit, &[4], &[1.0f32, 2.0, 4.0, 9.0]);
    let out = Tensor::filled(kit, &[], 0f32);
    call(kit, "aclnnVarCorrection", &[x.handle, 0, 1, 0, out.handle]);
    out.expect(kit, "variance", &[38.0 / 3.0]);
    call(kit, "aclnnStd", &[x.handle, ints(kit, &[0]), 0, 0, out.handle]);
    out.expect(kit, "deviation", &[9.5f64.sqrt() as f32]);
}

#[test]
fn moves() {
    let Some(kit) = toolkit() else { return };
    let x = cube(kit, |i| i as f32);
    let at = |i: i64, j: i64, k: i64| (i * 12 + j * 4 + k) as f32;
    let out = Tensor::filled(kit, &[4, 2, 3], 0f32);
    call(kit, "aclnnPermute", &[x.handle, ints(kit, &[2, 0, 1]), out.handle]);
    let golden: Vec<f32> = (0..24).map(|i| at(i / 3 % 2, i % 3, i / 6)).collect();
    out.expect(kit, "permute", &golden);
    let out = Tensor::filled(kit, &[2, 3, 2], 0f32);
    call(kit, "aclnnSlice", &[x.handle, 2, -3i64 as usize, 99, 2, out.handle]);
    out.expect(kit, "slice", &(0..12).map(|i| at(i / 6, i / 2 % 3, 1 + 2 * (i % 2))).collect::<Vec<_>>());
    let out = Tensor::filled(kit, &DIMS, 0f32);
    call(kit, "aclnnFlip", &[x.handle, ints(kit, &[0, -1]), out.handle]);
    out.expect(kit, "flip", &(0..24).map(|i| at(1 - i / 12, i / 4 % 3, 3 - i % 4)).collect::<Vec<_>>());
    call(kit, "aclnnRoll", &[x.handle, ints(kit, &[1, -1]), ints(kit, &[1, 2]), out.handle]);
    let golden: Vec<f32> = (0..24).map(|i| at(i / 12, (i / 4 + 2) % 3, (i + 1) % 4)).collect();
    out.expect(kit, "roll", &golden);
    call(kit, "aclnnRoll", &[x.handle, ints(kit, &[5]), ints(kit, &[]), out.handle]);
    out.expect(kit, "roll of all", &(0..24).map(|i| ((i + 19) % 24) as f32).collect::<Vec<_>>());
    let row = Tensor::new(kit, &[1, 3], &[1i16, 2, 3]);
    let out = Tensor::filled(kit, &[2, 2, 3], 0i16);
    call(kit, "aclnnExpand", &[row.handle, ints(kit, &[2, 2, -1]), out.handle]);
    out.expect(kit, "expand", &[1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]);
    let out = Tensor::filled(kit, &[2, 6], 0i16);
    call(kit, "aclnnRepeat", &[row.handle, ints(kit, &[2, 2]), out.handle]);
    out.expect(kit, "repeat", &[1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]);
    // Bits move as they are.
    let odd = f32::from_bits(0x7f80_1234);
    let bits = Tensor::new(kit, &[1], &[odd]);
    let out = Tensor::filled(kit, &[1], 0f32);
    call(kit, "aclnnInplaceCopy", &[out.handle, bits.handle]);
    assert_eq!(out.read(kit)[0].to_bits(), odd.to_bits(), "a signalling NaN");
}

#[test]
fn joins() {
    let Some(kit) = toolkit() else { return };
    let a = Tensor::new(kit, &[2, 2], &[1i32, 2, 3, 4]);
    let b = Tensor::new(kit, &[2, 1], &[5i8, 6]);
    let none = Tensor::<i32>::new(kit, &[0], &[]);
    let out = Tensor::filled(kit, &[2, 3], 0i32);
    call(kit, "aclnnCat", &[list(kit, &[a.handle, none.handle, b.handle]), 1, out.handle]);
    out.expect(kit, "cat", &[1, 2, 5, 3, 4, 6]);
    let out = Tensor::filled(kit, &[2, 2, 2], 0i32);
    call(kit, "aclnnStack", &[list(kit, &[a.handle, a.handle]), usize::MAX, out.handle]);
    out.expect(kit, "stack", &[1, 1, 2, 2, 3, 3, 4, 4]);
    let (code, text) =
        kit.run("aclnnCat", &[list(kit, &[a.handle, b.handle]), 0, out.handle]).expect_err("shapes that do not fit");
    assert_eq!(code, INVALID);
    assert!(text.contains("argument [tensors]: shape [2, 1] of tensor 1 differs from [2, 2]"), "{text}");
}

#[test]
fn repetitions_of_elements_and_slices() {
    let Some(kit) = toolkit() else { return };
    // Every second column of [[1, 9, 2], [3, 9, 4], [5, 9, 6]]: no tensor without gaps.
    let x = Tensor::view(kit, &[1f32, 9.0, 2.0, 3.0, 9.0, 4.0, 5.0, 9.0, 6.0], &[3, 2], &[3, 2], 0);
    let repeats = Tensor::new(kit, &[6], &[1i64, 2, 2, 0, 1, 1]);
    let out = Tensor::filled(kit, &[7], 0f32);
    call(kit, "aclnnRepeatInterleave", &[x.handle, repeats.handle, 7, out.handle]);
    out.expect(kit, "each element", &[1.0, 2.0, 2.0, 3.0, 3.0, 5.0, 6.0]);
    let twice = Tensor::new(kit, &[], &[2i32]);
    let doubled = [1f32, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0, 6.0, 6.0];
    let flat = Tensor::filled(kit, &[12], 0f32);
    call(kit, "aclnnRepeatInterleave", &[x.handle, twice.handle, 12, flat.handle]);
    flat.expect(kit, "one number for all", &doubled);
    let flat = Tensor::filled(kit, &[12], 0f32);
    call(kit, "aclnnRepeatInterleaveInt", &[x.handle, 2, 12, flat.handle]);
    flat.expect(kit, "a number", &doubled);
    let rows = Tensor::new(kit, &[3], &[2i64, 0, 1]);
    let out = Tensor::filled(kit, &[3, 2], 0f32);
    call(kit, "aclnnRepeatInterleaveWithDim", &[x.handle, rows.handle, -2isize as usize, 3, out.handle]);
    out.expect(kit, "rows", &[1.0, 2.0, 1.0, 2.0, 5.0, 6.0]);
    let out = Tensor::filled(kit, &[3, 4], 0f32);
    call(kit, "aclnnRepeatInterleaveIntWithDim", &[x.handle, 2, 1, 4, out.handle]);
    out.expect(kit, "columns", &doubled);
    let places = Tensor::filled(kit, &[3], -1i64);
    call(kit, "aclnnRepeatInterleaveTensor", &[rows.handle, 3, places.handle]);
    places.expect(kit, "places", &[0, 0, 2]);
    let none = Tensor::filled(kit, &[0], 0f32);
    call(kit, "aclnnRepeatInterleaveInt", &[x.handle, 0, 0, none.handle]);

    let refused = |name: &str, args: &[usize], text: &str| {
        let (_, said) = kit.run(name, args).expect_err(text);
        assert!(said.contains(text), "{said}");
    };
    let out = Tensor::filled(kit, &[4, 2], 0f32);
    let args = [x.handle, rows.handle, 0, 4, out.handle];
    refused("aclnnRepeatInterleaveWithDim", &args, "[outputSize]: expected 3, the sum of [repeats], got 4");
    let negative = Tensor::new(kit, &[3], &[2i64, -1, 3]);
    let args = [x.handle, negative.handle, 0, 4, out.handle];
    refused("aclnnRepeatInterleaveWithDim", &args, "[repeats]: expected numbers of 0 or more, got -1");
    let args = [x.handle, rows.handle, 1, 2, out.handle];
    refused("aclnnRepeatInterleaveWithDim", &args, "[out]: expected shape [3, 2]");
    let args = [x.handle, 2, 11, Tensor::filled(kit, &[11], 0f32).handle];
    refused("aclnnRepeatInterleaveInt", &args, "[outputSize]: expected 6 times [repeats], 0 or more, got 11 for 2");
    let args = [x.handle, rows.handle, 3, Tensor::filled(kit, &[3], 0f32).handle];
    refused("aclnnRepeatInterleave", &args, "[repeats]: expected 1 or 6 numbers, got shape [3]");
}

#[test]
fn indices() {
    let Some(kit) = toolkit() else { return };
    let x = Tensor::new(kit, &[2, 3], &[10i64, 11, 12, 20, 21, 22]);
    let index = Tensor::new(kit, &[4], &[2i64, 0, -1, 1]);
    let out = Tensor::filled(kit, &[2, 4], 0i64);
    call(kit, "aclnnIndexSelect", &[x.handle, 1, index.handle, out.handle]);
    out.expect(kit, "index_select", &[12, 10, 12, 11, 22, 20, 22, 21]);
    let (flat, taken) = (Tensor::new(kit, &[1, 3], &[-1i64, 0, 3]), Tensor::filled(kit, &[1, 3], 0i64));
    call(kit, "aclnnTake", &[x.handle, flat.handle, taken.handle]);
    taken.expect(kit, "take", &[22, 10, 20]);
    let (rows, table) = (Tensor::new(kit, &[1, 2], &[1i64, 0]), Tensor::filled(kit, &[1, 2, 3], 0i64));
    call(kit, "aclnnEmbedding", &[x.handle, rows.handle, table.handle]);
    table.expect(kit, "embedding", &[20, 21, 22, 10, 11, 12]);
    let chosen = Tensor::new(kit, &[2, 2], &[2i32, 0, 1, 1]);
    let out = Tensor::filled(kit, &[2, 2], 0i64);
    call(kit, "aclnnGather", &[x.handle, 1, chosen.handle, out.handle]);
    out.expect(kit, "gather", &[12, 10, 21, 21]);
    let ones = Tensor::filled(kit, &[2, 2], 1i64);
    let sums = Tensor::filled(kit, &[2, 3], 0i64);
    call(kit, "aclnnScatterAdd", &[x.handle, 1, chosen.handle, ones.handle, sums.handle]);
    sums.expect(kit, "scatter_add", &[11, 11, 13, 20, 23, 22]);
    // x[[1, 0], [2, 2]], and x[:, [0, 2]] with an empty tensor in the place of `:`.
    let (rows, columns) = (Tensor::new(kit, &[2], &[1i64, 0]), Tensor::new(kit, &[1], &[2i64]));
    let out = Tensor::filled(kit, &[2], 0i64);
    call(kit, "aclnnIndex", &[x.handle, list(kit, &[rows.handle, columns.handle]), out.handle]);
    out.expect(kit, "index", &[22, 12]);
    let (all, two) = (Tensor::<i64>::new(kit, &[0], &[]), Tensor::new(kit, &[2], &[0i64, 2]));
    let out = Tensor::filled(kit, &[2, 2], 0i64);
    call(kit, "aclnnIndex", &[x.handle, list(kit, &[all.handle, two.handle]), out.handle]);
    out.expect(kit, "index of columns", &[10, 12, 20, 22]);
    let values = Tensor::new(kit, &[2], &[1i64, 2]);
    let twice = Tensor::new(kit, &[2], &[1i64, 1]);
    call(kit, "aclnnIndexPutImpl", &[x.handle, list(kit, &[rows.handle, twice.handle]), values.handle, 1, 0]);
    x.expect(kit, "index_put, added", &[10, 13, 12, 20, 22, 22]);
    // Out of range: known when the data are there, on the stream.
    let far = Tensor::new(kit, &[2], &[0i64, 3]);
    let out = Tensor::filled(kit, &[2, 2], 0i64);
    let (code, text) = kit.run("aclnnIndexSelect", &[x.handle, 1, far.handle, out.handle]).expect_err("index 3");
    assert_eq!(code, 507_035);
    assert!(
        text.contains("aclnnIndexSelect on the host: argument [index]: index 3 is out of range, expected -3 to 2"),
        "{text}"
    );
    call(kit, "aclnnIndexSelect", &[x.handle, 1, two.handle, out.handle]);
}

#[test]
fn norms() {
    let Some(kit) = toolkit() else { return };
    let x = Tensor::new(kit, &[2, 2], &[3.0f32, -4.0, 0.0, 1.0]);
    let out = Tensor::filled(kit, &[2], 0f32);
    for (order, expected) in [(2.0, [5.0, 1.0]), (1.0, [7.0, 1.0]), (0.0, [2.0, 1.0]), (f64::INFINITY, [4.0, 1.0])] {
        call(kit, "aclnnNorm", &[x.handle, scalar(kit, order), ints(kit, &[1]), 0, out.handle]);
        out.expect(kit, &format!("norm of order {order}"), &expected);
        call(kit, "aclnnLinalgVectorNorm", &[x.handle, scalar(kit, order), ints(kit, &[-1]), 0, 0, out.handle]);
        out.expect(kit, &format!("vector norm of order {order}"), &expected);
    }
}

/// How many elements there are is known after the run: the tensor has the shape then.
#[test]
fn computed_shapes() {
    let Some(kit) = toolkit() else { return };
    let x = Tensor::new(kit, &[2, 3], &[0.0f32, 1.0, f32::NAN, 0.0, -0.0, 5.0]);
    let out = Tensor::filled(kit, &[6, 2], -1i64);
    call(kit, "aclnnNonzero", &[x.handle, out.handle]);
    assert_eq!(shape(kit, out.handle), [3, 2]);
    assert_eq!(out.storage(kit)[..6], [0, 1, 0, 2, 1, 2]);
    let out = Tensor::filled(kit, &[2, 6], -1i64);
    call(kit, "aclnnNonzeroV2", &[x.handle, out.handle]);
    assert_eq!(shape(kit, out.handle), [2, 3]);
    assert_eq!(out.storage(kit)[..6], [0, 0, 1, 1, 2, 2]);
    let mask = Tensor::new(kit, &[3], &[true, false, true]);
    let out = Tensor::filled(kit, &[6], 0f32);
    call(kit, "aclnnMaskedSelect", &[x.handle, mask.handle, out.handle]);
    assert_eq!(shape(kit, out.handle), [4]);
    let chosen = out.storage(kit);
    assert!(chosen[0] == 0.0 && chosen[1].is_nan() && chosen[2..4] == [0.0, 5.0], "{chosen:?}");
}

#[test]
fn fills() {
    let Some(kit) = toolkit() else { return };
    let out = Tensor::filled(kit, &[5], 0f32);
    let number = |value: f64| scalar(kit, value);
    call(kit, "aclnnArange", &[number(0.0), number(0.5), number(0.1), out.handle]);
    out.expect(kit, "arange", &[0.0, 0.1, 0.2, (3.0 * 0.1f64) as f32, 0.4]);
    let large = 1i64 << 60;
    let whole = Tensor::filled(kit, &[3], 0i64);
    call(kit, "aclnnArange", &[scalar(kit, large), scalar(kit, large - 3), scalar(kit, -1i64), whole.handle]);
    whole.expect(kit, "arange down", &[large, large - 1, large - 2]);
    call(kit, "aclnnRange", &[number(1.0), number(2.0), number(0.5), Tensor::filled(kit, &[3], 0f32).handle]);
    let (code, text) = kit.run("aclnnArange", &[number(0.0), number(1.0), number(0.5), out.handle]).expect_err("size");
    assert_eq!(code, INVALID);
    assert!(text.contains("argument [out]: expected shape [2], got [5]"), "{text}");
    let eye = Tensor::filled(kit, &[2, 3], 7i8);
    call(kit, "aclnnEye", &[2, 3, eye.handle]);
    eye.expect(kit, "eye", &[1, 0, 0, 0, 1, 0]);
    let halves = Tensor::view(kit, &[f16::ONE; 8], &[2, 2], &[4, 2], 1);
    call(kit, "aclnnInplaceFillScalar", &[halves.handle, number(0.1)]);
    let (tenth, one) = (f16::from_f32(0.1), f16::ONE);
    assert_eq!(halves.storage(kit), [one, tenth, one, tenth, one, tenth, one, tenth]);
    call(kit, "aclnnInplaceZero", &[halves.handle]);
    halves.expect(kit, "zero", &[f16::ZERO; 4]);
    call(kit, "aclnnInplaceOne", &[halves.handle]);
    halves.expect(kit, "one", &[f16::ONE; 4]);
    let square = Tensor::new(kit, &[2, 3], &[1i32, 2, 3, 4, 5, 6]);
    let out = Tensor::filled(kit, &[2, 3], 0i32);
    call(kit, "aclnnTril", &[square.handle, 0, out.handle]);
    out.expect(kit, "tril", &[1, 0, 0, 4, 5, 0]);
    call(kit, "aclnnTriu", &[square.handle, 1, out.handle]);
    out.expect(kit, "triu", &[0, 2, 3, 0, 0, 6]);
}

#[test]
fn rows() {
    let Some(kit) = toolkit() else { return };
    let nan = f32::NAN;
    let x = Tensor::new(kit, &[2, 4], &[3.0, 1.0, nan, 3.0, -1.0, 0.0, -1.0, 7.0f32]);
    let (values, places) = (Tensor::filled(kit, &[2, 4], 0f32), Tensor::filled(kit, &[2, 4], 0i64));
    call(kit, "aclnnSort", &[x.handle, 1, 1, 1, values.handle, places.handle]);
    values.expect(kit, "sort", &[nan, 3.0, 3.0, 1.0, 7.0, 0.0, -1.0, -1.0]);
    places.expect(kit, "sort is stable", &[2, 0, 3, 1, 3, 1, 0, 2]);
    let (values, places) = (Tensor::filled(kit, &[1, 4], 0f32), Tensor::filled(kit, &[1, 4], 0i64));
    call(kit, "aclnnTopk", &[x.handle, 1, 0, 0, 1, values.handle, places.handle]);
    values.expect(kit, "smallest of columns", &[-1.0, 0.0, -1.0, 3.0]);
    places.expect(kit, "their rows", &[1, 1, 1, 0]);
    let numbers = Tensor::new(kit, &[2, 2], &[100i8, 100, 1, 2]);
    let out = Tensor::filled(kit, &[2, 2], 0i64);
    call(kit, "aclnnCumsum", &[numbers.handle, 1, 9, out.handle]);
    out.expect(kit, "cumsum", &[100, 200, 1, 3]);
    let x = Tensor::new(kit, &[2, 2], &[1000.0f32, 0.0, 1000.0, 2f32.ln()]);
    let out = Tensor::filled(kit, &[2, 2], 0f32);
    call(kit, "aclnnSoftmax", &[x.handle, 0, out.handle]);
    out.expect(kit, "softmax", &[0.5, 1.0 / 3.0, 0.5, 2.0 / 3.0]);
    call(kit, "aclnnLogSoftmax", &[x.handle, 1, out.handle]);
    let expected = [0.0, -1000.0, 0.0, (f64::from(2f32.ln()) - 1000.0) as f32];
    out.expect(kit, "log_softmax", &expected);
}

#[test]
fn matrices() {
    let Some(kit) = toolkit() else { return };
    let a = Tensor::view(kit, &[1.0f32, 4.0, 2.0, 5.0, 3.0, 6.0], &[2, 3], &[1, 2], 0);
    let b = Tensor::new(kit, &[3, 2], &[1.0f32, 0.5, -1.0, 2.0, 10.0, 0.0]);
    let out = Tensor::filled(kit, &[2, 2], 0f32);
    call(kit, "aclnnMm", &[a.handle, b.handle, out.handle, 0]);
    out.expect(kit, "mm", &[29.0, 4.5, 59.0, 12.0]);
    let bias = Tensor::new(kit, &[2], &[100.0f32, 200.0]);
    call(kit, "aclnnAddmm", &[bias.handle, a.handle, b.handle, scalar(kit, 2i64), scalar(kit, 0.5f64), out.handle, 0]);
    out.expect(kit, "addmm", &[214.5, 402.25, 229.5, 406.0]);
    let vector = Tensor::new(kit, &[3], &[1.0f32, 1.0, 1.0]);
    let out = Tensor::filled(kit, &[2], 0f32);
    call(kit, "aclnnMatmul", &[a.handle, vector.handle, out.handle, 0]);
    out.expect(kit, "matrix by vector", &[6.0, 15.0]);
    call(kit, "aclnnMv", &[a.handle, vector.handle, out.handle, 0]);
    out.expect(kit, "mv", &[6.0, 15.0]);
    let single = Tensor::filled(kit, &[], 0f32);
    call(kit, "aclnnDot", &[vector.handle, vector.handle, single.handle]);
    single.expect(kit, "dot", &[3.0]);
    let (code, text) = kit.run("aclnnMm", &[a.handle, a.handle, out.handle, 0]).expect_err("2 x 3 by 2 x 3");
    assert_eq!(code, INVALID);
    assert!(text.contains("argument [self]: shape [2, 3] cannot be multiplied by [2, 3]"), "{text}");
}
