//! What to do about errors of the compiler that do not say so themselves.

use crate::base::plain::plain;

/// What GET_TILING_DATA refers to when no struct is known (hostcann/include/ascendc/kernel/tiling.h).
const NO_TILING_STRUCT: &str = "HostcannTilingDefault";
const NO_TILING_STRUCT_HINT: &str = "GET_TILING_DATA knows no struct: behind END_TILING_DATA_DEF in op_host belongs REGISTER_TILING_DATA_CLASS(<OpType>, \
     <struct>); for a struct of the kernel's own REGISTER_TILING_DEFAULT(<struct>)";

/// `if constexpr (TILING_KEY_IS(key))` in a header; in the kernel file `cpptext::key_tests` rewrites it.
const KEY_IS_NO_CONSTANT: &str = "'uint64_t aic_tiling_key()'";
const KEY_IS_NO_CONSTANT_HINT: &str = "one compilation holds all tiling keys, so that the key is no constant: write \
     `if (TILING_KEY_IS(…))`, or test the key in the kernel's .cpp, where `if constexpr` is read as `if`";

pub fn of(messages: &str) -> Option<String> {
    if messages.contains(NO_TILING_STRUCT) {
        Some(NO_TILING_STRUCT_HINT.to_owned())
    } else if plain(messages).contains(KEY_IS_NO_CONSTANT) && messages.contains("constexpr") {
        Some(KEY_IS_NO_CONSTANT_HINT.to_owned())
    } else {
        missing(messages)
    }
}

/// The public interfaces of Ascend C for A2: category, name, kind, scope, state and page.
const INTERFACES: &str = include_str!("../../../../api/interfaces.tsv");
/// Categories that stay out, and why.
const OUT: &str = include_str!("../../../../api/out.tsv");

/// Names of Ascend C that the compiler does not find: g++ offers similar ones, as if they were typing mistakes.
fn missing(messages: &str) -> Option<String> {
    let messages = plain(messages);
    let mut said: Vec<String> = Vec::new();
    for line in messages.lines().filter(|line| line.contains("error: ")) {
        if let Some(sentence) = about(line).filter(|sentence| !said.contains(sentence)) {
            said.push(sentence);
        }
    }
    (!said.is_empty()).then(|| said.join("; "))
}

/// What the list says of the name that a line of the compiler misses.
fn about(line: &str) -> Option<String> {
    let quoted: Vec<&str> = line.split(['\'', '‘', '’']).collect();
    let name = quoted.get(1)?.trim_start_matches("AscendC::");
    let qualified =
        line.contains(" is not a member of ") && quoted.get(3).is_some_and(|scope| scope.starts_with("AscendC"));
    let undeclared = [
        " was not declared in this scope",
        " does not name a ",
        " has not been declared",
        "there are no arguments to ",
    ];
    if !qualified && !undeclared.iter().any(|text| line.contains(text)) {
        return None;
    }
    let rows = INTERFACES.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    let row = rows.filter(|row| row.len() == 6 && row[2] != "member").find(|row| row[1] == name);
    let scope = if qualified || row.as_ref().is_some_and(|row| row[3] == "AscendC") { "AscendC::" } else { "" };
    match row.as_deref() {
        Some([.., "absent", page]) => {
            let kind = if page.ends_with(".h") { "header" } else { "page" };
            Some(format!(
                "hostcann does not have {scope}{name} yet ({kind} {page}): the operator is right and the toolkit is not"
            ))
        }
        Some([category, _, _, _, "out", _]) => {
            let why = OUT.lines().find_map(|row| row.strip_prefix(category)?.strip_prefix('\t'))?;
            Some(format!("{scope}{name} stays out of hostcann ({category}): {why}"))
        }
        Some(["host tiling", ..]) if qualified => {
            Some(format!("hostcann has {scope}{name} for tiling functions: include tiling/tiling_api.h"))
        }
        Some(_) if qualified => Some(format!(
            "hostcann has {scope}{name}: include kernel_operator.h; functions of the high-level API are in \
             adv_api/kernel_api.h"
        )),
        None if qualified => Some(format!(
            "{scope}{name} is none of the public interfaces for A2 (hostcann/api/interfaces.tsv): unless the name is \
             misspelt, it is one of another chip or of the toolkit's own sources"
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gcc(messages: &[&str]) -> String {
        messages.iter().map(|message| format!("k.h:9:14: error: {message}\n")).collect()
    }

    #[test]
    fn interfaces_that_are_missing() {
        let absent = "hostcann does not have aclrtMemPoolCreate yet (header acl_rt_memory_soma.h): the operator is \
                      right and the toolkit is not";
        let member = "‘aclrtMemPoolCreate’ was not declared in this scope; did you mean ‘aclrtMemcpy’?";
        let plain = "'aclrtMemPoolCreate' was not declared in this scope";
        let dependent = "there are no arguments to 'aclrtMemPoolCreate' that depend on a template parameter";
        let other = "'x' was not declared in this scope";
        for text in
            [gcc(&[member, member]), gcc(&[plain]), gcc(&[plain, member]), gcc(&[dependent]), gcc(&[plain, other])]
        {
            assert_eq!(missing(&text).as_deref(), Some(absent), "{text}");
        }
        assert_eq!(missing(&gcc(&[other, "'move' is not a member of 'std'"])), None);
    }

    #[test]
    fn keys_that_are_no_constants() {
        let text = gcc(&["call to non-'constexpr' function 'uint64_t aic_tiling_key()'"]);
        let hint = of(&text).expect("a hint");
        assert!(hint.contains("write `if (TILING_KEY_IS(…))`"), "{hint}");
    }

    #[test]
    fn interfaces_that_stay_out() {
        let text = gcc(&["'Mmad' was not declared in this scope", "'GetHcclContext' is not a member of 'AscendC'"]);
        let want = "AscendC::Mmad stays out of hostcann (cube): Of cube cores the Matmul object is modelled; matrix units, \
                    L0 and L1 buffers and Fixpipe behind it are not.; AscendC::GetHcclContext stays out of hostcann \
                    (HCCL): Several devices are not modelled, so nothing communicates.";
        assert_eq!(missing(&text).as_deref(), Some(want));
    }

    #[test]
    fn names_that_are_there_or_nowhere() {
        let hint = missing(&gcc(&["'SoftMax' is not a member of 'AscendC'"])).expect("a hint");
        assert!(hint.starts_with("hostcann has AscendC::SoftMax: include "), "{hint}");
        let hint = missing(&gcc(&["'GetSiluTmpSize' is not a member of 'AscendC'"])).expect("a hint");
        assert_eq!(hint, "hostcann has AscendC::GetSiluTmpSize for tiling functions: include tiling/tiling_api.h");
        let hint = missing(&gcc(&["'FooBar' is not a member of 'AscendC'"])).expect("a hint");
        assert!(hint.starts_with("AscendC::FooBar is none of the public interfaces for A2"), "{hint}");
        // Something of the operator's own.
        assert_eq!(missing(&gcc(&["'SoftMax' was not declared in this scope"])), None);
    }

    /// Every category that stays out says why.
    #[test]
    fn the_list_and_its_reasons() {
        for row in INTERFACES.lines().map(|row| row.split('\t').collect::<Vec<_>>()).filter(|row| row[4] == "out") {
            let why = OUT.lines().any(|line| line.split_once('\t').is_some_and(|(category, _)| category == row[0]));
            assert!(why, "{row:?}");
        }
    }
}
