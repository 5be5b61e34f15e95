//! What a sample's README says is run in the build directory.

use std::collections::BTreeMap;

use crate::base::markdown::fences;

/// A command: a script of Python, or a program of the build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// `python3` or `./demo`
    pub program: String,
    pub args: Vec<String>,
}

impl Step {
    pub fn line(&self) -> String {
        std::iter::once(self.program.as_str()).chain(self.args.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    }
}

/// The commands of the first shell block that builds with cmake and runs something. `given` goes before what the block
/// itself assigns (`SCENARIO_NUM=1`).
pub fn steps(text: &str, given: &[(String, String)]) -> Vec<Step> {
    fences(text).into_iter().find_map(|block| of_block(block.text, given)).unwrap_or_default()
}

/// The commands of a line, without comments and redirections.
fn commands(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split(" #").next().unwrap_or_default();
    code.split([';', '|']).flat_map(|part| part.split("&&")).map(|part| part.split(" 2>").next().unwrap_or_default())
}

fn of_block(text: &str, given: &[(String, String)]) -> Option<Vec<Step>> {
    if !text.contains("cmake ") {
        return None;
    }
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    let mut steps = Vec::new();
    for command in text.lines().flat_map(commands) {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words.as_slice() {
            [word] if assignment(word).is_some() => values.extend(assignment(word)),
            [program, args @ ..]
                if *program == "python3" && args.first().is_some_and(|arg| arg.starts_with("../"))
                    || program.starts_with("./") =>
            {
                let value = |name: &str| {
                    let given = given.iter().find(|(known, _)| known == name).map(|(_, value)| value);
                    given.or(values.get(name)).cloned().unwrap_or_default()
                };
                let args = args.iter().map(|arg| expand(arg, &value)).collect();
                steps.push(Step { program: (*program).to_owned(), args });
            }
            _ => {}
        }
    }
    steps.iter().any(|step| step.program != "python3").then_some(steps)
}

fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    is_name.then(|| (name.to_owned(), value.to_owned()))
}

/// `$NAME` and `${NAME}`.
fn expand(word: &str, value: &impl Fn(&str) -> String) -> String {
    let mut parts = word.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = match part.strip_prefix('{').and_then(|part| part.split_once('}')) {
            Some(found) => found,
            None => {
                let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
                part.split_at(end)
            }
        };
        text.push_str(&value(name));
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = "\
# Sample
```text
├── x
```
  ```bash
  SCENARIO_NUM=1
  mkdir -p build && cd build;   # cmake
  cmake -DSCENARIO_NUM=$SCENARIO_NUM ..;make -j;
  python3 ../scripts/gen_data.py -scenarioNum=$SCENARIO_NUM   # data
  ./demo ${MODE}x 2>&1 | tee run.log
  python3 ../scripts/verify_result.py output/output.bin ./output/golden.bin
  ```
```bash
cmake -DCMAKE_ASC_RUN_MODE=cpu ..; ./other
```
";

    fn lines(given: &[(&str, &str)]) -> Vec<String> {
        let given: Vec<(String, String)> = given.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        steps(README, &given).iter().map(Step::line).collect()
    }

    #[test]
    fn the_block_that_builds_and_runs() {
        let last = "python3 ../scripts/verify_result.py output/output.bin ./output/golden.bin";
        assert_eq!(lines(&[]), ["python3 ../scripts/gen_data.py -scenarioNum=1", "./demo x", last]);
        assert_eq!(
            lines(&[("SCENARIO_NUM", "3"), ("MODE", "m")]),
            ["python3 ../scripts/gen_data.py -scenarioNum=3", "./demo mx", last]
        );
    }

    #[test]
    fn a_readme_that_runs_nothing() {
        assert_eq!(steps("```bash\ncmake ..\n```\n./demo\n", &[]), []);
        assert_eq!(steps("", &[]), []);
    }
}
