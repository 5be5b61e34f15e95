//! The tables against the headers, for readers of either: the numbers are those that op sources are compiled with.

use std::collections::BTreeMap;
use std::path::Path;

use hostcann_types::data_type::{DataType, Size};
use hostcann_types::format::{FORMATS, Layout};
use hostcann_types::{soc, status};

fn hostcann() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("hostcann")
}

fn read(file: &str) -> String {
    let path = hostcann().join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn size(data_type: DataType) -> i64 {
    match data_type.element() {
        Size::Bytes(bytes) => bytes as i64,
        Size::Bits(bits) => 1000 + bits as i64,
        Size::Unknown => -1,
    }
}

/// Line for line: what C++ includes and what Rust links are one table.
#[test]
fn data_types_are_those_of_the_include() {
    let text = read("include/hostcann/data_types.inc");
    let theirs: Vec<&str> = text.lines().filter(|line| line.starts_with("HC_DATA_TYPE(")).collect();
    let ours = DataType::ALL.iter().map(|&t| {
        let (token, kernel) = (t.token().unwrap_or_default(), t.kernel().unwrap_or_default());
        format!("HC_DATA_TYPE({}, {}, {}, \"{token}\", \"{kernel}\")", t.name(), t.number(), size(t))
    });
    assert_eq!(ours.collect::<Vec<_>>(), theirs, "left: DataType, right: data_types.inc");
}

/// Names and numbers of lines such as `    DT_FLOAT = 0,`.
fn numbered<'a>(text: &'a str, start: &'a str, between: &'a str) -> impl Iterator<Item = (&'a str, i32)> {
    text.lines().filter_map(move |line| {
        let (name, rest) = line.strip_prefix(start)?.split_once(between)?;
        let number: String = rest.chars().take_while(|c| c.is_ascii_digit()).collect();
        Some((name, number.parse().ok()?))
    })
}

/// Headers that must stand alone (preprocessor numbers for kernels, the acl names, the AI CPU's) repeat the numbers.
#[test]
fn headers_with_numbers_of_their_own_agree() {
    let headers = [
        ("include/ascendc/kernel/kernel_type.h", "#define DT_", " ", 16),
        ("include/ascendc/kernel/kernel_type.h", "    DT_", " = ", 16),
        ("include/ascendc/host_api/tiling/template_argument_pre.h", "#define C_DT_", " ", 23),
        ("include/acl/acl_base_rt.h", "    ACL_", " = ", 16),
        ("include/aicpu_common/context/common/cpu_types.h", "    DT_", " = ", 38),
    ];
    for (header, start, between, at_least) in headers {
        let text = read(header);
        let known =
            numbered(&text, start, between).filter_map(|(name, number)| Some((DataType::of_name(name)?, number)));
        let seen =
            known.inspect(|(t, number)| assert_eq!(*number, t.number(), "{header}: {start}{}", t.name())).count();
        assert!(seen >= at_least, "{header}: {seen} types after `{start}`, expected {at_least}");
    }
}

#[test]
fn formats_are_those_of_the_headers() {
    let text = read("include/graph/c_types.h");
    let theirs: Vec<(&str, i32)> =
        numbered(&text, "    C_FORMAT_", " = ").filter(|(name, _)| !["END", "MAX"].contains(name)).collect();
    let ours = FORMATS.map(|format| (format.name, format.number));
    assert_eq!(ours[..], theirs, "left: FORMATS, right: c_types.h");
    let headers = [
        ("include/acl/acl_base_rt.h", "    ACL_FORMAT_", 18),
        ("include/aicpu_common/context/common/cpu_types.h", "    FORMAT_", 33),
    ];
    for (header, start, at_least) in headers {
        let text = read(header);
        let (mut seen, known) = (0, BTreeMap::from(ours));
        for (name, number) in numbered(&text, start, " = ").filter(|(name, _)| known.contains_key(name)) {
            assert_eq!(number, known[name], "{header}: {start}{name}");
            seen += 1;
        }
        assert!(seen >= at_least, "{header}: {seen} formats after `{start}`, expected {at_least}");
    }
}

/// The names that the framework writes, and the formats that opdev calls private or gives to acl.
#[test]
fn formats_are_those_of_nnopbase() {
    let text = read("nnopbase/gert/graph_types.cpp");
    let (_, list) = text.split_once("kFormats[] = {").expect("a list of names");
    let names: Vec<&str> = list.split("};").next().unwrap_or_default().split('"').skip(1).step_by(2).collect();
    assert_eq!(FORMATS.map(|format| format.text)[..], names, "left: FORMATS, right: graph_types.cpp");
    let text = read("nnopbase/opdev/format_utils.cpp");
    let cases = |from: &str, to: &str| -> Vec<String> {
        let (_, body) = text.split_once(from).expect("a function");
        let body = body.split(to).next().unwrap_or_default();
        let mut names: Vec<String> = body
            .split("case Format::FORMAT_")
            .skip(1)
            .map(|case| case.split(':').next().unwrap_or_default().to_owned())
            .collect();
        names.sort();
        names
    };
    let ours = |layout| {
        let mut names: Vec<&str> =
            FORMATS.iter().filter(|format| format.layout == layout).map(|format| format.name).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(ours(Layout::Private), cases("bool IsPrivateFormat(", "return true"));
    assert_eq!(ours(Layout::Plain), cases("aclFormat ToAclFormat(", "return static_cast"));
}

#[test]
fn status_codes_are_those_of_the_headers() {
    let headers =
        ["include/acl/acl_base_rt.h", "include/acl/error_codes/rt_error_codes.h", "include/aclnn/opdev/op_errno.h"];
    let text = headers.map(read).concat();
    for (name, code) in status::ALL {
        let lines = [format!("static const int {name} = {code};\n"), format!("#define {name} {code}\n")];
        assert!(lines.iter().any(|line| text.contains(line.as_str())), "{name} = {code} is in none of {headers:?}");
    }
}

/// Families of the chips, each of them once in the table.
#[test]
fn families_are_those_of_the_chips() {
    let text = read("soc/chips.toml");
    let mut families = BTreeMap::new();
    let mut chip = "";
    for line in text.lines() {
        if let Some(table) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            chip = table.split('.').next().expect("a name");
        } else if let Some((_, family)) = line.split_once("Short_SoC_version = ") {
            families.insert(chip, family.trim_matches('"').to_lowercase());
        }
    }
    assert_eq!(families.get(soc::DEFAULT).map(String::as_str), Some(soc::FAMILIES[0]), "{families:?}");
    let mut known: Vec<&str> = families.values().map(String::as_str).collect();
    known.sort_unstable();
    known.dedup();
    let mut ours = soc::FAMILIES;
    ours.sort_unstable();
    assert_eq!(ours[..], known, "left: FAMILIES, right: hostcann/soc");
}
