//! Element-wise operators: every element of the output from the elements at the same place of the operands, which are
//! broadcast. One loop for all of them; an operator is a pair of functions over lanes.

use crate::call::{Call, Kind, Number, Outcome, Task, Value, broadcast_all, expect_cast, promote, refuse};
use crate::data_type::{DataType, Lane, Width};
use crate::kernels::{self, Map, Product};
use crate::view::{Memory, View, Walk};

/// Operands that are converted to what the others promote to.
const NOT_PROMOTED: [&str; 12] = [
    "condition",
    "mask",
    "mode",
    "decimals",
    "rtol",
    "atol",
    "equalNan",
    "approximate",
    "dtype",
    "nan",
    "posinf",
    "neginf",
];
/// Scalars that are factors of a result: they must fit, and do not widen it.
const FACTORS: [&str; 5] = ["alpha", "beta", "value", "threshold", "weight"];

enum Operand {
    Tensor(View),
    Constant(Number),
    /// A bound of a clamp that nothing exceeds.
    Absent,
}

struct Plan {
    operands: Vec<Operand>,
    out: View,
    compute: DataType,
    map: &'static Map,
}

impl Map {
    pub fn plan(&'static self, call: &Call) -> Outcome<Task> {
        let (out_name, out) = call.result()?;
        let mut views = Vec::new();
        let mut operands = Vec::new();
        for (param, value) in call.operator.params.iter().zip(&call.values) {
            match value {
                Value::Tensor(view) if !matches!(param.kind, Kind::Out | Kind::Outs) => {
                    views.push((param.name, view));
                    operands.push((param.name, Operand::Tensor(view.clone())));
                }
                Value::Number(number) if param.name != "dtype" => {
                    operands.push((param.name, Operand::Constant(*number)));
                }
                Value::Absent => operands.push((param.name, Operand::Absent)),
                _ => {}
            }
        }
        let dims = broadcast_all(views.iter().map(|(name, view)| (*name, *view)))?;
        call.expect_dims(out_name, out, &dims)?;
        check_masks(&views)?;
        let compute = self.compute_type(&operands, out)?;
        if self.result == Product::Value {
            expect_cast(out_name, compute, out.data_type)?;
        }
        let operands = operands.into_iter().map(|(_, operand)| match operand {
            Operand::Tensor(view) => Operand::Tensor(view.expand(&dims)),
            constant => constant,
        });
        // All bits of a bool are one.
        let flips = compute == DataType::Bool && std::ptr::eq(self, &kernels::BIT_NOT);
        let map = if flips { &kernels::LOGICAL_NOT } else { self };
        let plan = Plan { operands: operands.collect(), out: out.clone(), compute, map };
        Task::new(move |memory| plan.run(memory))
    }

    /// For lists of one length; every place of them is a call of its own.
    pub fn plan_each(&'static self, call: &Call) -> Outcome<Task> {
        let lists = call.operator.params.iter().zip(&call.values).filter_map(|(param, value)| match value {
            Value::Tensors(views) => Some((param.name, views.len())),
            _ => None,
        });
        let lists: Vec<(&str, usize)> = lists.collect();
        let (first, length) = lists.first().copied().unwrap_or(("x", 0));
        if let Some((name, other)) = lists.iter().find(|(_, other)| *other != length) {
            refuse!("argument [{name}]: expected {length} tensors as [{first}] has, got {other}");
        }
        let at = |value: &Value, place: usize| match value {
            Value::Tensors(views) => Value::Tensor(views[place].clone()),
            other => other.clone(),
        };
        let one = |place: usize| {
            let values = call.values.iter().map(|value| at(value, place)).collect();
            self.plan(&Call { operator: call.operator, values })
        };
        let tasks: Vec<Task> = (0..length).map(one).collect::<Outcome<_>>()?;
        Task::fallible(move |memory| tasks.iter().try_for_each(|task| (task.run)(memory)))
    }

    fn compute_type(&self, operands: &[(&str, Operand)], out: &View) -> Outcome<DataType> {
        let mut of_tensors: Option<DataType> = None;
        for (name, operand) in operands {
            if let Operand::Tensor(view) = operand
                && !NOT_PROMOTED.contains(name)
            {
                of_tensors = Some(of_tensors.map_or(Ok(view.data_type), |t| promote(t, view.data_type))?);
            }
        }
        let mut compute = of_tensors.unwrap_or(out.data_type);
        if self.result == Product::Cast {
            // Integers go to integers as they are; whatever has to do with floating types goes by them.
            return Ok(if compute.is_real() || out.data_type.is_real() { DataType::F64 } else { DataType::I64 });
        }
        for (name, operand) in operands {
            if let Operand::Constant(number) = operand
                && !NOT_PROMOTED.contains(name)
            {
                compute = widen(compute, *number, FACTORS.contains(name), out, name)?;
            }
        }
        let float = if out.data_type == DataType::F64 { DataType::F64 } else { DataType::F32 };
        match (compute.is_real(), self.int, self.real) {
            (false, None, _) => Ok(float),
            (true, _, None) => refuse!("expected integers or bool, got {}", compute.name()),
            _ => Ok(compute),
        }
    }
}

/// A scalar changes a tensor's type only where it is of a higher kind: bool, integer, floating.
fn widen(compute: DataType, number: Number, factor: bool, out: &View, name: &str) -> Outcome<DataType> {
    Ok(match number {
        Number::Real(value) if !compute.is_real() => {
            if factor && value.trunc() != value {
                refuse!("argument [{name}]: {value} cannot be cast to {}", compute.name());
            }
            match out.data_type {
                _ if factor => compute,
                DataType::F64 | DataType::F16 | DataType::Bf16 => out.data_type,
                _ => DataType::F32,
            }
        }
        Number::Integer(_) if compute == DataType::Bool && !factor => DataType::I64,
        _ => compute,
    })
}

fn check_masks(views: &[(&'static str, &View)]) -> Outcome<()> {
    for (name, view) in views.iter().filter(|(name, _)| matches!(*name, "condition" | "mask")) {
        if !matches!(view.data_type, DataType::Bool | DataType::U8) {
            refuse!("argument [{name}]: expected data type bool or uint8, got {}", view.data_type.name());
        }
    }
    Ok(())
}

/// Elements at a time: lanes of all operands stay in the cache.
const CHUNK: usize = 1024;
/// Most operands of an operator.
const MOST: usize = 6;

/// What the loop needs of a lane.
trait Compute: Lane {
    const ABSENT: Self;
    fn constant(number: Number, compute: DataType, exact: bool) -> Self;
    fn apply(map: &Map, width: Width, operands: &[Self]) -> Self;
}

impl Compute for i64 {
    const ABSENT: i64 = kernels::ABSENT;
    fn constant(number: Number, compute: DataType, _: bool) -> i64 {
        compute.settle(number.integer())
    }
    fn apply(map: &Map, _: Width, operands: &[i64]) -> i64 {
        map.int.map_or(0, |function| function(operands))
    }
}

impl Compute for f64 {
    const ABSENT: f64 = f64::NAN;
    fn constant(number: Number, compute: DataType, exact: bool) -> f64 {
        let value = number.real();
        if exact { compute.settle(value) } else { compute.width().round(value) }
    }
    fn apply(map: &Map, width: Width, operands: &[f64]) -> f64 {
        map.real.map_or(0.0, |function| function(width, operands))
    }
}

impl Plan {
    fn run(&self, memory: Memory) {
        if self.map.result == Product::Cast {
            return self.cast(memory);
        }
        if self.compute.is_real() { self.run_as::<f64>(memory) } else { self.run_as::<i64>(memory) }
    }

    /// As one chunk where a chunk's results would be read as operands of a later one.
    fn chunk(&self, memory: Memory) -> usize {
        let out = self.out.extent(memory);
        let meets = |operand: &Operand| match operand {
            Operand::Tensor(view) => {
                let extent = view.extent(memory);
                let same = view.address(memory) == self.out.address(memory)
                    && view.strides == self.out.strides
                    && view.data_type == self.out.data_type;
                !same && extent.start < out.end && out.start < extent.end
            }
            _ => false,
        };
        if self.operands.iter().any(meets) { self.out.count().max(1) } else { CHUNK }
    }

    fn run_as<L: Compute>(&self, memory: Memory) {
        let (width, chunk, total) = (self.compute.width(), self.chunk(memory), self.out.count());
        let settles = self.map.result == Product::Value;
        let mut lanes: Vec<Vec<L>> = Vec::with_capacity(self.operands.len());
        let mut walks: Vec<Option<Walk>> = Vec::with_capacity(self.operands.len());
        for operand in &self.operands {
            match operand {
                Operand::Tensor(view) => {
                    lanes.push(vec![L::default(); chunk]);
                    walks.push(Some(view.walk(memory)));
                }
                Operand::Constant(number) => {
                    lanes.push(vec![L::constant(*number, self.compute, !self.map.wide_scalars); chunk]);
                    walks.push(None);
                }
                Operand::Absent => {
                    lanes.push(vec![L::ABSENT; chunk]);
                    walks.push(None);
                }
            }
        }
        let mut results = vec![L::default(); chunk];
        let mut out = self.out.walk(memory);
        for start in (0..total).step_by(chunk) {
            let length = chunk.min(total - start);
            for ((operand, walk), lanes) in self.operands.iter().zip(&mut walks).zip(&mut lanes) {
                if let (Operand::Tensor(view), Some(walk)) = (operand, walk) {
                    walk.load(width, &mut lanes[..length]);
                    if view.data_type != self.compute {
                        lanes[..length].iter_mut().for_each(|lane| *lane = self.compute.settle(*lane));
                    }
                }
            }
            for (i, result) in results[..length].iter_mut().enumerate() {
                let mut operands = [L::default(); MOST];
                operands.iter_mut().zip(&lanes).for_each(|(operand, lanes)| *operand = lanes[i]);
                *result = L::apply(self.map, width, &operands[..self.operands.len()]);
                if settles {
                    *result = self.compute.settle(*result);
                }
            }
            out.store(&results[..length]);
        }
    }

    fn cast(&self, memory: Memory) {
        // The operand before the last one is what is overwritten.
        match self.operands.last() {
            Some(Operand::Tensor(source)) => convert(source, &self.out, memory),
            Some(Operand::Constant(number)) => fill(&self.out, memory, *number),
            _ => {}
        }
    }
}

pub fn fill(out: &View, memory: Memory, number: Number) {
    let count = out.count();
    match (number, out.data_type.is_real()) {
        (Number::Real(value), _) => out.store(memory, &vec![value; count]),
        (number, true) => out.store(memory, &vec![number.real(); count]),
        (number, false) => out.store(memory, &vec![number.integer(); count]),
    }
}

/// Elements of `source`, cast, to `out` of the same shape.
pub fn convert(source: &View, out: &View, memory: Memory) {
    if source.data_type == out.data_type {
        out.raw().store(memory, &source.raw().load::<i64>(memory, Width::Double));
    } else if source.data_type.is_real() || out.data_type.is_real() {
        // Integers are rounded once, to what the output has.
        let width = out.data_type.width();
        let width = if source.data_type.is_real() { Width::Double } else { width };
        out.store(memory, &source.load::<f64>(memory, width));
    } else {
        out.store(memory, &source.load::<i64>(memory, Width::Double));
    }
}

/// A bound that is null is none; torch gives one of the two at least.
pub fn clamp_tensor(call: &Call) -> Outcome<Task> {
    let given = |name| call.value(name).map(|value| !matches!(value, Value::Absent));
    match (given("clipValueMin")?, given("clipValueMax")?) {
        (true, true) => kernels::CLAMP_TENSOR.plan(call),
        (true, false) => kernels::CLAMP_LOW.plan(call),
        (false, true) => kernels::CLAMP_HIGH.plan(call),
        (false, false) => {
            refuse!("arguments [clipValueMin] and [clipValueMax]: expected a tensor for one, got nullptr for both")
        }
    }
}

/// Page aclnnInplaceMaskedFillTensor: a value without dims.
pub fn masked_fill_tensor(call: &Call) -> Outcome<Task> {
    let value = call.tensor("value")?;
    if !value.dims.is_empty() {
        refuse!("argument [value]: expected a tensor without dims, got shape {:?}", value.dims);
    }
    kernels::MASKED_FILL.plan(call)
}

/// `mode` of a division (page aclnnDivMod): 0 as it is, 1 truncated, 2 the floor.
pub fn div_mod(call: &Call) -> Outcome<Task> {
    match call.integer("mode")? {
        0 => kernels::DIV.plan(call),
        1 if matches!(call.value("other")?, Value::Number(_)) => kernels::TRUNC_DIV_SCALAR.plan(call),
        1 => kernels::TRUNC_DIV.plan(call),
        2 => kernels::FLOOR_DIV.plan(call),
        mode => refuse!("argument [mode]: expected 0 (division), 1 (truncated) or 2 (floor), got {mode}"),
    }
}
