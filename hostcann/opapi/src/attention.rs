//! Scaled dot-product attention and its gradients (pages aclnnFlashAttentionScore and aclnnFlashAttentionScoreGrad), row by
//! row of the scores in double precision. The gradients compute the scores again.

use crate::call::{Call, Outcome, Task, Value, refuse};
use crate::data_type::{DataType, Width};
use crate::view::{Memory, View, count};

/// The last dim of the row statistics.
const STATISTICS: i64 = 8;

/// A tensor as batch, head, place, element.
fn heads(call: &Call, name: &str, view: &View, number: i64) -> Outcome<View> {
    let layout = call.text("inputLayout")?;
    let split = |view: &View| -> Outcome<View> {
        let [first, second, width] = view.dims[..] else {
            refuse!("argument [{name}]: expected 3 dims by layout {layout}, got shape {:?}", view.dims);
        };
        if number < 1 || width % number != 0 {
            refuse!("argument [{name}]: expected a last dim of {number} heads, got shape {:?}", view.dims);
        }
        let (size, step) = (width / number, view.strides[2]);
        let strides = vec![view.strides[0], view.strides[1], size * step, step];
        Ok(View { dims: vec![first, second, number, size], strides, ..view.clone() })
    };
    let (whole, order) = match layout {
        "BNSD" => (view.clone(), [0, 1, 2, 3]),
        "BSND" => (view.clone(), [0, 2, 1, 3]),
        "BSH" => (split(view)?, [0, 2, 1, 3]),
        "SBH" => (split(view)?, [1, 2, 0, 3]),
        _ => refuse!("argument [inputLayout]: expected BNSD, BSND, BSH or SBH, got {layout}"),
    };
    if whole.dims.len() != 4 {
        refuse!("argument [{name}]: expected 4 dims by layout {layout}, got shape {:?}", view.dims);
    }
    Ok(whole.permute(&order))
}

/// Which scores take part.
enum Mask {
    None,
    /// 1 where a score does not; batch, head, query, key.
    Given(View),
    /// Keys up to the query's place plus this.
    Causal(i64),
}

struct Attention {
    query: View,
    key: View,
    value: View,
    mask: Mask,
    /// A bit for each score, 1 where it is kept, and the share of ones.
    kept: Option<(View, f64)>,
    scale: f64,
}

/// The scores of a query: those before the dropout, and after it.
struct Row {
    weights: Vec<f64>,
    kept: Vec<f64>,
    most: f64,
    sum: f64,
}

/// All elements of the operands.
struct Loaded {
    query: Vec<f64>,
    key: Vec<f64>,
    value: Vec<f64>,
    mask: Vec<i64>,
    bits: Vec<i64>,
}

impl Attention {
    fn of(call: &Call, key: &str, refused: &[&str]) -> Outcome<Attention> {
        for name in refused {
            if !matches!(call.value(name)?, Value::Absent) {
                refuse!("argument [{name}]: not supported on the host, expected nullptr");
            }
        }
        let number = call.integer("headNum")?;
        let (query, keys, value) = (call.tensor("query")?, call.tensor(key)?, call.tensor("value")?);
        let query = heads(call, "query", query, number)?;
        let size = query.dims[3].max(1);
        // Heads of keys and values may be fewer.
        let fewer = if keys.dims.len() == 3 { keys.dims[2] / size } else { 0 };
        let (keys, value) = (heads(call, key, keys, fewer)?, heads(call, "value", value, fewer)?);
        let (q, k, v) = (&query.dims, &keys.dims, &value.dims);
        if k[0] != q[0] || k[3] != q[3] || v[..3] != k[..3] || k[1] < 1 || q[1] % k[1] != 0 {
            refuse!("arguments [{key}] and [value]: shapes {k:?} and {v:?} do not go with {q:?} of [query]");
        }
        let scores = [q[0], q[1], q[2], k[2]];
        let kept = match call.tensor_or_none("dropMaskOptional")?.filter(|mask| mask.count() > 0) {
            Some(mask) if mask.data_type != DataType::U8 || mask.count() * 8 < count(&scores) => {
                refuse!("argument [dropMaskOptional]: expected a bit in uint8 for each of {} scores", count(&scores));
            }
            mask => mask.map(|mask| (mask.clone(), call.number("keepProb").map_or(1.0, |p| p.real()))),
        };
        let mask = Attention::mask(call, &scores)?;
        Ok(Attention { query, key: keys, value, mask, kept, scale: call.number("scaleValue")?.real() })
    }

    /// Page aclnnFlashAttentionScore: without a mask all scores take part. Modes 0 and 1 read it, 2 and 3 are a triangle.
    fn mask(call: &Call, scores: &[i64; 4]) -> Outcome<Mask> {
        let Some(given) = call.tensor_or_none("attenMaskOptional")? else { return Ok(Mask::None) };
        if !matches!(given.data_type, DataType::Bool | DataType::U8) {
            refuse!("argument [attenMaskOptional]: expected data type bool or uint8, got {}", given.data_type.name());
        }
        match call.integer("sparseMode")? {
            0 | 1 => match crate::view::broadcast(&given.dims, scores) {
                Some(dims) if dims == scores => Ok(Mask::Given(given.expand(scores))),
                _ => refuse!("argument [attenMaskOptional]: shape {:?} cannot be broadcast to {scores:?}", given.dims),
            },
            2 => Ok(Mask::Causal(0)),
            3 => Ok(Mask::Causal(scores[3] - scores[2])),
            mode => refuse!("argument [sparseMode]: expected 0 to 3 on the host, got {mode}"),
        }
    }

    fn load(&self, memory: Memory) -> Loaded {
        let real = |view: &View| view.load::<f64>(memory, Width::Double);
        Loaded {
            query: real(&self.query),
            key: real(&self.key),
            value: real(&self.value),
            mask: if let Mask::Given(mask) = &self.mask { mask.load(memory, Width::Double) } else { Vec::new() },
            bits: self.kept.as_ref().map_or(Vec::new(), |(bits, _)| bits.load(memory, Width::Double)),
        }
    }

    /// Queries one after the other, over batches and heads: their place, and where keys and values of their head begin.
    fn queries(&self) -> impl Iterator<Item = (usize, usize)> + use<'_> {
        let [_, number, length, _] = [0, 1, 2, 3].map(|dim| self.query.dims[dim] as usize);
        let (fewer, keys) = (self.key.dims[1] as usize, self.key.dims[2] as usize);
        (0..count(&self.query.dims[..3])).map(move |query| {
            let (batch, head) = (query / length / number, query / length % number);
            (query, (batch * fewer + head / (number / fewer)) * keys)
        })
    }

    fn row(&self, loaded: &Loaded, query: usize, first: usize) -> Row {
        let [size, keys] = [self.query.dims[3] as usize, self.key.dims[2] as usize];
        let at = (query % self.query.dims[2] as usize) as i64;
        let vector = &loaded.query[query * size..][..size];
        let score = |key: usize| {
            let masked = match self.mask {
                Mask::None => false,
                Mask::Given(_) => loaded.mask[query * keys + key] != 0,
                Mask::Causal(more) => key as i64 > at + more,
            };
            if masked {
                return f64::NEG_INFINITY;
            }
            let other = &loaded.key[(first + key) * size..][..size];
            self.scale * vector.iter().zip(other).map(|(a, b)| a * b).sum::<f64>()
        };
        let scores: Vec<f64> = (0..keys).map(score).collect();
        let most = scores.iter().fold(f64::NEG_INFINITY, |a, b| crate::kernels::maximum(a, *b));
        // A query without any key has a result of 0.
        let powers = scores.iter().map(|s| if *s == f64::NEG_INFINITY { 0.0 } else { (s - most).exp() });
        let powers: Vec<f64> = powers.collect();
        let sum: f64 = powers.iter().sum();
        let weights: Vec<f64> = powers.iter().map(|p| if sum == 0.0 { 0.0 } else { p / sum }).collect();
        let kept = weights.iter().enumerate().map(|(key, weight)| weight * self.factor(loaded, query * keys + key));
        Row { kept: kept.collect(), weights, most, sum }
    }

    /// What the dropout multiplies a score by.
    fn factor(&self, loaded: &Loaded, score: usize) -> f64 {
        match self.kept {
            Some((_, share)) if loaded.bits[score / 8] >> (score % 8) & 1 == 1 => 1.0 / share,
            Some(_) => 0.0,
            None => 1.0,
        }
    }
}

pub fn forward(call: &Call) -> Outcome<Task> {
    let attention = Attention::of(call, "key", &["realShiftOptional", "paddingMaskOptional"])?;
    let out = heads(call, "attentionOutOut", call.tensor("attentionOutOut")?, call.integer("headNum")?)?;
    let size = attention.value.dims[3] as usize;
    let rows = attention.query.dims[..3].to_vec();
    call.expect_dims("attentionOutOut", &out, &[&rows[..], &[size as i64]].concat())?;
    let statistics = ["softmaxMaxOut", "softmaxSumOut"].map(|name| call.tensor(name).cloned());
    let [most_out, sum_out] = statistics;
    let (most_out, sum_out) = (most_out?, sum_out?);
    for (name, view) in [("softmaxMaxOut", &most_out), ("softmaxSumOut", &sum_out)] {
        call.expect_dims(name, view, &[&rows[..], &[STATISTICS]].concat())?;
    }
    Task::new(move |memory| {
        let loaded = attention.load(memory);
        let mut results = vec![0.0; out.count()];
        let (mut most, mut sums) = (Vec::new(), Vec::new());
        for (query, first) in attention.queries() {
            let row = attention.row(&loaded, query, first);
            for (key, weight) in row.kept.iter().enumerate() {
                let value = &loaded.value[(first + key) * size..][..size];
                results[query * size..].iter_mut().zip(value).for_each(|(sum, value)| *sum += weight * value);
            }
            most.extend([row.most; STATISTICS as usize]);
            sums.extend([row.sum; STATISTICS as usize]);
        }
        out.store(memory, &results);
        most_out.store(memory, &most);
        sum_out.store(memory, &sums);
    })
}

pub fn backward(call: &Call) -> Outcome<Task> {
    let attention = Attention::of(call, "keyIn", &["pseShiftOptional", "paddingMaskOptional"])?;
    let (number, fewer) = (call.integer("headNum")?, attention.key.dims[1]);
    let [query, key, value] = [&attention.query, &attention.key, &attention.value].map(|view| view.dims.clone());
    let grad = heads(call, "dy", call.tensor("dy")?, number)?;
    call.expect_dims("dy", &grad, &[query[0], query[1], query[2], value[3]])?;
    let mut outs = Vec::new();
    for (name, heads_of, dims) in [("dqOut", number, &query), ("dkOut", fewer, &key), ("dvOut", fewer, &value)] {
        let out = heads(call, name, call.tensor(name)?, heads_of)?;
        call.expect_dims(name, &out, dims)?;
        outs.push(out);
    }
    Task::new(move |memory| {
        let (loaded, grads) = (attention.load(memory), grad.load::<f64>(memory, Width::Double));
        let [size, width] = [attention.query.dims[3] as usize, attention.value.dims[3] as usize];
        let mut results: Vec<Vec<f64>> = outs.iter().map(|out| vec![0.0; out.count()]).collect();
        for (query, first) in attention.queries() {
            let row = attention.row(&loaded, query, first);
            let grad = &grads[query * width..][..width];
            let through = |key: usize| {
                let value = &loaded.value[(first + key) * width..][..width];
                let score = query * row.weights.len() + key;
                grad.iter().zip(value).map(|(a, b)| a * b).sum::<f64>() * attention.factor(&loaded, score)
            };
            let of_weights: Vec<f64> = (0..row.weights.len()).map(through).collect();
            let mean: f64 = of_weights.iter().zip(&row.weights).map(|(grad, weight)| grad * weight).sum();
            for (key, weight) in row.weights.iter().enumerate() {
                let of_score = attention.scale * weight * (of_weights[key] - mean);
                let at = first + key;
                for i in 0..size {
                    results[0][query * size + i] += of_score * loaded.key[at * size + i];
                    results[1][at * size + i] += of_score * loaded.query[query * size + i];
                }
                for i in 0..width {
                    results[2][at * width + i] += row.kept[key] * grad[i];
                }
            }
        }
        outs.iter().zip(&results).for_each(|(out, lanes)| out.store(memory, lanes));
    })
}
