//! `sim --params`: the parameters of the model, each with its source and what kind of source that is.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::base::report::{InstructionCost as Row, Parameter as Entry, Parameters, ParametersResult};
use crate::base::term::out;

#[derive(Debug, Deserialize)]
struct File {
    base: BTreeMap<String, Entry>,
    /// What differs on a chip
    #[serde(default)]
    soc: BTreeMap<String, BTreeMap<String, Entry>>,
    instruction: Vec<Row>,
}

pub fn print(cx: &Ctx) -> Result<Done> {
    let path = cx.project.home.join("hostcann/soc/timing/model.toml");
    let content = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let file = parse(&content).with_context(|| format!("{} is no parameter file of the model", path.display()))?;
    out!("{}{}", about(&content), text(&file));
    let parameters = Parameters { base: file.base, soc: file.soc, instructions: file.instruction };
    Ok(Done::with(&ParametersResult { parameters }))
}

fn parse(content: &str) -> Result<File> {
    Ok(toml::from_str(content)?)
}

/// What the file says of itself at its top: marks, and the sources that have short names.
fn about(content: &str) -> String {
    let lines = content.lines().map_while(|line| line.strip_prefix('#'));
    lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
}

fn text(file: &File) -> String {
    let mut text = String::new();
    let entry = |name: &str, entry: &Entry| {
        vec![name.to_owned(), entry.value.to_string(), entry.unit.clone(), entry.mark.clone(), entry.source.clone()]
    };
    let mut part = |title: String, values: Vec<Vec<String>>| {
        let mut rows = vec![[title.as_str(), "value", "unit", "mark", "source"].map(str::to_owned).to_vec()];
        rows.extend(values);
        text += &format!("\n{}", super::table::aligned(&rows));
    };
    let named = |values: &BTreeMap<String, Entry>| values.iter().map(|(name, value)| entry(name, value)).collect();
    part("every chip".to_owned(), named(&file.base));
    for (soc, values) in &file.soc {
        part(format!("{soc} instead"), named(values));
    }
    let mut rows = Vec::new();
    for row in &file.instruction {
        let name = format!("{} <{}>", row.ops.join(" "), row.types.join(" "));
        let function = if row.function { "instructions of a high-level function; " } else { "" };
        let unit = |what: &str| format!("cycles {what}");
        rows.push(vec![
            name,
            row.ii.to_string(),
            unit("a repeat"),
            row.ii_mark.clone(),
            format!("{function}{}", row.ii_source),
        ]);
        rows.push(vec![
            String::new(),
            row.fixed.to_string(),
            unit("more"),
            row.fixed_mark.clone(),
            row.fixed_source.clone(),
        ]);
    }
    part("instructions".to_owned(), rows);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        [base]
        clock = { value = 1800.0, unit = "MHz", mark = "documented", source = "the ini" }
        port = { value = 106, unit = "B/cycle", mark = "fitted", source = "a table" }
        [soc.Ascend910B1]
        clock = { value = 1850, unit = "MHz", mark = "measured", source = "a study" }
        [[instruction]]
        ops = ["Add", "Sub"]
        types = ["b32"]
        ii = 1
        ii_mark = "documented"
        ii_source = "table 6"
        fixed = 22.5
        fixed_mark = "measured"
        fixed_source = "a sample"
    "#;

    #[test]
    fn the_file_explains_itself() {
        assert_eq!(about("# Marks:\n#   measured\n#\n\n# later\n[base]\n"), "Marks:\n  measured\n\n");
    }

    #[test]
    fn every_value_stands_beside_its_source() {
        let text = text(&parse(FILE).expect("a file"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "",
                "  every chip  value  unit     mark        source",
                "  clock        1800  MHz      documented  the ini",
                "  port          106  B/cycle  fitted      a table",
                "",
                "  Ascend910B1 instead  value  unit  mark      source",
                "  clock                 1850  MHz   measured  a study",
                "",
                "  instructions   value  unit             mark        source",
                "  Add Sub <b32>      1  cycles a repeat  documented  table 6",
                "                  22.5  cycles more      measured    a sample",
            ]
        );
    }
}
