//! Binds the tensors and attributes of a case to the parameters of an interface. Inputs, attributes and outputs come in the
//! order of the operator's description, as in generated interfaces; names decide where a hand-written one differs.

use serde::Serialize;

use super::case::Case;
use super::header::Param;

/// One argument, as the runner reads it.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "as", rename_all = "lowercase")]
pub enum Argument {
    /// A tensor that is read.
    Input {
        index: usize,
    },
    Output {
        index: usize,
    },
    /// Read and written.
    Inplace {
        input: usize,
        output: usize,
    },
    /// An aclScalar of an input.
    Scalar {
        index: usize,
    },
    /// An attribute: an aclScalar, an array or a value, by the parameter's type.
    Attr {
        index: usize,
        kind: String,
    },
    /// An optional tensor that the case leaves out.
    Null,
}

const ARRAYS: [&str; 3] = ["aclIntArray", "aclFloatArray", "aclBoolArray"];
const VALUES: [&str; 13] = [
    "bool", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "int", "uint32_t", "int64_t", "uint64_t", "float",
    "double", "char*",
];

/// The arguments in the order of the parameters; an error says why the case does not fit the interface.
pub fn bind(params: &[Param], case: &Case) -> Result<Vec<Argument>, String> {
    let mut queue = Queue { case, inputs: 0, outputs: 0, attrs: vec![false; case.attr_desc.len()] };
    // Only where the names are the interface's can a name be missed.
    let by_name = queue.names().all(|name| params.iter().any(|param| param.name == *name));
    let mut bound = Vec::new();
    for param in params {
        let absent = by_name && param.kind == "aclTensor" && !queue.names().any(|name| *name == param.name);
        bound.push(if absent { Argument::Null } else { queue.next(param)? });
    }
    queue.finish()?;
    Ok(bound)
}

/// Which parts of a case are bound.
struct Queue<'a> {
    case: &'a Case,
    inputs: usize,
    outputs: usize,
    attrs: Vec<bool>,
}

impl Queue<'_> {
    fn attr(&self, name: &str) -> Option<usize> {
        let plain = |name: &str| name.replace('_', "").to_lowercase();
        self.case.attr_desc.iter().position(|attr| plain(&attr.name) == plain(name))
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        let inputs = self.case.input_desc.iter().map(|input| &input.name);
        inputs.chain(self.case.output_desc.iter().map(|output| &output.name))
    }

    fn next(&mut self, param: &Param) -> Result<Argument, String> {
        let Param { kind, name } = param;
        match kind.as_str() {
            "aclTensor" if name.ends_with("Ref") => {
                let (input, output) = (self.input(name)?, self.output(name)?);
                Ok(Argument::Inplace { input, output })
            }
            "aclTensor" if self.inputs < self.case.input_desc.len() => Ok(Argument::Input { index: self.input(name)? }),
            "aclTensor" => Ok(Argument::Output { index: self.output(name)? }),
            "aclScalar" => match self.attr(name) {
                Some(index) => Ok(self.take(index, kind)),
                None => self.scalar(name),
            },
            kind if VALUES.contains(&kind) || ARRAYS.contains(&kind) => {
                let free = || self.attrs.iter().position(|taken| !taken);
                match self.attr(name).or_else(free) {
                    Some(index) => Ok(self.take(index, kind)),
                    None => Err(format!("no attribute is left for the parameter {kind} {name}")),
                }
            }
            other => Err(format!("the parameter {other} {name} is of a type that case files cannot give")),
        }
    }

    fn take(&mut self, index: usize, kind: &str) -> Argument {
        self.attrs[index] = true;
        Argument::Attr { index, kind: kind.to_owned() }
    }

    fn scalar(&mut self, name: &str) -> Result<Argument, String> {
        let index = self.input(name)?;
        let input = &self.case.input_desc[index];
        if !input.shape.is_empty() {
            return Err(format!(
                "{} has the shape {:?}, but the parameter {name} is a scalar: []",
                input.name, input.shape
            ));
        }
        Ok(Argument::Scalar { index })
    }

    fn input(&mut self, param: &str) -> Result<usize, String> {
        let index = self.inputs;
        self.inputs += 1;
        (index < self.case.input_desc.len())
            .then_some(index)
            .ok_or_else(|| format!("no input is left for the parameter {param}"))
    }

    fn output(&mut self, param: &str) -> Result<usize, String> {
        let index = self.outputs;
        self.outputs += 1;
        (index < self.case.output_desc.len())
            .then_some(index)
            .ok_or_else(|| format!("no input or output is left for the parameter {param}"))
    }

    fn finish(&self) -> Result<(), String> {
        let inputs = self.case.input_desc.iter().skip(self.inputs).map(|input| &input.name);
        let outputs = self.case.output_desc.iter().skip(self.outputs).map(|output| &output.name);
        let attrs =
            self.case.attr_desc.iter().zip(&self.attrs).filter(|(_, taken)| !**taken).map(|(attr, _)| &attr.name);
        let left: Vec<&str> = inputs.chain(attrs).chain(outputs).map(String::as_str).collect();
        if left.is_empty() { Ok(()) } else { Err(format!("no parameter is left for {}", left.join(", "))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(text: &str) -> Vec<Param> {
        text.split(", ")
            .map(|param| {
                let (kind, name) = param.rsplit_once(' ').expect("type and name");
                Param { kind: kind.to_owned(), name: name.to_owned() }
            })
            .collect()
    }

    /// Inputs, attributes and outputs by name; `()` after a name makes a scalar.
    fn bound(interface: &str, inputs: &str, attrs: &str, outputs: &str) -> Result<Vec<Argument>, String> {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let tensor = |name: &String| {
            let shape = if name.ends_with("()") { "[]" } else { "[2]" };
            format!(r#"{{"name": "{}", "data_type": "float", "shape": {shape}}}"#, name.trim_end_matches("()"))
        };
        let all = |names: Vec<String>| names.iter().map(tensor).collect::<Vec<_>>().join(",");
        let attrs: Vec<String> =
            words(attrs).iter().map(|name| format!(r#"{{"name": "{name}", "value": 1}}"#)).collect();
        let case = format!(
            r#"{{"case_name": "a", "op_name": "X", "input_desc": [{}], "output_desc": [{}], "attr_desc": [{}]}}"#,
            all(words(inputs)),
            all(words(outputs)),
            attrs.join(",")
        );
        bind(&params(interface), &serde_json::from_str(&case).expect("a case"))
    }

    use Argument::{Inplace, Input, Null, Output, Scalar};

    fn attr(index: usize, kind: &str) -> Argument {
        Argument::Attr { index, kind: kind.to_owned() }
    }

    #[test]
    fn tensors_in_order() {
        let interface = "aclTensor input, aclTensor angle, aclTensor out";
        assert_eq!(
            bound(interface, "x1 x2", "", "y"),
            Ok(vec![Input { index: 0 }, Input { index: 1 }, Output { index: 0 }])
        );
        assert_eq!(bound(interface, "x1", "", "y"), Err("no input or output is left for the parameter out".to_owned()));
        assert_eq!(bound(interface, "a b c", "", "y"), Err("no parameter is left for y".to_owned()));
    }

    #[test]
    fn scalars_are_inputs_without_a_shape_or_attributes() {
        let interface = "aclTensor self, aclScalar other, aclTensor out";
        let wanted = vec![Input { index: 0 }, Scalar { index: 1 }, Output { index: 0 }];
        assert_eq!(bound(interface, "self other()", "", "out"), Ok(wanted));
        let wanted = vec![Input { index: 0 }, attr(0, "aclScalar"), Output { index: 0 }];
        assert_eq!(bound(interface, "self", "other", "out"), Ok(wanted));
        assert_eq!(
            bound(interface, "self other", "", "out"),
            Err("other has the shape [2], but the parameter other is a scalar: []".to_owned())
        );
    }

    #[test]
    fn attributes_by_name_then_in_order() {
        let interface = "aclTensor self, int64_t dim, bool keepDim, aclTensor out";
        assert_eq!(
            bound(interface, "self", "keep_dim dim", "out"),
            Ok(vec![Input { index: 0 }, attr(1, "int64_t"), attr(0, "bool"), Output { index: 0 }])
        );
        assert_eq!(
            bound(interface, "self", "a b", "out")
                .map(|all| (all.len(), matches!(&all[1], Argument::Attr { index: 0, .. }))),
            Ok((4, true))
        );
        assert_eq!(
            bound(interface, "self", "dim", "out"),
            Err("no attribute is left for the parameter bool keepDim".to_owned())
        );
        assert_eq!(bound("aclTensor out", "", "dim", "out"), Err("no parameter is left for dim".to_owned()));
    }

    #[test]
    fn in_place_and_left_out() {
        assert_eq!(
            bound("aclTensor selfRef, aclTensor other", "self other", "", "self"),
            Ok(vec![Inplace { input: 0, output: 0 }, Input { index: 1 }])
        );
        let interface = "aclTensor x, aclTensor bias, aclTensor out";
        assert_eq!(bound(interface, "x", "", "out"), Ok(vec![Input { index: 0 }, Null, Output { index: 0 }]));
        let error = bound("aclTensorList xs, aclTensor out", "x", "", "out").expect_err("no lists");
        assert_eq!(error, "the parameter aclTensorList xs is of a type that case files cannot give");
    }
}
