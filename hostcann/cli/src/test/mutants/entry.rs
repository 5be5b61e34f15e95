//! `tests/mutants/<op>/*.txt`: one fault per section, as text to find in a file of the op and what stands there instead.
//!
//! ```text
//! # a comment
//! [name-of-the-fault]
//! why: what is wrong with it, or with `equivalent:` the proof that nothing is
//! file: op_kernel/square.h
//! test: values::every_small_size
//! <<<<<<<
//! text that the file has exactly once
//! =======
//! text instead
//! >>>>>>>
//! ```
//!
//! `with: NAME=VALUE …` sets variables for the test, `kernels: float32, int8` says which kernels can show the fault (only
//! these are compiled). A value goes on in lines that begin with blanks.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::subject::Subject;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub name: String,
    pub file: String,
    pub why: String,
    pub expect: Expect,
    edits: Vec<Edit>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    Killed(Killer),
    /// It computes the same, with the proof.
    Equivalent(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Killer {
    pub subject: Subject,
    pub variables: Vec<(String, String)>,
    /// Data types of the first input whose kernels are compiled; `None` for all of them.
    pub kernels: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Edit {
    find: String,
    replace: String,
}

impl Mutant {
    /// The file's text with the fault in it.
    pub fn apply(&self, text: &str) -> Result<String> {
        let mut text = text.to_owned();
        for Edit { find, replace } in &self.edits {
            let count = text.matches(find.as_str()).count();
            ensure!(
                count == 1,
                "mutant {}: {} has the text to replace {count} times, expected once:\n{find}",
                self.name,
                self.file
            );
            text = text.replacen(find.as_str(), replace, 1);
        }
        Ok(text)
    }
}

/// Every mutant of a directory, file by file.
pub fn read_dir(dir: &Path) -> Result<Vec<Mutant>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))? {
        files.push(entry.with_context(|| format!("cannot list {}", dir.display()))?.path());
    }
    files.sort();
    let mut mutants: Vec<Mutant> = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|name| name == "txt")) {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        for mutant in parse(&text).with_context(|| file.display().to_string())? {
            ensure!(mutants.iter().all(|other| other.name != mutant.name), "two mutants are named {}", mutant.name);
            mutants.push(mutant);
        }
    }
    Ok(mutants)
}

pub fn parse(text: &str) -> Result<Vec<Mutant>> {
    let mut mutants = Vec::new();
    let mut section: Option<Section> = None;
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let at = index + 1;
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            mutants.extend(section.take().map(Section::finish).transpose()?);
            section = Some(Section { name: name.to_owned(), ..Section::default() });
            continue;
        }
        let Some(section) = &mut section else { bail!("line {at}: `{line}` stands before the first [name]") };
        if line == "<<<<<<<" {
            let mut until = |end: &str| -> Result<String> {
                let part: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != end).collect();
                Ok(part.join("\n"))
            };
            let edit = Edit { find: until("=======")?, replace: until(">>>>>>>")? };
            ensure!(!edit.find.trim().is_empty(), "line {at}: nothing to find in [{}]", section.name);
            ensure!(edit.find != edit.replace, "line {at}: [{}] changes nothing", section.name);
            section.edits.push(edit);
        } else if line.starts_with(' ') {
            let Some((_, value)) = section.keys.last_mut() else { bail!("line {at}: `{line}` continues nothing") };
            value.push(' ');
            value.push_str(line.trim());
        } else {
            let Some((key, value)) = line.split_once(':') else { bail!("line {at}: `{line}` is no `key: value`") };
            section.keys.push((key.to_owned(), value.trim().to_owned()));
        }
    }
    mutants.extend(section.map(Section::finish).transpose()?);
    Ok(mutants)
}

#[derive(Default)]
struct Section {
    name: String,
    keys: Vec<(String, String)>,
    edits: Vec<Edit>,
}

impl Section {
    fn take(&mut self, key: &str) -> Option<String> {
        let at = self.keys.iter().position(|(name, _)| name == key)?;
        Some(self.keys.remove(at).1)
    }

    fn finish(mut self) -> Result<Mutant> {
        let name = std::mem::take(&mut self.name);
        let file = self.take("file").with_context(|| format!("[{name}] names no `file:`"))?;
        let (test, equivalent) = (self.take("test"), self.take("equivalent"));
        let (variables, kernels) = (self.take("with"), self.take("kernels"));
        let why = self.take("why");
        let expect = match (test, equivalent) {
            (Some(test), None) => Expect::Killed(Killer {
                subject: Subject::parse(&test).with_context(|| format!("[{name}]"))?,
                variables: assignments(&variables.unwrap_or_default()).with_context(|| format!("[{name}]"))?,
                kernels: kernels.map(|list| list.split(',').map(|dtype| dtype.trim().to_owned()).collect()),
            }),
            (None, Some(proof)) => Expect::Equivalent(proof),
            _ => bail!("[{name}] needs either `test:` or `equivalent:`"),
        };
        ensure!(!self.edits.is_empty(), "[{name}] has no <<<<<<< text ======= text >>>>>>>");
        if let Some((key, _)) = self.keys.first() {
            bail!("[{name}]: unknown or repeated key `{key}`; there are why, file, test, with, kernels, equivalent");
        }
        let why = why.with_context(|| format!("[{name}] does not say `why:`"))?;
        Ok(Mutant { name, file, why, expect, edits: self.edits })
    }
}

fn assignments(text: &str) -> Result<Vec<(String, String)>> {
    let one = |word: &str| match word.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => bail!("`with: {word}` is no NAME=VALUE"),
    };
    text.split_whitespace().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "\
# faults
[one]
why: first
  and more
file: op_kernel/a.h
test: values::x
with: HOSTCANN_FTZ=on HOSTCANN_CORES=1
kernels: float32, bfloat16
<<<<<<<
    a + b;
=======
    a - b;
>>>>>>>

[two]
why: second
file: op_kernel/a.h
equivalent: b is 0
<<<<<<<
b
=======
>>>>>>>
";

    #[test]
    fn sections() {
        let mutants = parse(TWO).expect("two mutants");
        assert_eq!((mutants.len(), mutants[0].why.as_str()), (2, "first and more"));
        let Expect::Killed(killer) = &mutants[0].expect else { panic!("{:?}", mutants[0]) };
        assert_eq!(killer.subject, Subject::parse("values::x").expect("a test"));
        assert_eq!(killer.variables[1], ("HOSTCANN_CORES".to_owned(), "1".to_owned()));
        assert_eq!(killer.kernels.as_deref(), Some(&["float32".to_owned(), "bfloat16".to_owned()][..]));
        assert_eq!(mutants[1].expect, Expect::Equivalent("b is 0".to_owned()));
        assert_eq!(mutants[0].apply("x\n    a + b;\n").expect("once"), "x\n    a - b;\n");
    }

    #[test]
    fn a_text_that_is_not_there_exactly_once() {
        let mutants = parse(TWO).expect("two mutants");
        for (text, count) in [("a", 0), ("    a + b;\n    a + b;", 2)] {
            let error = mutants[0].apply(text).expect_err("not once").to_string();
            assert!(error.starts_with(&format!("mutant one: op_kernel/a.h has the text to replace {count} times")));
        }
    }

    #[test]
    fn refusals() {
        for (text, what) in [
            ("why: x\n", "line 1: `why: x` stands before the first [name]"),
            ("[a]\nwhy: x\ntest: v::x\n", "[a] names no `file:`"),
            ("[a]\nwhy: x\nfile: f\n", "[a] needs either `test:` or `equivalent:`"),
            ("[a]\nwhy: x\nfile: f\ntest: v::x\n", "[a] has no <<<<<<< text ======= text >>>>>>>"),
            ("[a]\nwho: x\nfile: f\ntest: v::x\n<<<<<<<\na\n=======\n>>>>>>>\n", "[a]: unknown or repeated key `who`"),
            ("[a]\nfile: f\ntest: v::x\n<<<<<<<\na\n=======\na\n>>>>>>>\n", "line 4: [a] changes nothing"),
        ] {
            let error = format!("{:#}", parse(text).expect_err(text));
            assert!(error.starts_with(what), "{error}");
        }
    }
}
