//! The aclnn interfaces that a package's headers declare.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::base::files;

/// One parameter of a first phase, without `workspaceSize` and `executor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Without `const` and stars: `aclTensor`, `int8_t`; `char*` for text.
    pub kind: String,
    pub name: String,
}

/// By the name of the interface: `aclnnAddExample`.
pub type Interfaces = BTreeMap<String, Vec<Param>>;

const PHASE: &str = "GetWorkspaceSize";

pub fn of_package(include: &Path) -> Result<Interfaces> {
    let mut found = Interfaces::new();
    if !include.is_dir() {
        return Ok(found);
    }
    for file in files::walk(include)?.into_iter().filter(|file| file.extension().is_some_and(|is| is == "h")) {
        let path = include.join(file);
        let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        found.extend(declared(&String::from_utf8_lossy(&text)));
    }
    Ok(found)
}

fn declared(text: &str) -> Interfaces {
    let text = without_comments(text);
    let mut found = Interfaces::new();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for (at, _) in text.match_indices(PHASE) {
        let name = text[..at].rsplit(|c| !word(c)).next().unwrap_or_default();
        let Some(rest) = text[at + PHASE.len()..].trim_start().strip_prefix('(') else { continue };
        let Some((list, after)) = rest.split_once(')') else { continue };
        if !name.starts_with("aclnn") || !after.trim_start().starts_with(';') {
            continue;
        }
        let mut params: Vec<Param> = list.split(',').filter_map(param).collect();
        if params.pop().is_some_and(|last| last.kind == "aclOpExecutor") && params.pop().is_some() {
            found.insert(name.to_owned(), params);
        }
    }
    found
}

fn param(text: &str) -> Option<Param> {
    let text = text.replace('*', " * ").replace("const ", " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let (name, kind) = words.split_last()?;
    let plain: Vec<&str> = kind.iter().copied().filter(|word| *word != "*").collect();
    let kind = if plain == ["char"] { "char*".to_owned() } else { plain.join(" ") };
    Some(Param { kind, name: (*name).to_owned() })
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        kept.push_str(&rest[..at]);
        kept.push(' ');
        let end = if rest[at..].starts_with("/*") { "*/" } else { "\n" };
        rest = rest[at + 2..].split_once(end).map_or("", |(_, after)| after);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_and_nothing_else() {
        let text = "
            /* aclnnStatus aclnnOldGetWorkspaceSize(int64_t a, uint64_t* workspaceSize, aclOpExecutor** executor); */
            // aclnnAGetWorkspaceSize(…)
            ACLNN_API aclnnStatus aclnnXGetWorkspaceSize(const aclTensor* self,\n const aclScalar * other, // x
                int8_t mode, const char* how, aclTensor *out, uint64_t* workspaceSize, aclOpExecutor** executor);
            aclnnStatus aclnnX(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);
            call(aclnnYGetWorkspaceSize(1, 2), 3);
            __attribute__((visibility(\"default\")))
            aclnnStatus aclnnNoneGetWorkspaceSize(uint64_t *workspaceSize, aclOpExecutor **executor);";
        let found = declared(text);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["aclnnNone", "aclnnX"]);
        let shown: Vec<String> = found["aclnnX"].iter().map(|param| format!("{} {}", param.kind, param.name)).collect();
        assert_eq!(shown, ["aclTensor self", "aclScalar other", "int8_t mode", "char* how", "aclTensor out"]);
        assert!(found["aclnnNone"].is_empty());
    }
}
