//! Guard against drift: the C signatures that the installed headers declare must be those of `signatures.txt`, which
//! lists what every public CANN since 8.1 declares. Parameter names do not count, types do.

use std::collections::BTreeMap;

use fmod_tests::sys;

const EXPECTED: &str = include_str!("../signatures.txt");

/// `name` → `fn(types) -> type` for every function in the generated source, whatever its formatting.
fn generated(source: &str) -> BTreeMap<String, String> {
    let mut functions = BTreeMap::new();
    let compact: String = source.split_whitespace().collect::<Vec<_>>().join(" ");
    // Fields of the loaded-library struct: `pub aclInit: unsafe extern "C" fn(configPath: *const c_char) -> aclError,`
    for (at, marker) in compact.match_indices("unsafe extern \"C\" fn") {
        let Some(name) = field_name(&compact[..at]) else {
            continue;
        };
        let rest = compact[at + marker.len()..].trim_start();
        let Some(end) = closing(rest) else { continue };
        let types: Vec<String> = split(&rest[1..end]).iter().map(|parameter| type_of(parameter)).collect();
        let after = rest[end + 1..].trim_start();
        let result = after.strip_prefix("->").map(|text| text.split([',', '}']).next().unwrap_or(text));
        let result = result.map_or("()".to_owned(), plain);
        functions.insert(name.to_owned(), format!("({}) -> {result}", types.join(", ")));
    }
    functions
}

/// `… pub aclInit :` → `aclInit`
fn field_name(before: &str) -> Option<&str> {
    let before = before.trim_end().strip_suffix(':')?.trim_end();
    let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    let name = &before[start..];
    (before[..start].trim_end().ends_with("pub") && name.starts_with("acl")).then_some(name)
}

/// Index of the parenthesis that closes the one at index 0.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn split(parameters: &str) -> Vec<&str> {
    parameters.split(',').map(str::trim).filter(|parameter| !parameter.is_empty()).collect()
}

fn type_of(parameter: &str) -> String {
    let colon = parameter
        .char_indices()
        .find(|(at, c)| *c == ':' && !parameter[at + 1..].starts_with(':') && !parameter[..*at].ends_with(':'));
    plain(colon.map_or(parameter, |(at, _)| &parameter[at + 1..]))
}

/// One spelling for a type: last path segments only, single spaces.
fn plain(text: &str) -> String {
    let spaced = text.replace("::", " :: ").replace('*', " * ");
    let mut words: Vec<&str> = Vec::new();
    let mut in_path = false;
    for word in spaced.split_whitespace() {
        if word == "::" {
            in_path = true;
            continue;
        }
        if in_path && words.last().is_some_and(|last| !["*", "mut", "const"].contains(last)) {
            words.pop();
        }
        in_path = false;
        words.push(word);
    }
    words.join(" ").replace("* ", "*")
}

fn expected() -> BTreeMap<String, String> {
    let lines = EXPECTED.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &str| {
        let at = line.find('(').unwrap_or_else(|| panic!("signatures.txt: no `(` in `{line}`"));
        (line[..at].to_owned(), line[at..].to_owned())
    };
    lines.map(entry).collect()
}

#[test]
fn signatures_are_those_of_the_field() {
    let (got, want) = (generated(sys::BINDINGS), expected());
    let mut differences = Vec::new();
    for (name, signature) in &want {
        match got.get(name) {
            None => differences.push(format!("missing    {name}{signature}")),
            Some(other) if other != signature => {
                differences.push(format!("expected   {name}{signature}\n  declared {name}{other}"));
            }
            Some(_) => {}
        }
    }
    let extra = got.iter().filter(|(name, _)| !want.contains_key(*name));
    differences.extend(extra.map(|(name, signature)| format!("not listed {name}{signature}")));
    assert!(differences.is_empty(), "headers and signatures.txt differ:\n  {}", differences.join("\n  "));
}

#[test]
fn enum_values_are_those_of_the_field() {
    use sys::{aclDataType, aclFormat, aclrtMemMallocPolicy, aclrtMemcpyKind};
    let types = [
        aclDataType::ACL_FLOAT,
        aclDataType::ACL_FLOAT16,
        aclDataType::ACL_INT8,
        aclDataType::ACL_INT32,
        aclDataType::ACL_UINT8,
        aclDataType::ACL_INT16,
        aclDataType::ACL_INT64,
        aclDataType::ACL_DOUBLE,
        aclDataType::ACL_BOOL,
        aclDataType::ACL_BF16,
    ];
    assert_eq!(types.map(|value| i64::from(value.0)), [0, 1, 2, 3, 4, 6, 9, 11, 12, 27]);
    assert_eq!(aclFormat::ACL_FORMAT_ND.0, 2);
    assert_eq!(aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST.0, 0);
    let kinds = [aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE, aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST];
    assert_eq!(kinds.map(|kind| kind.0), [1, 2]);
}

#[test]
fn the_parser_reads_both_formattings() {
    let formatted = "pub struct Api {\n    pub aclrtFree: unsafe extern \"C\" fn(\n        devPtr: *mut ::core::ffi::c_void,\n    ) -> aclError,\n}";
    let tokens = "pub struct Api { pub aclrtFree : unsafe extern \"C\" fn (devPtr : * mut :: core :: ffi :: c_void) -> aclError , }";
    for source in [formatted, tokens] {
        assert_eq!(generated(source)["aclrtFree"], "(*mut c_void) -> aclError", "{source}");
    }
}
