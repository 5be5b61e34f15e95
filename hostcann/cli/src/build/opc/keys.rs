//! Tiling keys of kernels without template macros: `TILING_KEY_IS(key)`.

use std::collections::BTreeSet;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use cpptext::{Token, tokens};

use crate::base::diag::{HintExt, Kind, failed};

/// What TILING_KEY_IS leaves in the preprocessed kernel (macros.h, ASCENDC_TPL_PRE).
const KEY: &str = "@@HC_KEY@@";
const END: &str = "@@END@@";
/// `HostcannKeyProbe<7>()` in an object's symbol table: Itanium mangling of a uint64_t template argument.
const PROBE: &[u8] = b"_Z16HostcannKeyProbeILm";

/// The keys when all are literals; no TILING_KEY_IS at all means key 0. None: the compiler has to say.
pub fn literal(preprocessed: &str) -> Result<Option<BTreeSet<u64>>> {
    let mut keys = BTreeSet::new();
    for part in preprocessed.split(KEY).skip(1) {
        let Some((key, _)) = part.split_once(END) else { bail!("{KEY} without {END}") };
        match number(key) {
            Some(key) => keys.insert(key),
            None => return Ok(None),
        };
    }
    if keys.is_empty() {
        keys.insert(0);
    }
    Ok(Some(keys))
}

fn number(text: &str) -> Option<u64> {
    let text = text.trim().trim_start_matches('(').trim_end_matches(')').trim();
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// Keys from the symbols of an object compiled with HOSTCANN_KEY_PROBE.
pub fn of_object(object: &[u8]) -> Result<BTreeSet<u64>> {
    let mut keys = BTreeSet::new();
    for at in 0..object.len().saturating_sub(PROBE.len()) {
        if !object[at..].starts_with(PROBE) {
            continue;
        }
        let digits: Vec<u8> = object[at + PROBE.len()..].iter().copied().take_while(u8::is_ascii_digit).collect();
        let text = String::from_utf8(digits).context("digits are ASCII")?;
        keys.insert(text.parse().with_context(|| format!("the tiling key `{text}` is no 64-bit number"))?);
    }
    ensure!(
        !keys.is_empty(),
        "TILING_KEY_IS is used, but no call of it is compiled: is the kernel function a template?"
    );
    Ok(keys)
}

/// A template cannot be launched by a key that nothing declares. A plain function of the same name can: it is the better
/// match of the call.
pub fn check_entry(preprocessed: &str, function: &str) -> Result<()> {
    let tokens = tokens(preprocessed);
    let heads = definition_heads(&tokens, function);
    ensure!(
        !heads.is_empty(),
        "no function {function}(…) in the preprocessed kernel; the definition's opInterface.value or the file name says \
         how it is called"
    );
    ensure!(
        !heads.iter().all(|head| head.iter().any(|token| token.is("template"))),
        "{function} is a template, but no ASCENDC_TPL_ARGS_DECL with ASCENDC_TPL_SEL is visible from the kernel file; \
         include the header that declares its template parameters"
    );
    Ok(())
}

/// What stands between the end of the previous declaration and the function's name.
fn definition_heads<'t, 'a>(tokens: &'t [Token<'a>], function: &str) -> Vec<&'t [Token<'a>]> {
    let heads = tokens.windows(2).enumerate().filter(|(_, pair)| pair[0].is(function) && pair[1].is("("));
    let heads = heads.map(|(at, _)| {
        let start = tokens[..at].iter().rposition(|token| token.is(";") || token.is("}"));
        &tokens[start.map_or(0, |end| end + 1)..at]
    });
    // A name of its own with a parameter list, not a call with an object or a namespace in front.
    let part = |last: &Token| ["::", ".", "->"].iter().any(|mark| last.is(mark));
    heads.filter(|head| !head.last().is_some_and(part) && head.iter().any(|token| token.is("void"))).collect()
}

/// That no condition which the preprocessor evaluates asks for the key: it would take it for 0.
pub fn check_directives(preprocessor: Command) -> Result<()> {
    let Some(place) = in_directives(preprocessor)? else { return Ok(()) };
    Err(failed(Kind::Build, format!("{place}: TILING_KEY_VAR in a condition of the preprocessor")).hint(
        "the host toolkit compiles all keys of a kernel in one unit, where the preprocessor knows no key: use \
         TILING_KEY_IS in the code, or guard the directive with defined(TILING_KEY_VAR)",
    ))
}

/// Where a condition that is evaluated has TILING_KEY_VAR, which is no macro.
fn in_directives(mut command: Command) -> Result<Option<String>> {
    command.args(["-E", "-Wundef", "-fdiagnostics-color=never", "-o", "/dev/null"]);
    let output = command.output().context("cannot run the preprocessor")?;
    let messages = String::from_utf8_lossy(&output.stderr);
    let asked = messages.lines().find(|line| line.contains("\"TILING_KEY_VAR\" is not defined"));
    Ok(asked.and_then(|line| line.split_once(": ")).map(|(place, _)| place.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Option<Vec<u64>> {
        literal(text).expect("keys").map(|keys| keys.into_iter().collect())
    }

    #[test]
    fn literals() {
        assert_eq!(keys("if (@@HC_KEY@@ 10 @@END@@) {} else if (@@HC_KEY@@ 0x2UL @@END@@) {}"), Some(vec![2, 10]));
        assert_eq!(keys("@@HC_KEY@@ (3) @@END@@"), Some(vec![3]));
        assert_eq!(keys("void f();"), Some(vec![0]));
        assert_eq!(keys("@@HC_KEY@@ 1 @@END@@ @@HC_KEY@@ Keys::SECOND @@END@@"), None);
        assert!(literal("@@HC_KEY@@ 1").is_err());
    }

    #[test]
    fn symbols() {
        let object = b"\0_Z16HostcannKeyProbeILm10000000000000000013EEbv\0_Z16HostcannKeyProbeILm2EEbv\0";
        assert_eq!(of_object(object).expect("keys"), BTreeSet::from([2, 10_000_000_000_000_000_013]));
        let error = of_object(b"nothing").expect_err("no keys").to_string();
        assert!(error.contains("is the kernel function a template?"), "{error}");
    }

    #[test]
    fn entries() {
        let plain = "struct A { void foo(int); }; extern \"C\" void foo(int a) { bar::foo(a); }";
        assert!(check_entry(plain, "foo").is_ok());
        let template = "int x; template <uint32_t Mode, bool B> void foo (int a) {}";
        let error = check_entry(template, "foo").expect_err("template").to_string();
        assert!(error.contains("foo is a template, but no ASCENDC_TPL_ARGS_DECL"), "{error}");
        assert!(check_entry(&format!("{template} extern \"C\" void foo(int a) {{}}"), "foo").is_ok());
        let error = check_entry("void foo_bar(); int afoo(); x.foo(1);", "foo").expect_err("missing").to_string();
        assert!(error.contains("no function foo"), "{error}");
    }

    #[test]
    fn in_directives_of_this_chip() {
        let temp = tempfile::tempdir().expect("temp dir");
        let source = temp.path().join("k.cpp");
        let of = |text: &str| {
            std::fs::write(&source, text).expect("a file");
            let mut command = Command::new("g++");
            command.arg("-DARCH=220").arg(&source);
            in_directives(command).expect("it runs")
        };
        let place = of("int x;\n#  if TILING_KEY_VAR == 3\n#endif\n").expect("no key is known");
        assert!(place.contains("k.cpp:2:"), "{place}");
        assert_eq!(of("#if ARCH == 220\n#else\n#if TILING_KEY_VAR == 3\n#endif\n#endif\n"), None);
        assert_eq!(of("#if defined(TILING_KEY_VAR) && TILING_KEY_VAR == 3\n#endif\n"), None);
        assert_eq!(of("#if OTHER == 3\n#endif\n"), None);
    }
}
