//! `aic-<soc>-ops-info.json`: a reader that knows lines and repeated keys, and a writer with the bytes of Python's
//! `json.dump(sort_keys=True, indent=4, separators=(',', ':'))`, which upstream's converters use.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::finding::shown;
use crate::{Entry, Finding, Op, Origin, Rule};

/// Deeper documents are refused: this format has three levels.
const DEEPEST: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    Text(String),
    List(Vec<Value>),
    /// Keys with their lines, in the order of the file; a repeated one is there twice.
    Object(Vec<(String, usize, Value)>),
}

impl Value {
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            // The last of two equal keys counts, as it does for every other reader.
            Value::Object(entries) => entries.iter().rev().find(|entry| entry.0 == key).map(|entry| &entry.2),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        }
    }
}

/// Reads a JSON text.
///
/// # Errors
///
/// `text` is no JSON, or nested deeper than 64 levels: the line, and what is wrong in it.
pub fn parse(text: &str) -> Result<Value, (usize, String)> {
    let mut reader = Reader { text, at: 0, line: 1, depth: 0 };
    let value = reader.value()?;
    reader.blanks();
    if reader.at < text.len() {
        return Err(reader.wrong("nothing more"));
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    depth: usize,
}

type Read<T> = Result<T, (usize, String)>;

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while let Some(byte @ (b' ' | b'\t' | b'\n' | b'\r')) = self.peek() {
            self.at += 1;
            self.line += usize::from(byte == b'\n');
        }
    }

    fn wrong(&self, expected: &str) -> (usize, String) {
        let found = match self.text[self.at..].chars().next() {
            Some(c) => shown(&c.to_string()),
            None => "the end of the file".to_owned(),
        };
        (self.line, format!("expected {expected}, found {found}"))
    }

    fn take(&mut self, byte: u8) -> bool {
        self.blanks();
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn value(&mut self) -> Read<Value> {
        self.blanks();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::list),
            Some(b'"') => Ok(Value::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                for (word, value) in [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)]
                {
                    if self.text[self.at..].starts_with(word) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err(self.wrong("a value"))
            }
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Read<Value>) -> Read<Value> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err((self.line, format!("nested deeper than {DEEPEST} levels")));
        }
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Read<Value> {
        let mut entries = Vec::new();
        if self.take(b'}') {
            return Ok(Value::Object(entries));
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a key in quotes"));
            }
            let line = self.line;
            let key = self.string()?;
            if !self.take(b':') {
                return Err(self.wrong("`:`"));
            }
            entries.push((key, line, self.value()?));
            if self.take(b'}') {
                return Ok(Value::Object(entries));
            }
            if !self.take(b',') {
                return Err(self.wrong("`,` or `}`"));
            }
        }
    }

    fn list(&mut self) -> Read<Value> {
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value()?);
            if self.take(b']') {
                return Ok(Value::List(items));
            }
            if !self.take(b',') {
                return Err(self.wrong("`,` or `]`"));
            }
        }
    }

    fn number(&mut self) -> Read<Value> {
        let start = self.at;
        while let Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        let digits = text.strip_prefix('-').unwrap_or(text);
        let leading_zero = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
        let whole = digits.starts_with(|c: char| c.is_ascii_digit()) && !digits.ends_with('.');
        if leading_zero || !whole || digits.contains(".e") || digits.contains(".E") || text.parse::<f64>().is_err() {
            return Err((self.line, format!("{} is no number", shown(text))));
        }
        Ok(Value::Number(text.to_owned()))
    }

    fn string(&mut self) -> Read<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let Some(c) = self.text[self.at..].chars().next() else { return Err(self.wrong("the end of a string")) };
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(out);
                }
                '\\' => out.push(self.escape()?),
                c if c < ' ' => return Err(self.wrong("a string without control characters")),
                c => {
                    self.at += c.len_utf8();
                    out.push(c);
                }
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        self.at += 1;
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        Ok(match byte {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.hex()?;
                let pair = (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u");
                let code = if pair {
                    self.at += 2;
                    let second = self.hex()?;
                    if (0xdc00..0xe000).contains(&second) {
                        0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff)
                    } else {
                        0xd800
                    }
                } else {
                    first
                };
                char::from_u32(code).ok_or((self.line, "half of a surrogate pair in a string".to_owned()))?
            }
            _ => return Err((self.line, "an escape that JSON does not have".to_owned())),
        })
    }

    fn hex(&mut self) -> Read<u32> {
        let digits = self.text.get(self.at..self.at + 4).filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|text| u32::from_str_radix(text, 16).ok());
        self.at += 4;
        code.ok_or((self.line, "an escape \\u without four hexadecimal digits".to_owned()))
    }
}

pub fn read(text: &str, findings: &mut Vec<Finding>) -> Vec<Op> {
    let mut add = |rule, line, op: &str, message: String| {
        findings.push(Finding::new(rule, Origin::Json, line, op, message));
    };
    let Value::Object(all) = (match parse(text) {
        Ok(value) => value,
        Err((line, message)) => {
            add(Rule::NotJson, line, "", message);
            return Vec::new();
        }
    }) else {
        add(Rule::JsonShape, 1, "", "the file is no object of operators".to_owned());
        return Vec::new();
    };
    let mut ops: Vec<Op> = Vec::new();
    for (name, line, value) in all {
        if let Some(first) = ops.iter().find(|op| op.name == name) {
            let message = format!("operator {} is there since line {} already", shown(&name), first.line);
            add(Rule::OpTwice, line, &name, message);
        }
        let Value::Object(groups) = value else {
            add(Rule::JsonShape, line, "", format!("{} is {}, not an object", shown(&name), value.kind()));
            continue;
        };
        let mut op = Op { name, line, origin: Origin::Json, entries: Vec::new() };
        for (group, line, value) in groups {
            let Value::Object(keys) = value else {
                add(Rule::JsonShape, line, &op.name, format!("{} is {}, not an object", shown(&group), value.kind()));
                continue;
            };
            for (key, line, value) in keys {
                let place = shown(&format!("{group}.{key}"));
                if let Some(first) = op.entries.iter().find(|entry| entry.group == group && entry.key == key) {
                    add(Rule::KeyTwice, line, &op.name, format!("{place} is there since line {} already", first.line));
                    continue;
                }
                let Value::Text(value) = value else {
                    add(Rule::JsonShape, line, &op.name, format!("{place} is {}, not a string", value.kind()));
                    continue;
                };
                op.entries.push(Entry { group: group.clone(), key, value, line });
            }
        }
        ops.push(op);
    }
    ops
}

/// The text of `aic-<soc>-ops-info.json`, without an end of line: keys sorted, indent 4, `kernelSrc` dropped.
pub fn write(ops: &[Op]) -> String {
    let mut all: BTreeMap<&str, BTreeMap<&str, BTreeMap<&str, &str>>> = BTreeMap::new();
    for op in ops {
        let groups = all.entry(&op.name).or_default();
        // As in the converter's dictionary, the last section of a name counts.
        groups.clear();
        for entry in op.entries.iter().filter(|entry| op.origin == Origin::Json || entry.group != "kernelSrc") {
            groups.entry(&entry.group).or_default().insert(&entry.key, &entry.value);
        }
    }
    let text = |text: &&str, _: usize| quoted(text);
    object(&all, 1, |groups, depth| object(groups, depth, |keys, depth| object(keys, depth, text)))
}

fn object<V>(map: &BTreeMap<&str, V>, depth: usize, write: impl Fn(&V, usize) -> String) -> String {
    if map.is_empty() {
        return "{}".to_owned();
    }
    let indent = "    ".repeat(depth);
    let entries: Vec<String> =
        map.iter().map(|(key, value)| format!("{indent}{}:{}", quoted(key), write(value, depth + 1))).collect();
    format!("{{\n{}\n{}}}", entries.join(",\n"), "    ".repeat(depth - 1))
}

/// As Python writes it: everything beyond ASCII is escaped.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            ' '..='\x7f' => out.push(c),
            c => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a String cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
    out
}
