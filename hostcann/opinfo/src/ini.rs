//! `aic-<soc>-ops-info.ini`: lines as upstream's converters read them, and the order in which op_build writes them.

use crate::finding::shown;
use crate::json::quoted;
use crate::tables::{ATTR_KEYS, TENSOR_KEYS, WRITTEN_TENSOR_KEYS};
use crate::{Entry, Finding, Op, Origin, Rule, list};

/// Lines end as Python's text files do: LF, CR LF or CR.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

/// What Python's rstrip takes off.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

pub fn read(text: &str, findings: &mut Vec<Finding>) -> Vec<Op> {
    let mut ops: Vec<Op> = Vec::new();
    for (index, line) in lines(text).enumerate() {
        let at = index + 1;
        let line = line.trim_end_matches(is_blank);
        if line.is_empty() {
            continue;
        }
        let op = ops.last().map_or("", |op| op.name.as_str()).to_owned();
        let mut add = |rule, message: String| findings.push(Finding::new(rule, Origin::Ini, at, &op, message));
        if let Some(name) = line.strip_prefix('[') {
            let Some(name) = name.strip_suffix(']') else {
                add(Rule::OpenSection, format!("{} has no closing bracket, the converter passes it over", shown(line)));
                continue;
            };
            if let Some(first) = ops.iter().find(|op| op.name == name) {
                add(Rule::OpTwice, format!("operator {} is there since line {} already", shown(name), first.line));
            }
            ops.push(Op { name: name.to_owned(), line: at, origin: Origin::Ini, entries: Vec::new() });
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            if !line.starts_with(['#', ';']) {
                add(Rule::Stray, format!("{} has no `=`, the converter passes it over", shown(line)));
            }
            continue;
        };
        if line.starts_with(['#', ';']) {
            add(Rule::Comment, format!("{} is a key to the converter", shown(name)));
            continue;
        }
        let (Some((group, key)), 1) = (name.split_once('.'), name.matches('.').count()) else {
            add(Rule::KeyForm, format!("{} is not of the form group.key", shown(name)));
            continue;
        };
        let Some(last) = ops.last_mut() else {
            add(Rule::BeforeOp, format!("{} stands before the first [OpType]", shown(name)));
            continue;
        };
        let (group, key, value) = (group.to_owned(), key.to_owned(), value.to_owned());
        if let Some(first) = last.entries.iter().find(|entry| entry.group == group && entry.key == key) {
            add(Rule::KeyTwice, format!("{} is there since line {} already", shown(name), first.line));
            continue;
        }
        last.entries.push(Entry { group, key, value, line: at });
    }
    ops
}

/// In the order of op_build: tensors, attributes, flags, keys of the author, defaults, names.
///
/// # Errors
///
/// An entry would not be read back as it is: a name has `.`, `=` or a line break, a group starts with `[`, `#` or `;`,
/// or a value has a line break or ends with a blank.
pub fn write(ops: &[Op]) -> Result<String, String> {
    let mut out = String::new();
    for op in ops {
        out.push_str(&format!("[{}]\n", op.name));
        let mut entries: Vec<(Rank, &Entry)> = op.entries.iter().map(|entry| (rank(op, entry), entry)).collect();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        for (_, entry) in entries {
            out.push_str(&line(&op.name, entry)?);
        }
    }
    Ok(out)
}

/// An entry that comes back as another one is none for an ini file.
fn line(op: &str, entry: &Entry) -> Result<String, String> {
    let Entry { group, key, value, .. } = entry;
    let bad = format!("{group}{key}").contains(['.', '=', '\n', '\r'])
        || group.starts_with(['[', '#', ';'])
        || value.contains(['\n', '\r'])
        || value.ends_with(is_blank);
    if bad {
        let entry = format!("{}.{}={}", quoted(group), quoted(key), quoted(value));
        return Err(format!("[{op}] {entry} cannot stand in an ini file"));
    }
    Ok(format!("{group}.{key}={value}\n"))
}

/// Part of the section, number in it, place in its group, name.
type Rank<'a> = (usize, usize, usize, &'a str, &'a str);

const FLAGS: [&str; 6] = [
    "dynamicCompileStatic",
    "dynamicFormat",
    "dynamicRankSupport",
    "dynamicShapeSupport",
    "needCheckSupport",
    "precision_reduce",
];
const LAST: [&str; 7] = ["aclnnSupport", "prebuildPattern", "coreType", "jitCompile", "opFile", "opInterface", "mc2"];

fn rank<'a>(op: &Op, entry: &'a Entry) -> Rank<'a> {
    let (group, key) = (entry.group.as_str(), entry.key.as_str());
    let place = |keys: &[&str], key: &str| keys.iter().position(|known| *known == key).unwrap_or(keys.len());
    if let Some((kind, number)) = crate::meaning::tensor_group(group) {
        return (
            usize::from(kind == "output"),
            number,
            place(TENSOR_KEYS.split_at(WRITTEN_TENSOR_KEYS).0, key),
            group,
            key,
        );
    }
    if group == "attr" {
        return (2, 0, 0, group, key);
    }
    if let Some(name) = group.strip_prefix("attr_") {
        let names = op.get("attr", "list").map(list).unwrap_or_default();
        return (2, 1 + place(&names, name), place(&ATTR_KEYS, key), group, key);
    }
    match (place(&FLAGS, group), place(&LAST, group)) {
        (flag, _) if flag < FLAGS.len() => (3, flag, 0, group, key),
        (_, last) if last < LAST.len() => (5, last, 0, group, key),
        _ => (4, 0, 0, group, key),
    }
}
