//! Template tiling keys: the tokens that `template_argument.h` leaves in the preprocessed kernel (ASCENDC_TPL_PRE), the
//! selections they stand for and the key of each.
//!
//! `@@HC_TPL_DECL@@ (op, {name, kind, width, mode, v…}, …) @@END@@`
//! `@@HC_TPL_SEL@@ ({{name, kind, mode, v…}, …}, …) @@END@@`

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use cpptext::{Token, tokens};

use super::dtype;
use crate::base::plural;

const DECL: &str = "@@HC_TPL_DECL@@";
const SEL: &str = "@@HC_TPL_SEL@@";
const END: &str = "@@END@@";
/// Placeholders for "whatever input/output i has" (template_argument.h, ASCENDC_TPL_INPUT/OUTPUT).
const INPUT_BIAS: u64 = 100_000_000;
const OUTPUT_BIAS: u64 = 900_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    Uint,
    Bool,
    DType,
    Format,
    DataType,
    KernelType,
    Deterministic,
}

#[derive(Debug)]
struct Param {
    name: String,
    kind: ParamKind,
    width: u32,
    values: Vec<u64>,
}

#[derive(Debug)]
struct Choice {
    name: String,
    kind: ParamKind,
    values: Vec<u64>,
}

/// The dtype codes of one column, for the placeholders.
pub struct Column {
    pub inputs: Vec<u32>,
    pub outputs: Vec<u32>,
}

/// Key -> template arguments as C++ text. None: the kernel does not use the template macros.
pub fn expand(preprocessed: &str, column: &Column) -> Result<Option<BTreeMap<u64, Vec<String>>>> {
    let decls = sections(preprocessed, DECL)?;
    let sels = sections(preprocessed, SEL)?;
    // A header without a guard, included twice: the device compiler takes the first.
    let Some(decl) = decls.first() else {
        ensure!(sels.is_empty(), "ASCENDC_TPL_SEL without ASCENDC_TPL_ARGS_DECL");
        return Ok(None);
    };
    let params = read_decl(decl, column)?;
    let sel = sels.first().context("ASCENDC_TPL_ARGS_DECL needs an ASCENDC_TPL_SEL, found none")?;
    let mut keys = BTreeMap::new();
    for group in sel {
        let choices = read_group(group, column)?;
        for (key, args) in cross(&params, &choices)? {
            ensure!(keys.insert(key, args).is_none(), "two ASCENDC_TPL_ARGS_SEL groups select the tiling key {key}");
        }
    }
    ensure!(!keys.is_empty(), "ASCENDC_TPL_SEL selects nothing");
    Ok(Some(keys))
}

// --- text -> tree -------------------------------------------------------------------------------

#[derive(Debug)]
enum Node {
    Word(String),
    Group(Vec<Node>),
}

fn sections(text: &str, start: &str) -> Result<Vec<Vec<Node>>> {
    let mut found = Vec::new();
    for part in text.split(start).skip(1) {
        let Some((body, _)) = part.split_once(END) else { bail!("{start} without {END}") };
        let mut nodes = read_list(&mut tokens(body).into_iter(), None)?;
        match (nodes.pop(), nodes.is_empty()) {
            (Some(Node::Group(inner)), true) => found.push(inner),
            _ => bail!("{start}: one list in parentheses expected, found `{}`", body.trim()),
        }
    }
    Ok(found)
}

fn read_list<'a>(tokens: &mut impl Iterator<Item = Token<'a>>, close: Option<&str>) -> Result<Vec<Node>> {
    let mut nodes = Vec::new();
    while let Some(token) = tokens.next() {
        match token.text {
            "," => {}
            "(" => nodes.push(Node::Group(read_list(tokens, Some(")"))?)),
            "{" => nodes.push(Node::Group(read_list(tokens, Some("}"))?)),
            ")" | "}" => {
                ensure!(close == Some(token.text), "unexpected `{}`", token.text);
                return Ok(nodes);
            }
            word => nodes.push(Node::Word(word.to_owned())),
        }
    }
    match close {
        Some(close) => bail!("`{close}` is missing"),
        None => Ok(nodes),
    }
}

fn word(node: &Node) -> Result<&str> {
    match node {
        Node::Word(word) => Ok(word),
        // A parenthesised value.
        Node::Group(inner) if inner.len() == 1 => word(&inner[0]),
        Node::Group(_) => bail!("a name or a number expected, found a list"),
    }
}

/// A literal, a C_DT name, or a sum in parentheses as ASCENDC_TPL_INPUT(i) leaves it.
fn number(node: &Node) -> Result<u64> {
    if let Node::Group(parts) = node {
        let mut sum = 0_u64;
        for (index, part) in parts.iter().enumerate() {
            match part {
                Node::Word(plus) if index % 2 == 1 && plus == "+" => {}
                _ if index % 2 == 0 => {
                    sum = sum.checked_add(number(part)?).context("a template value overflows 64 bits")?
                }
                _ => bail!("a number or a sum expected, found {node:?}"),
            }
        }
        return Ok(sum);
    }
    let text = word(node)?;
    if let Some(code) = dtype::c_dtype(text) {
        return Ok(u64::from(code.cast_unsigned()));
    }
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let parsed = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    parsed
        .ok()
        .with_context(|| format!("`{text}` is no number literal; template values must be literals or macros for them"))
}

// --- tree -> parameters -------------------------------------------------------------------------

fn read_kind(text: &str) -> Result<ParamKind> {
    Ok(match text {
        "UINT" => ParamKind::Uint,
        "BOOL" => ParamKind::Bool,
        "DTYPE" => ParamKind::DType,
        "FORMAT" => ParamKind::Format,
        "DATATYPE" => ParamKind::DataType,
        "KERNEL_TYPE" => ParamKind::KernelType,
        "DETERMINISTIC" => ParamKind::Deterministic,
        other => bail!("the template parameter kind {other} is not supported by the host toolkit"),
    })
}

fn read_decl(nodes: &[Node], column: &Column) -> Result<Vec<Param>> {
    let mut params: Vec<Param> = Vec::new();
    // The first entry is the op's name.
    for node in nodes.iter().skip(1) {
        let Node::Group(parts) = node else { bail!("ASCENDC_TPL_ARGS_DECL: a parameter expected, found {node:?}") };
        let [name, kind, width, mode, values @ ..] = parts.as_slice() else {
            bail!("ASCENDC_TPL_ARGS_DECL: an incomplete parameter: {parts:?}");
        };
        let (name, kind) = (word(name)?.to_owned(), read_kind(word(kind)?)?);
        let values = read_values(kind, mode, values, column).with_context(|| format!("template parameter {name}"))?;
        ensure!(params.iter().all(|param| param.name != name), "template parameter {name} is declared twice");
        let width = u32::try_from(number(width)?).ok().filter(|width| (1..=64).contains(width));
        let width = width.with_context(|| format!("template parameter {name}: the bit width must be 1 to 64"))?;
        params.push(Param { name, kind, width, values });
    }
    let total: u32 = params.iter().map(|param| param.width).sum();
    ensure!(total <= 64, "the template parameters take {total} bits, a tiling key has 64");
    Ok(params)
}

fn read_group(node: &Node, column: &Column) -> Result<Vec<Choice>> {
    let Node::Group(entries) = node else { bail!("ASCENDC_TPL_SEL: a group expected, found {node:?}") };
    let mut choices = Vec::new();
    for entry in entries {
        let Node::Group(parts) = entry else { bail!("ASCENDC_TPL_ARGS_SEL: a selection expected, found {entry:?}") };
        let [name, kind, mode, values @ ..] = parts.as_slice() else {
            bail!("ASCENDC_TPL_ARGS_SEL: an incomplete selection: {parts:?}");
        };
        // Names a type for the compile script; not part of the key.
        if word(kind)? == "TILING_STRUCT" {
            continue;
        }
        let (name, kind) = (word(name)?.to_owned(), read_kind(word(kind)?)?);
        let values = read_values(kind, mode, values, column).with_context(|| format!("selection of {name}"))?;
        choices.push(Choice { name, kind, values });
    }
    Ok(choices)
}

fn read_values(kind: ParamKind, mode: &Node, nodes: &[Node], column: &Column) -> Result<Vec<u64>> {
    // asc-devkit's template_tiling.py takes the digits in the lists of these kinds: next to values, a name without digits
    // that no macro stands for adds nothing (ops-nn activation/clipped_swiglu_grad).
    let no_digits =
        |node: &Node| matches!(node, Node::Word(name) if name.chars().all(|c| c.is_ascii_alphabetic() || c == '_'));
    let drops = matches!(kind, ParamKind::Uint | ParamKind::Bool) && !nodes.iter().all(no_digits);
    let taken = nodes.iter().filter(|node| !(drops && no_digits(node)));
    let raw = taken.map(number).collect::<Result<Vec<u64>>>()?;
    let values = if kind == ParamKind::Uint { read_uint(word(mode)?, &raw)? } else { raw };
    let mut seen = BTreeSet::new();
    for value in &values {
        ensure!(seen.insert(value), "the value {value} is there twice");
    }
    if kind == ParamKind::Uint {
        return Ok(values);
    }
    // What a placeholder stands for may be in the list by name, too (asc-devkit's template_tiling.py looks for
    // duplicates before it replaces placeholders).
    let mut known = BTreeSet::new();
    let mut resolved = Vec::new();
    for value in values {
        let value = resolve(value, column)?;
        if known.insert(value) {
            resolved.push(value);
        }
    }
    Ok(resolved)
}

/// UI_RANGE 0: count, then pairs; UI_LIST 1: values; UI_MIX 2: count, pairs, values.
fn read_uint(mode: &str, raw: &[u64]) -> Result<Vec<u64>> {
    let (ranges, list) = match mode {
        "1" | "ASCENDC_TPL_UI_LIST" => (&[][..], raw),
        "0" | "ASCENDC_TPL_UI_RANGE" | "2" | "ASCENDC_TPL_UI_MIX" => {
            let Some((&count, rest)) = raw.split_first() else { bail!("the number of ranges is missing") };
            let pairs = usize::try_from(count).ok().and_then(|count| count.checked_mul(2)).filter(|&n| n <= rest.len());
            let pairs = pairs.with_context(|| {
                format!(
                    "{} announced, but only {} follow",
                    plural::number(count, "range"),
                    plural::number(rest.len(), "bound")
                )
            })?;
            rest.split_at(pairs)
        }
        other => bail!("unknown UINT mode {other}"),
    };
    ensure!(list.is_empty() || !(mode == "0" || mode.ends_with("RANGE")), "UI_RANGE has values behind its ranges");
    let mut values = Vec::new();
    for pair in ranges.chunks(2) {
        ensure!(
            pair[0] <= pair[1] && pair[1] - pair[0] < 1 << 16,
            "the range {} to {} is empty or too long",
            pair[0],
            pair[1]
        );
        values.extend(pair[0]..=pair[1]);
    }
    values.extend_from_slice(list);
    ensure!(!values.is_empty(), "no values");
    Ok(values)
}

fn resolve(value: u64, column: &Column) -> Result<u64> {
    let (list, index, what) = match value {
        OUTPUT_BIAS.. => (&column.outputs, value - OUTPUT_BIAS, "output"),
        INPUT_BIAS.. => (&column.inputs, value - INPUT_BIAS, "input"),
        _ => return Ok(value),
    };
    let code = usize::try_from(index).ok().and_then(|index| list.get(index));
    code.map(|&code| u64::from(code)).with_context(|| format!("the op has no {what} {index}"))
}

// --- selections -> keys -------------------------------------------------------------------------

fn cross(params: &[Param], choices: &[Choice]) -> Result<Vec<(u64, Vec<String>)>> {
    for choice in choices {
        match choice.kind {
            // ASCENDC_TPL_AIC_ONLY and the MIX_AIC types; the others run on vector cores.
            ParamKind::KernelType if choice.values.iter().any(|value| [1, 5, 6, 7].contains(value)) => {
                bail!(
                    "ASCENDC_TPL_KERNEL_TYPE_SEL asks for cube cores: hostcann reads the type of a kernel from KERNEL_TASK_TYPE"
                )
            }
            ParamKind::KernelType | ParamKind::Deterministic => {}
            _ => ensure!(
                params.iter().any(|param| param.name == choice.name),
                "ASCENDC_TPL_ARGS_SEL selects {}, which ASCENDC_TPL_ARGS_DECL does not declare",
                choice.name
            ),
        }
    }
    let mut rows: Vec<(u64, Vec<String>)> = vec![(0, Vec::new())];
    let mut shift = 0;
    for param in params {
        let name = &param.name;
        let mut matching = choices.iter().filter(|choice| choice.name == *name);
        let (choice, more) = (matching.next(), matching.next().is_some());
        let choice = choice.with_context(|| format!("an ASCENDC_TPL_ARGS_SEL group does not select {name}"))?;
        ensure!(!more, "an ASCENDC_TPL_ARGS_SEL group selects {name} twice");
        ensure!(choice.kind == param.kind, "{name} is declared as {:?} and selected as {:?}", param.kind, choice.kind);
        let mut next = Vec::new();
        for (key, args) in &rows {
            for value in &choice.values {
                let mut args = args.clone();
                args.push(argument(param.kind, *value));
                next.push((key | (encode(param, *value)? << shift), args));
            }
        }
        rows = next;
        shift += param.width;
    }
    Ok(rows)
}

/// A UINT is encoded by its position in the declaration, everything else by its value.
fn encode(param: &Param, value: u64) -> Result<u64> {
    let position = param.values.iter().position(|&declared| declared == value);
    let position = position.with_context(|| {
        format!("{} is selected with {value}, which is not declared ({:?})", param.name, param.values)
    })?;
    let code = if param.kind == ParamKind::Uint { position as u64 } else { value };
    ensure!(
        param.width >= 64 || code >> param.width == 0,
        "{}: {code} does not fit into {}",
        param.name,
        plural::number(param.width, "bit")
    );
    Ok(code)
}

fn argument(kind: ParamKind, value: u64) -> String {
    match kind {
        ParamKind::DataType => format!("TypeFromId<{value}>::type"),
        _ => value.to_string(),
    }
}

#[cfg(test)]
#[path = "tpl_tests.rs"]
mod tests;
