//! Case files of AscendOpTest: a JSON list, its fields as the tool's README names them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use super::dtype::Dtype;
use crate::base::diag::{HintExt, Kind, failed};

#[derive(Debug, Deserialize)]
pub struct Case {
    pub case_name: String,
    pub op_name: String,
    /// `<file>:<function>`; without it the goldens are files.
    #[serde(default)]
    pub expect_func: String,
    #[serde(default)]
    pub input_desc: Vec<Input>,
    #[serde(default)]
    pub output_desc: Vec<Output>,
    #[serde(default)]
    pub attr_desc: Vec<Attr>,
}

#[derive(Debug, Deserialize)]
pub struct Input {
    pub name: String,
    pub data_type: String,
    #[serde(default = "nd")]
    pub format: String,
    #[serde(default)]
    pub param_type: String,
    /// Empty: a scalar.
    pub shape: Vec<u64>,
    #[serde(default)]
    pub data_path: String,
    pub value_range: Option<[f64; 2]>,
}

#[derive(Debug, Deserialize)]
pub struct Output {
    pub name: String,
    pub data_type: String,
    #[serde(default = "nd")]
    pub format: String,
    #[serde(default)]
    pub param_type: String,
    pub shape: Vec<u64>,
    #[serde(default)]
    pub golden_path: String,
    /// `<file>:<function>` that computes the shape from the inputs.
    #[serde(default)]
    pub shape_depend: String,
    /// Tolerance and allowed ratio of bad elements.
    #[serde(default)]
    pub err_threshold: Vec<f64>,
}

#[derive(Debug, Deserialize)]
pub struct Attr {
    pub name: String,
    pub value: Value,
}

fn nd() -> String {
    "ND".to_owned()
}

/// The cases of a file, in its order.
pub fn read(path: &Path) -> Result<Vec<Case>> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        failed(Kind::Usage, format!("cannot read the case file {}: {error}", path.display()))
            .hint("case files are <op>/tests/aot/*_cases.json, in AscendOpTest's format")
    })?;
    let cases = parse(&text).with_context(|| path.display().to_string())?;
    for case in &cases {
        case.check().with_context(|| format!("{}: case {}", path.display(), case.case_name))?;
    }
    for (at, case) in cases.iter().enumerate() {
        if cases[..at].iter().any(|other| other.case_name == case.case_name) {
            return Err(wrong(format!("{}: two cases are called {}", path.display(), case.case_name)));
        }
    }
    Ok(cases)
}

fn parse(text: &str) -> Result<Vec<Case>> {
    serde_json::from_str(text).map_err(|error| wrong(format!("no case file of AscendOpTest: {error}")))
}

fn wrong(message: String) -> anyhow::Error {
    failed(Kind::Usage, message).hint("the fields of case files: docs/guides/acceptance.md")
}

impl Case {
    /// Results that exceed AscendOpTest's threshold are what the case is there to show. Its name says so, because the
    /// tool's files have no field for it.
    pub fn must_fail(&self) -> bool {
        self.case_name.ends_with("_expect_fail")
    }

    fn check(&self) -> Result<()> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if self.case_name.is_empty() || self.case_name.starts_with('.') || !self.case_name.chars().all(plain) {
            return Err(wrong("case_name becomes a file name: letters, digits and `_-.` are expected".to_owned()));
        }
        let tensors =
            self.input_desc.iter().map(|input| (&input.name, &input.data_type, &input.format, &input.param_type));
        let outputs =
            self.output_desc.iter().map(|output| (&output.name, &output.data_type, &output.format, &output.param_type));
        for (name, dtype, format, param) in tensors.chain(outputs) {
            if Dtype::named(dtype).is_none() {
                return Err(wrong(format!("{name}: data_type {dtype} is none of {}", Dtype::names())));
            }
            if format != "ND" {
                return Err(wrong(format!("{name}: format {format} is not supported here, ND is")));
            }
            if param == "dynamic" {
                return Err(wrong(format!("{name}: lists of tensors (param_type dynamic) are not supported here")));
            }
        }
        for input in &self.input_desc {
            match input.value_range {
                None if input.data_path.is_empty() => {
                    return Err(wrong(format!("{}: neither value_range nor data_path says what is in it", input.name)));
                }
                Some([low, high]) if low > high => {
                    return Err(wrong(format!("{}: value_range [{low}, {high}] has no value", input.name)));
                }
                _ => {}
            }
        }
        for output in &self.output_desc {
            if !output.err_threshold.is_empty() && output.threshold().is_none() {
                return Err(wrong(format!("{}: err_threshold is [tolerance, ratio], two numbers from 0", output.name)));
            }
            if self.expect_func.is_empty() && output.golden_path.is_empty() {
                return Err(wrong(format!(
                    "{}: neither expect_func nor golden_path says what is expected",
                    output.name
                )));
            }
        }
        if self.output_desc.is_empty() {
            return Err(wrong("it has no output_desc, so nothing to compare".to_owned()));
        }
        Ok(())
    }
}

impl Output {
    pub fn threshold(&self) -> Option<[f64; 2]> {
        match self.err_threshold[..] {
            [tolerance, ratio] if tolerance >= 0.0 && ratio >= 0.0 => Some([tolerance, ratio]),
            _ => None,
        }
    }
}

/// `<file>:<function>`. A path of the machine that the case was written on means the file of this name next to the cases.
pub fn function(text: &str, cases: &Path) -> Result<(PathBuf, String)> {
    let Some((file, name)) = text.rsplit_once(':').filter(|(file, name)| !file.is_empty() && !name.is_empty()) else {
        return Err(wrong(format!("`{text}` is not <file>:<function>")));
    };
    Ok((beside(file, cases)?, name.to_owned()))
}

/// The file as it is named, seen from the directory of the cases, or next to them.
pub fn beside(file: &str, cases: &Path) -> Result<PathBuf> {
    let dir = cases.parent().unwrap_or(Path::new("."));
    let named = dir.join(file);
    let near = Path::new(file).file_name().map(|name| dir.join(name));
    let candidates: Vec<PathBuf> = std::iter::once(named).chain(near).collect();
    match candidates.iter().find(|path| path.is_file()) {
        Some(found) => found.canonicalize().with_context(|| format!("cannot resolve {}", found.display())),
        None => {
            let tried: Vec<String> = candidates.iter().map(|path| path.display().to_string()).collect();
            Err(wrong(format!("{file} is not there; tried {}", tried.join(" and "))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;
    use crate::base::files::write_if_changed;

    fn one(more: &str) -> Result<Case> {
        let text = format!(
            r#"[{{"case_name": "a", "op_name": "X", "expect_func": "g.py:f",
                 "input_desc": [{{"name": "x", "data_type": "float", "shape": [2], "value_range": [-1, 1]}}],
                 "output_desc": [{{"name": "y", "data_type": "float", "shape": [2]}}]{more}}}]"#
        );
        let case = parse(&text)?.remove(0);
        case.check()?;
        Ok(case)
    }

    #[test]
    fn fields_have_defaults() {
        let case = one("").expect("a case");
        assert_eq!((case.input_desc[0].format.as_str(), case.output_desc[0].threshold()), ("ND", None));
        assert!(case.attr_desc.is_empty());
        let attr = one(r#", "attr_desc": [{"name": "n", "param_type": "optional", "type": "int", "value": 10}]"#);
        assert_eq!(attr.expect("a case").attr_desc[0].value, 10);
    }

    #[test]
    fn a_name_says_which_outcome_is_expected() {
        let named = |name: &str| Case { case_name: name.to_owned(), ..one("").expect("a case") }.must_fail();
        assert_eq!(["a", "a_expect_fail", "a_expect_fail_b"].map(named), [false, true, false]);
    }

    #[test]
    fn what_cannot_be_run_is_named() {
        let causes = |case: &str| {
            let error = parse(case).and_then(|cases| cases[0].check()).expect_err("refused");
            assert_eq!(diag::code(&error), 2);
            diag::causes(&error).join(": ")
        };
        let case = |input: &str, output: &str| {
            format!(
                r#"[{{"case_name": "a", "op_name": "X", "input_desc": [{{"name": "x", {input}}}], "output_desc": [{{"name": "y", {output}}}]}}]"#
            )
        };
        let (x, y) = (
            r#""data_type": "float", "shape": [2], "value_range": [0, 1]"#,
            r#""data_type": "float", "shape": [2], "golden_path": "y.bin""#,
        );
        assert!(parse(&case(x, y)).and_then(|cases| cases[0].check()).is_ok());
        assert!(
            causes(&case(&x.replace("float", "fp32"), y)).starts_with("x: data_type fp32 is none of float32, float,")
        );
        assert_eq!(causes(&case(&x.replace("[0, 1]", "[1, 0]"), y)), "x: value_range [1, 0] has no value");
        assert_eq!(
            causes(&case(r#""data_type": "float", "shape": [2]"#, y)),
            "x: neither value_range nor data_path says what is in it"
        );
        assert_eq!(
            causes(&case(x, &y.replace("y.bin", ""))),
            "y: neither expect_func nor golden_path says what is expected"
        );
        let with = |more: &str| format!("{y}, {more}");
        assert_eq!(
            causes(&case(x, &with(r#""err_threshold": [0.1]"#))),
            "y: err_threshold is [tolerance, ratio], two numbers from 0"
        );
        assert_eq!(causes(&case(x, &with(r#""format": "NZ""#))), "y: format NZ is not supported here, ND is");
        assert!(causes("[{}]").starts_with("no case file of AscendOpTest: missing field `case_name`"));
        assert!(causes(&case(x, y).replace("\"a\"", "\"../a\"")).starts_with("case_name becomes a file name"));
    }

    #[test]
    fn functions_are_found_beside_the_cases() {
        let temp = tempfile::tempdir().expect("temp dir");
        let cases = temp.path().join("aot/cases.json");
        write_if_changed(&temp.path().join("aot/golden.py"), b"").expect("write");
        write_if_changed(&temp.path().join("other/golden.py"), b"").expect("write");
        let found = |text: &str| function(text, &cases).expect("a function");
        let at = |path: &str| temp.path().join(path).canonicalize().expect("there");
        assert_eq!(found("golden.py:f"), (at("aot/golden.py"), "f".to_owned()));
        assert_eq!(found("../other/golden.py:f").0, at("other/golden.py"));
        assert_eq!(found("/home/somebody/golden.py:f").0, at("aot/golden.py"), "a path of another machine");
        for bad in ["golden.py", ":f", "golden.py:", "none.py:f"] {
            assert_eq!(diag::code(&function(bad, &cases).expect_err("refused")), 2, "{bad}");
        }
    }
}
