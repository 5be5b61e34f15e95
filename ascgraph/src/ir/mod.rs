//! The registry of AscIR types for the vector core of Atlas A2 and A3 (upstream's architecture 2201): operands,
//! attributes, data types, what a type does to axes, and whose buffer its result may take. One file per family; checks,
//! interpreters, generators and the table in the documentation are made from here.

mod compare;
mod edge;
mod elewise;
mod move_data;
mod reduce;

use crate::dtype::DType;

pub use compare::has_mask;
pub use elewise::{is_exact, is_fmod};
pub use move_data::is_repeated;
pub use reduce::{Reduction, is_folded, is_reduced, reduction};

/// What a type does to the axes of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComputeType {
    /// Data, Scalar, Output: nothing is computed.
    Invalid,
    Load,
    Store,
    Elewise,
    Broadcast,
    Reduce,
    Concat,
    /// The same elements, along the same axes in another order.
    Transpose,
}

/// The pipe that executes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComputeUnit {
    None,
    Mte2,
    Mte3,
    Vector,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    Named(&'static [&'static str]),
    /// One operand after the other under one name, at least one.
    List(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrKind {
    /// An integer from 0.
    Index,
    /// A literal of the node's data type, as text.
    Literal,
    /// An expression over sizes: may be left out, which is 0.
    Offset,
    /// An expression over sizes.
    Size,
    Text,
    /// 0, the default, or 1: may be left out.
    Choice,
    /// The result's data type, as text: may be left out, and stands for `y.dtype` where that is.
    ResultType,
}

/// Data types of operands and result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtypes {
    /// All the same.
    Same(&'static [DType]),
    /// All operands the first, the result the second.
    Mapped(&'static [(DType, DType)]),
    /// uint8 first, then operands and result of one type.
    Selected(&'static [DType]),
    /// Never computed.
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AscIr {
    pub name: &'static str,
    pub inputs: Inputs,
    /// Every one of them is required unless its kind says otherwise.
    pub attrs: &'static [(&'static str, AttrKind)],
    pub compute_type: ComputeType,
    pub unit: ComputeUnit,
    pub dtypes: Dtypes,
    /// Operands in whose buffer the result may be written when they end here.
    pub in_place: &'static [&'static str],
    /// False: upstream registers it for other architectures only.
    pub upstream: bool,
}

impl AscIr {
    const fn elewise(name: &'static str, inputs: &'static [&'static str], dtypes: Dtypes) -> AscIr {
        AscIr {
            name,
            inputs: Inputs::Named(inputs),
            attrs: &[],
            compute_type: ComputeType::Elewise,
            unit: ComputeUnit::Vector,
            dtypes,
            in_place: inputs,
            upstream: true,
        }
    }

    /// The name of operand `at`.
    pub fn input(&self, at: usize) -> Option<&'static str> {
        match self.inputs {
            Inputs::Named(names) => names.get(at).copied(),
            Inputs::List(name) => Some(name),
        }
    }

    /// The types that operand `at` may have with these results.
    pub fn rows(&self) -> Vec<(DType, DType)> {
        match self.dtypes {
            Dtypes::Same(list) | Dtypes::Selected(list) => list.iter().map(|t| (*t, *t)).collect(),
            Dtypes::Mapped(list) => list.to_vec(),
            Dtypes::None => Vec::new(),
        }
    }

    /// Is there a row with these operands and this result?
    pub fn takes(&self, operands: &[DType], result: DType) -> bool {
        let rest = match (self.dtypes, operands.split_first()) {
            (Dtypes::Selected(_), Some((first, rest))) if *first == DType::UInt8 => rest,
            (Dtypes::Selected(_), _) => return false,
            _ => operands,
        };
        self.rows().iter().any(|(from, to)| *to == result && rest.iter().all(|operand| operand == from))
    }

    /// Is there a result for these operands?
    pub fn has_row(&self, operands: &[DType]) -> bool {
        DType::ALL.iter().any(|result| self.takes(operands, *result))
    }

    /// The result's type, where the operands leave no choice.
    pub fn result(&self, operands: &[DType]) -> Option<DType> {
        let operand = match self.dtypes {
            Dtypes::Selected(_) => operands.get(1),
            _ => operands.first(),
        }?;
        let mut results: Vec<DType> = self.rows().iter().filter(|row| row.0 == *operand).map(|row| row.1).collect();
        results.dedup();
        match results.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// `float16, float32`, or `float32 → int32, …`.
    pub fn dtype_text(&self) -> String {
        let names = |list: &[DType]| list.iter().map(|t| t.name()).collect::<Vec<_>>().join(", ");
        match self.dtypes {
            Dtypes::Same(list) => names(list),
            Dtypes::Selected(list) => format!("uint8, then {}", names(list)),
            Dtypes::Mapped(list) => {
                let rows: Vec<String> = list.iter().map(|(from, to)| format!("{from} → {to}")).collect();
                rows.join(", ")
            }
            Dtypes::None => "none".to_owned(),
        }
    }
}

/// Every registered type, family after family.
pub fn all() -> impl Iterator<Item = &'static AscIr> {
    [edge::TYPES, move_data::TYPES, elewise::TYPES, compare::TYPES, reduce::TYPES].into_iter().flatten()
}

pub fn find(name: &str) -> Option<&'static AscIr> {
    all().find(|ir| ir.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_operands_are_unique() {
        let mut names: Vec<&str> = all().map(|ir| ir.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for ir in all() {
            if let Inputs::Named(list) = ir.inputs {
                assert!(ir.in_place.iter().all(|name| list.contains(name)), "{}", ir.name);
            }
        }
    }

    #[test]
    fn results_follow_operands() {
        let add = find("Add").expect("Add");
        assert!(add.takes(&[DType::Float32; 2], DType::Float32));
        assert!(!add.takes(&[DType::Float32, DType::Float16], DType::Float32));
        assert!(!add.takes(&[DType::Int64; 2], DType::Int64));
        let choose = find("Where").expect("Where");
        assert!(choose.takes(&[DType::UInt8, DType::Float32, DType::Float32], DType::Float32));
        assert!(!choose.takes(&[DType::Float32; 3], DType::Float32));
        assert_eq!(choose.result(&[DType::UInt8, DType::Int16, DType::Int16]), Some(DType::Int16));
        assert_eq!(find("TrueDiv").expect("TrueDiv").result(&[DType::Int32; 2]), Some(DType::Float32));
        // Many results are possible: the node says which.
        assert_eq!(find("Cast").expect("Cast").result(&[DType::Float32]), None);
    }
}
