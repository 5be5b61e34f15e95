//! Records of parts, and whether they are the parts of one run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::report::{Part, Report, SCHEMA};
use crate::base::shard::Shard;

#[derive(Clone, Debug)]
pub struct Record {
    pub file: String,
    pub shard: Shard,
    pub part: Part,
    pub report: Report,
}

/// In the order of the parts.
///
/// # Errors
/// Files that are no records, and records that are not all parts of one run, each once.
pub fn read(cx: &Ctx, files: &[PathBuf]) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    for file in files {
        let path = cx.run.sh.current_dir().join(file);
        let text = fs::read(&path).map_err(|error| no_record(file, &error.to_string()))?;
        records.push(parse(file, &text)?);
    }
    records.sort_by_key(|record| record.shard);
    if let Some(first) = records.first() {
        records.iter().try_for_each(|other| same_run(first, other))?;
    }
    complete(&records)?;
    if let Some(cut) = records.iter().find(|record| record.report.result.is_empty()) {
        return Err(cut.failure().context(format!("part {} has no result", cut.shard)));
    }
    units(&records)?;
    if records.iter().any(|record| record.report.revision.as_ref().is_some_and(|revision| !revision.clean)) {
        cx.console
            .warn("a part ran on changed sources: that toolkit and operators are the same is checked, not the rest");
    }
    Ok(records)
}

fn no_record(file: &Path, why: &str) -> anyhow::Error {
    failed(Kind::Parts, format!("{} is no record of a part: {why}", file.display()))
        .hint("a run with --shard I/N writes it to target/xtask/last/<verb>-shard-<I>-of-<N>.json")
}

fn parse(file: &Path, text: &[u8]) -> Result<Record> {
    let bad = |why: String| no_record(file, &why);
    let report: Report = serde_json::from_slice(text).map_err(|error| bad(error.to_string()))?;
    if report.schema != SCHEMA {
        return Err(bad(format!("its schema is {}, expected {SCHEMA}", report.schema)));
    }
    let part = report.part.clone().ok_or_else(|| bad("it has no key `part`".to_owned()))?;
    let shard = part.shard.parse().map_err(|error| bad(format!("its shard is `{}`: {error}", part.shard)))?;
    Ok(Record { file: file.display().to_string(), shard, part, report })
}

/// What all parts have in common.
fn same_run(one: &Record, other: &Record) -> Result<()> {
    let commit =
        |record: &Record| record.report.revision.as_ref().map_or("none".to_owned(), |found| found.commit.clone());
    let all = |record: &Record| {
        [
            ("what is divided", record.part.of.clone()),
            ("number of parts", record.shard.count.to_string()),
            ("options and variables", record.part.options.join(" ")),
            ("commit", commit(record)),
            ("digest of toolkit and operators", record.part.digest.clone()),
        ]
    };
    let (own, others) = (all(one), all(other));
    let Some(((what, own), (_, other_has))) = own.iter().zip(&others).find(|(own, other)| own != other) else {
        return Ok(());
    };
    let (a, b) = (&one.file, &other.file);
    Err(failed(Kind::Parts, format!("{a} and {b} are not of one run: {what}: `{own}` and `{other_has}`"))
        .hint("run every part with the same command on the same sources"))
}

/// Every part is there, once.
fn complete(records: &[Record]) -> Result<()> {
    if let Some(pair) = records.windows(2).find(|pair| pair[0].shard == pair[1].shard) {
        let (part, one, other) = (pair[0].shard, &pair[0].file, &pair[1].file);
        return Err(failed(Kind::Parts, format!("part {part} is there twice: {one} and {other}"))
            .hint("give one record of each part"));
    }
    let there: BTreeSet<Shard> = records.iter().map(|record| record.shard).collect();
    let count = records.first().map_or(0, |record| record.shard.count);
    let all = (1..=count).map(|index| Shard { index, count });
    let missing: Vec<String> = all.filter(|part| !there.contains(part)).map(|part| part.to_string()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let (found, missing) = (there.len(), missing.join(", "));
    Err(failed(Kind::Parts, format!("{found} of {count} parts are there, missing: {missing}"))
        .hint("run what is missing, with the command of the others and --shard I/N"))
}

/// All parts know the same units, and every unit is in one part.
fn units(records: &[Record]) -> Result<()> {
    let hint = "run the parts again on the same sources";
    let known = |record: &Record| record.part.units.iter().cloned().collect::<BTreeSet<String>>();
    let mut owners: BTreeMap<&str, &Record> = BTreeMap::new();
    for record in records {
        let (first, own) = (known(&records[0]), known(record));
        if let Some(unit) = first.symmetric_difference(&own).next() {
            let (has, lacks) = if own.contains(unit) { (record, &records[0]) } else { (&records[0], record) };
            let message = format!("`{unit}` is a unit of the run of {}, not of that of {}", has.file, lacks.file);
            return Err(failed(Kind::Parts, message).hint(hint));
        }
        for unit in &record.part.taken {
            if let Some(owner) = owners.insert(unit, record) {
                let message = format!("`{unit}` is in two parts: {} and {}", owner.file, record.file);
                return Err(failed(Kind::Parts, message).hint(hint));
            }
        }
    }
    let all = records.iter().flat_map(|record| &record.part.units);
    match all.into_iter().find(|unit| !owners.contains_key(unit.as_str())) {
        Some(unit) => Err(failed(Kind::Parts, format!("`{unit}` is in no part")).hint(hint)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::args::Global;
    use crate::base::diag;
    use crate::base::report::Revision;
    use serde_json::json;

    fn part(shard: &str, taken: &[&str]) -> Report {
        let own = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let part = Part {
            of: "operators".into(),
            shard: shard.into(),
            options: own(&["operators", "--ops=a,b,c"]),
            digest: "d".into(),
            units: own(&["a", "b", "c"]),
            taken: own(taken),
            ..Part::default()
        };
        let result = json!({"operators": []}).as_object().cloned().unwrap_or_default();
        let revision = Some(Revision { commit: "c0".into(), clean: true });
        Report { schema: SCHEMA, ok: true, part: Some(part), result, revision, ..Report::default() }
    }

    /// Exit code and first line of the error; 0: they fit.
    fn judged(reports: &[Report]) -> (u8, String) {
        let temp = tempfile::tempdir().expect("temp dir");
        let mut files = Vec::new();
        for (at, report) in reports.iter().enumerate() {
            files.push(temp.path().join(format!("{at}.json")));
            fs::write(&files[at], serde_json::to_string(report).expect("JSON")).expect("write");
        }
        let cx = Ctx::new("merge", &Global { json: false, verbose: false, quiet: true, format: String::new() })
            .expect("a context");
        let here = format!("{}/", temp.path().display());
        match read(&cx, &files) {
            Ok(records) => {
                let order: Vec<String> = records.iter().map(|record| record.shard.to_string()).collect();
                (0, order.join(" "))
            }
            Err(error) => (diag::code(&error), diag::causes(&error).join(": ").replace(&here, "")),
        }
    }

    fn changed(change: impl Fn(&mut Report, &mut Part)) -> Report {
        let mut report = part("2/2", &["b"]);
        let mut own = report.part.take().expect("a part");
        change(&mut report, &mut own);
        report.part = Some(own);
        report
    }

    #[test]
    fn parts_of_one_run_in_any_order() {
        let (one, two) = (part("1/2", &["a", "c"]), part("2/2", &["b"]));
        assert_eq!(judged(&[two, one]), (0, "1/2 2/2".to_owned()));
        assert_eq!(judged(&[part("1/1", &["a", "b", "c"])]), (0, "1/1".to_owned()));
    }

    #[test]
    fn a_missing_and_a_doubled_part_are_named() {
        let of = |shard: &str| part(shard, &[]);
        let missing = "2 of 4 parts are there, missing: 2/4, 4/4";
        assert_eq!(judged(&[of("3/4"), of("1/4")]), (35, missing.to_owned()));
        let doubled = "part 1/2 is there twice: 0.json and 2.json";
        assert_eq!(judged(&[of("1/2"), of("2/2"), of("1/2")]), (35, doubled.to_owned()));
    }

    #[test]
    fn parts_of_different_runs() {
        let one = || part("1/2", &["a", "c"]);
        let says = |what: &str| (35, format!("0.json and 1.json are not of one run: {what}"));
        let commit = |report: &mut Report, _: &mut Part| {
            report.revision = Some(Revision { commit: "c1".into(), clean: true });
        };
        assert_eq!(judged(&[one(), changed(commit)]), says("commit: `c0` and `c1`"));
        let other = changed(|_, part| part.options.push("--only=ut".into()));
        let words = "options and variables: `operators --ops=a,b,c` and `operators --ops=a,b,c --only=ut`";
        assert_eq!(judged(&[one(), other]), says(words));
        let other = changed(|_, part| part.digest = "e".into());
        assert_eq!(judged(&[one(), other]), says("digest of toolkit and operators: `d` and `e`"));
        let other = changed(|_, part| part.of = "test".into());
        assert_eq!(judged(&[one(), other]), says("what is divided: `operators` and `test`"));
        let other = changed(|_, part| part.shard = "2/3".into());
        assert_eq!(judged(&[one(), other]), says("number of parts: `2` and `3`"));
    }

    #[test]
    fn units_are_in_one_part_each() {
        let one = || part("1/2", &["a", "c"]);
        let twice = changed(|_, part| part.taken = vec!["b".into(), "c".into()]);
        assert_eq!(judged(&[one(), twice]), (35, "`c` is in two parts: 0.json and 1.json".to_owned()));
        let nowhere = changed(|_, part| part.taken.clear());
        assert_eq!(judged(&[one(), nowhere]), (35, "`b` is in no part".to_owned()));
        let more = changed(|_, part| part.units.push("d".into()));
        let says = "`d` is a unit of the run of 1.json, not of that of 0.json";
        assert_eq!(judged(&[one(), more]), (35, says.to_owned()));
    }

    #[test]
    fn a_part_that_did_not_come_to_its_end() {
        let cut = changed(|report, part| {
            (report.ok, report.exit_code) = (false, 20);
            report.error = Some(diag::failure(&failed(Kind::Build, "no good")));
            report.result.clear();
            part.units.clear();
        });
        let says = "part 2/2 has no result: part 2/2 (1.json) failed: no good";
        assert_eq!(judged(&[part("1/2", &["a", "c"]), cut]), (20, says.to_owned()));
    }

    #[test]
    fn what_is_no_record() {
        let of = |text: &str| parse(Path::new("x.json"), text.as_bytes()).expect_err(text);
        for (text, why) in [
            ("{", "EOF while parsing an object at line 1 column 1"),
            (r#"{"schema": 2}"#, "it has no key `part`"),
            (r#"{"schema": 7}"#, "its schema is 7, expected 2"),
            (r#"{"schema": 2, "part": {"shard": "3/2"}}"#, "its shard is `3/2`: expected I/N with 1 <= I <= N"),
        ] {
            let error = of(text);
            let says = &diag::causes(&error)[0];
            assert!(says.starts_with(&format!("x.json is no record of a part: {why}")), "{says}");
            assert_eq!(diag::code(&error), 35);
        }
    }
}
