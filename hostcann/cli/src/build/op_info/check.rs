//! `opinfo check`: every rule over every operator.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use opinfo::{Finding, Origin, Profile, RULES, Rule, Severity};

use super::{absolute, load, number, profile};
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::report::{OpInfoCheck, OpInfoFile, OpInfoFinding, OpInfoRule, OpInfoRules};
use crate::base::term::out;

/// Check libraries against the rules of converters and framework
#[derive(Args)]
pub struct Check {
    /// Check these aic-<soc>-ops-info.ini or .json files, generated or hand-written
    #[arg(required_unless_present = "explain", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Check ini files for this converter: any, tbe, ascendc, devkit, ops-math
    #[arg(long, value_name = "NAME", default_value = "any", value_parser = profile)]
    profile: Profile,
    /// Compare names, kinds and order with REG_OP prototypes in these headers or directories
    #[arg(long, value_name = "PATH")]
    proto: Vec<PathBuf>,
    /// Look for the operators' files and functions in this kernel directory
    #[arg(long = "impl", value_name = "DIR")]
    implementation: Option<PathBuf>,
    /// Fail on warnings as well
    #[arg(long)]
    strict: bool,
    /// Print why a rule exists: a code, or `all`
    #[arg(long, value_name = "CODE", conflicts_with_all = ["files", "proto", "implementation", "strict"])]
    explain: Option<String>,
}

impl Check {
    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        if let Some(code) = &self.explain {
            return explain(code);
        }
        let protos = self.protos(cx)?;
        let (mut operators, mut errors, mut warnings) = (0, 0, 0);
        let mut report = Vec::new();
        for file in &self.files {
            let library = load(cx, file)?;
            let mut findings = library.check(self.profile);
            for op in &library.ops {
                if let Some(protos) = &protos {
                    findings.extend(opinfo::check_proto(op, protos));
                }
                if let Some(dir) = &self.implementation {
                    findings.extend(opinfo::check_files(op, &absolute(cx, dir)));
                }
            }
            findings.sort_by_key(|finding| finding.line);
            let name = file.display().to_string();
            findings.iter().for_each(|finding| out!("{}", finding.text(&name)));
            operators += library.ops.len();
            let wrong = opinfo::errors(&findings).count();
            errors += wrong;
            warnings += findings.len() - wrong;
            let findings = findings.iter().map(reported).collect();
            report.push(OpInfoFile { file: name, operators: library.ops.len(), findings });
        }
        let done = Done::with(&OpInfoCheck { profile: self.profile.name().to_owned(), files: report });
        let counts = [(operators, "operator"), (errors, "error"), (warnings, "warning")];
        let text = counts.map(|(count, what)| number(count, what)).join(", ");
        if errors > 0 || self.strict && warnings > 0 {
            let error = failed(Kind::Style, format!("opinfo check: {text}"));
            return Ok(done.failed(error.hint("`cargo xtask opinfo check --explain CODE` says why a rule is there")));
        }
        Ok(done.verdict(format!("opinfo check: {text}")))
    }

    fn protos(&self, cx: &Ctx) -> Result<Option<Vec<opinfo::Proto>>> {
        if self.proto.is_empty() {
            return Ok(None);
        }
        let mut all = Vec::new();
        for path in &self.proto {
            let path = absolute(cx, path);
            let headers = if path.is_dir() {
                let found = files::walk(&path)?.into_iter();
                found
                    .filter(|file| file.extension().is_some_and(|name| name == "h"))
                    .map(|file| path.join(file))
                    .collect()
            } else {
                vec![path.clone()]
            };
            for header in headers {
                let bytes = fs::read(&header).with_context(|| format!("cannot read {}", header.display()))?;
                all.extend(opinfo::parse_protos(&String::from_utf8_lossy(&bytes)));
            }
        }
        if all.is_empty() {
            return Err(failed(Kind::Usage, "--proto: there is no REG_OP in these headers")
                .hint("op_graph/<op>_proto.h of an operator, or opp/built-in/op_proto/inc of a toolkit"));
        }
        Ok(Some(all))
    }
}

pub fn reported(finding: &Finding) -> OpInfoFinding {
    OpInfoFinding {
        code: finding.rule.code().to_owned(),
        severity: finding.severity.to_string(),
        line: finding.line,
        op: finding.op.clone(),
        message: finding.message.clone(),
        rule: finding.rule.title().to_owned(),
    }
}

fn explain(code: &str) -> Result<Done> {
    let rules: Vec<Rule> = match Rule::of_code(code) {
        Some(rule) => vec![rule],
        None if code == "all" => RULES.to_vec(),
        None => {
            let last = RULES.last().map_or("", |rule| rule.code());
            return Err(failed(Kind::Usage, format!("no rule has the code {code}"))
                .hint(format!("codes go from {} to {last}; `--explain all` lists them", RULES[0].code())));
        }
    };
    let mut report = Vec::new();
    for (at, rule) in rules.iter().enumerate() {
        let weight = weight(*rule);
        if at > 0 {
            out!("");
        }
        out!("{} ({weight}): {}", rule.code(), rule.title());
        for line in wrapped(rule.why()) {
            out!("    {line}");
        }
        let (code, title, why) = (rule.code().to_owned(), rule.title().to_owned(), rule.why().to_owned());
        report.push(OpInfoRule { code, severity: weight, rule: title, why });
    }
    Ok(Done::with(&OpInfoRules { rules: report }))
}

fn weight(rule: Rule) -> String {
    match (rule.severity(Origin::Ini), rule.severity(Origin::Json)) {
        (ini, json) if ini == json => ini.to_string(),
        (Severity::Error, _) => "error in an ini file, warning in JSON".to_owned(),
        (_, _) => "warning in an ini file, error in JSON".to_owned(),
    }
}

fn wrapped(text: &str) -> Vec<String> {
    const WIDTH: usize = 100;
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().filter(|line| line.len() + word.len() < WIDTH);
        match last {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => *line = format!("{line} {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}
