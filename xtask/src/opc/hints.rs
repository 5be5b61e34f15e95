//! What to do about errors of the compiler that do not say so themselves.

use crate::build_log;

/// What GET_TILING_DATA refers to when no struct is known (hostcann/include/ascendc/kernel/tiling.h).
const NO_TILING_STRUCT: &str = "HostcannTilingDefault";
const NO_TILING_STRUCT_HINT: &str = "GET_TILING_DATA knows no struct: behind END_TILING_DATA_DEF in op_host belongs REGISTER_TILING_DATA_CLASS(<OpType>, \
     <struct>); for a struct of the kernel's own REGISTER_TILING_DEFAULT(<struct>)";

pub fn of(messages: &str) -> Option<String> {
    if messages.contains(NO_TILING_STRUCT) { Some(NO_TILING_STRUCT_HINT.to_owned()) } else { missing(messages) }
}

/// Names that the compiler does not find in AscendC: g++ offers similar ones, as if they were typing mistakes.
fn missing(messages: &str) -> Option<String> {
    let messages = build_log::plain(messages);
    let mut names: Vec<&str> = Vec::new();
    for line in messages.lines().filter(|line| line.contains("error: ")) {
        let quoted: Vec<&str> = line.split(['\'', '‘', '’']).collect();
        let is_missing =
            line.contains(" is not a member of ") && quoted.get(3).is_some_and(|scope| scope.starts_with("AscendC"));
        if let Some(&name) = quoted.get(1).filter(|name| is_missing && !names.contains(name)) {
            names.push(name.trim_start_matches("AscendC::"));
        }
    }
    names.dedup();
    let list: Vec<String> = names.iter().map(|name| format!("AscendC::{name}")).collect();
    (!list.is_empty()).then(|| {
        format!(
            "hostcann does not have {}: interfaces it lacks do not compile. Unless the name is misspelt, the operator is right and \
             the toolkit is not (hostcann/README.md, What is not modelled)",
            list.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_that_are_missing() {
        let text = "k.h:9:14: error: ‘SoftMax’ is not a member of ‘AscendC’; did you mean ‘Max’?\n\
                    k.h:9:14: error: 'FooBar' is not a member of 'AscendC'\nk.h:10:1: error: 'x' was not declared in this scope\n\
                    k.h:11:1: error: 'move' is not a member of 'std'\n";
        let hint = missing(text).expect("a hint");
        assert!(hint.starts_with("hostcann does not have AscendC::SoftMax, AscendC::FooBar: "), "{hint}");
        assert_eq!(missing("k.h:1:1: error: 'x' was not declared in this scope"), None);
    }
}
