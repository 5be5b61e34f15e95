//! Prototypes: `REG_OP(OpType).INPUT(...)...OP_END_FACTORY_REG(OpType)` of a header, and an entry against one.

use cpptext::{Token, closing, spelled, split, tokens};

use crate::meaning::{Attribute, Operator, Tensor};
use crate::{Finding, Op, Rule, literal};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proto {
    pub name: String,
    /// Name and paramType.
    pub inputs: Vec<(String, &'static str)>,
    pub outputs: Vec<(String, &'static str)>,
    pub attributes: Vec<Attribute>,
}

/// Every prototype of a header's text.
pub fn parse(text: &str) -> Vec<Proto> {
    let tokens = tokens(text);
    let mut protos = Vec::new();
    for at in (0..tokens.len()).filter(|&at| tokens[at].is("REG_OP")) {
        let Some(close) = closing(&tokens, at + 1) else { continue };
        let mut proto = Proto { name: spelled(&tokens[at + 2..close]), ..Proto::default() };
        let mut rest = &tokens[close + 1..];
        while let [dot, word, ..] = rest
            && dot.is(".")
            && !word.is("OP_END_FACTORY_REG")
            && let Some(close) = closing(rest, 2)
        {
            proto.add(word.text, &split(&rest[3..close]));
            rest = &rest[close + 1..];
        }
        protos.push(proto);
    }
    protos
}

impl Proto {
    fn add(&mut self, word: &str, parts: &[&[Token]]) {
        let parts: Vec<String> = parts.iter().map(|part| spelled(part)).collect();
        let name = parts.first().cloned().unwrap_or_default();
        match word {
            "INPUT" => self.inputs.push((name, "required")),
            "OPTIONAL_INPUT" => self.inputs.push((name, "optional")),
            "DYNAMIC_INPUT" => self.inputs.push((name, "dynamic")),
            "OUTPUT" => self.outputs.push((name, "required")),
            "OPTIONAL_OUTPUT" => self.outputs.push((name, "optional")),
            "DYNAMIC_OUTPUT" => self.outputs.push((name, "dynamic")),
            "ATTR" | "REQUIRED_ATTR" => self.attributes.push(Attribute {
                name,
                kind: kind(parts.get(1).map_or("", String::as_str)),
                required: word == "REQUIRED_ATTR",
                values: None,
                default: (parts.len() > 2).then(|| default(&parts[2..].join(","))),
            }),
            _ => {}
        }
    }
}

fn kind(word: &str) -> String {
    match word {
        "String" => "str".to_owned(),
        "ListString" => "listStr".to_owned(),
        other => {
            let mut chars = other.chars();
            chars.next().map(|first| first.to_ascii_lowercase().to_string() + chars.as_str()).unwrap_or_default()
        }
    }
}

/// A C++ initialiser in the words of the library.
fn default(text: &str) -> String {
    let text = text.trim().replace('{', "[").replace('}', "]");
    let text: String = text.replace("\"", "");
    let number = text.strip_suffix(['f', 'F']).filter(|number| number.parse::<f64>().is_ok());
    number.unwrap_or(&text).to_owned()
}

pub fn check(op: &Op, protos: &[Proto]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |rule, line, message: String| {
        findings.push(Finding::new(rule, op.origin, line, &op.name, message));
    };
    let Some(proto) = protos.iter().find(|proto| proto.name == op.name) else {
        add(Rule::ProtoMissing, op.line, format!("no REG_OP({}) among the prototypes given", op.name));
        return findings;
    };
    let operator = Operator::of(op);
    for (kind, tensors, wanted) in
        [("inputs", &operator.inputs, &proto.inputs), ("outputs", &operator.outputs, &proto.outputs)]
    {
        let have: Vec<&str> = tensors.iter().map(|tensor| tensor.name.as_str()).collect();
        let want: Vec<&str> = wanted.iter().map(|tensor| tensor.0.as_str()).collect();
        if have != want {
            let message = format!("{kind} are {}, the prototype's are {}", names(&have), names(&want));
            add(Rule::ProtoTensors, op.line, message);
            continue;
        }
        let differs = |pair: &(&Tensor, &(String, &str))| pair.0.param_type != pair.1.1;
        for (tensor, (_, kind)) in tensors.iter().zip(wanted).filter(differs) {
            let line = op.entry(&tensor.place, "paramType").map_or(op.line, |entry| entry.line);
            let message =
                format!("{} ({}) is {}, in the prototype {kind}", tensor.place, tensor.name, tensor.param_type);
            add(Rule::ProtoKind, line, message);
        }
    }
    let have: Vec<&str> = operator.attributes.iter().map(|one| one.name.as_str()).collect();
    let want: Vec<&str> = proto.attributes.iter().map(|one| one.name.as_str()).collect();
    if have != want {
        let line = op.entry("attr", "list").map_or(op.line, |entry| entry.line);
        add(Rule::ProtoAttrs, line, format!("attributes are {}, the prototype's are {}", names(&have), names(&want)));
    }
    for mine in &operator.attributes {
        let Some(theirs) = proto.attributes.iter().find(|one| one.name == mine.name) else { continue };
        let line = op.line_of(&format!("attr_{}", mine.name)).unwrap_or(op.line);
        let name = &mine.name;
        if mine.kind != theirs.kind {
            add(
                Rule::ProtoAttrType,
                line,
                format!("attribute {name} is {}, in the prototype {}", mine.kind, theirs.kind),
            );
        }
        if mine.required != theirs.required {
            let word = |required| if required { "required" } else { "optional" };
            let (mine, theirs) = (word(mine.required), word(theirs.required));
            add(Rule::ProtoRequired, line, format!("attribute {name} is {mine}, in the prototype {theirs}"));
        }
        if let (Some(a), Some(b)) = (&mine.default, &theirs.default)
            && !literal::same(&mine.kind, a, b)
        {
            add(Rule::ProtoDefault, line, format!("attribute {name} has the default {a}, in the prototype {b}"));
        }
    }
    findings
}

fn names(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(",") }
}
