//! Prototypes: `REG_OP(OpType).INPUT(...)...OP_END_FACTORY_REG(OpType)` of a header, and an entry against one.

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
    let text = without_comments(text);
    let mut protos = Vec::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("REG_OP(") {
        let is_word = rest[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        rest = &rest[at + "REG_OP".len()..];
        if is_word {
            continue;
        }
        let Some((name, mut tail)) = arguments(rest) else { break };
        let mut proto = Proto { name: name.trim().to_owned(), ..Proto::default() };
        while let Some(next) = tail.trim_start().strip_prefix('.') {
            let Some(open) = next.find('(') else { break };
            let word = next[..open].trim();
            let Some((inside, after)) = arguments(&next[open..]) else { break };
            tail = after;
            if word == "OP_END_FACTORY_REG" {
                break;
            }
            proto.add(word, inside);
        }
        rest = tail;
        protos.push(proto);
    }
    protos
}

impl Proto {
    fn add(&mut self, word: &str, inside: &str) {
        let parts = split(inside);
        let name = parts.first().copied().unwrap_or_default().to_owned();
        match word {
            "INPUT" => self.inputs.push((name, "required")),
            "OPTIONAL_INPUT" => self.inputs.push((name, "optional")),
            "DYNAMIC_INPUT" => self.inputs.push((name, "dynamic")),
            "OUTPUT" => self.outputs.push((name, "required")),
            "OPTIONAL_OUTPUT" => self.outputs.push((name, "optional")),
            "DYNAMIC_OUTPUT" => self.outputs.push((name, "dynamic")),
            "ATTR" | "REQUIRED_ATTR" => self.attributes.push(Attribute {
                name,
                kind: kind(parts.get(1).copied().unwrap_or_default()),
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

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let (line, block, quote) = (rest.find("//"), rest.find("/*"), rest.find('"'));
        let first = [line, block, quote].into_iter().flatten().min();
        let Some(at) = first else { break };
        out.push_str(&rest[..at]);
        if Some(at) == quote {
            let mut end = at + 1;
            let bytes = rest.as_bytes();
            while end < bytes.len() && bytes[end] != b'"' {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            let end = (end + 1).min(rest.len());
            let end = (end..=rest.len()).find(|&end| rest.is_char_boundary(end)).unwrap_or(rest.len());
            out.push_str(&rest[at..end]);
            rest = &rest[end..];
        } else if Some(at) == line {
            rest = rest[at..].find('\n').map_or("", |end| &rest[at + end..]);
        } else {
            rest = rest[at + 2..].find("*/").map_or("", |end| &rest[at + 2 + end + 2..]);
            out.push(' ');
        }
    }
    out.push_str(rest);
    out
}

/// What is between the parenthesis at the start and its other one, and what follows.
fn arguments(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some((&text[1..at], &text[at + 1..]));
                }
            }
            _ => {}
        }
    }
    None
}

/// At the commas of the outermost level.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start, mut quoted) = (Vec::new(), 0_i32, 0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '{' | '[' if !quoted => depth += 1,
            ')' | '}' | ']' if !quoted => depth -= 1,
            ',' if depth == 0 && !quoted => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
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
