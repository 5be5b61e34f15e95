//! The aclnn interfaces that a package's headers declare.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cpptext::{Kind, Token, closing, split, tokens};

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
    let tokens = tokens(text);
    let mut found = Interfaces::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some(name) = token.text.strip_suffix(PHASE).filter(|name| name.starts_with("aclnn")) else { continue };
        let Some(close) = closing(&tokens, at + 1) else { continue };
        if !tokens.get(close + 1).is_some_and(|after| after.is(";")) {
            continue;
        }
        let mut params: Vec<Param> = split(&tokens[at + 2..close]).into_iter().filter_map(param).collect();
        if params.pop().is_some_and(|last| last.kind == "aclOpExecutor") && params.pop().is_some() {
            found.insert(name.to_owned(), params);
        }
    }
    found
}

fn param(tokens: &[Token]) -> Option<Param> {
    let words = tokens.iter().filter(|token| token.kind == Kind::Word && !token.is("const"));
    let words: Vec<&str> = words.map(|token| token.text).collect();
    let (name, kind) = words.split_last()?;
    let kind = if kind == ["char"] { "char*".to_owned() } else { kind.join(" ") };
    Some(Param { kind, name: (*name).to_owned() })
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

    #[test]
    fn a_declaration_after_a_literal_with_slashes() {
        let text = "PAGE(\"http://x\") aclnnStatus aclnnXGetWorkspaceSize(uint64_t *w, aclOpExecutor **executor);";
        assert_eq!(declared(text).keys().collect::<Vec<_>>(), ["aclnnX"]);
    }
}
