//! The list of public A2 interfaces, `hostcann/api/interfaces.tsv`: what it calls present has to be declared, what it
//! calls absent must not be, and `docs/reference/interfaces.md` counts it. Names count, not overloads. `HOSTCANN_UPDATE_INTERFACES=1`
//! writes both files anew.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    path::{Path, PathBuf},
};

struct Row {
    category: String,
    name: String,
    kind: String,
    scope: String,
    state: String,
    page: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

const LIST: &str = "hostcann/api/interfaces.tsv";
const OUT: &str = "hostcann/api/out.tsv";
const DOCUMENT: &str = "docs/reference/interfaces.md";

fn rows() -> Vec<Row> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [category, name, kind, scope, state, page] = cells[..] else { panic!("{LIST}: {line}") };
        let own = str::to_owned;
        assert!(["present", "absent", "out"].contains(&state), "{LIST}: {line}");
        Row {
            category: own(category),
            name: own(name),
            kind: own(kind),
            scope: own(scope),
            state: own(state),
            page: own(page),
        }
    };
    read(LIST).lines().skip(1).map(row).collect()
}

/// A declaration that compiles if the row's name is there. The line number is that of the row in the list.
fn probe(i: usize, row: &Row) -> String {
    let name = &row.name;
    let using = match (row.kind.as_str(), row.scope.as_str()) {
        ("macro", _) => format!("#ifndef {name}\n#line {i} \"{LIST}\"\nextern hostcann_absent absent{i};\n#endif"),
        ("member", class) => format!("struct Row{i} : {class} {{ using {class}::{name}; }};"),
        (_, scope) => format!("namespace row{i} {{ using {scope}::{name}; }}"),
    };
    format!("#line {i} \"{LIST}\"\n{using}\n")
}

const KERNEL: &str = "#include \"ascendc/kernel/c_api.h\"
#include \"adv_api/kernel_api.h\"
#include \"tikicpulib.h\"
\
    #include \"utils/debug/asc_time.h\"
#include \"lib/matmul_intf.h\"
\
    using HostcannProbeType = AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>;
\
    using HostcannProbeMatmul = AscendC::Matmul<HostcannProbeType, HostcannProbeType, HostcannProbeType>;
\
    class HostcannProbePool { EXTERN_IMPL_BUFPOOL(HostcannProbePool, AscendC::TPosition::VECCALC, 16); };\n";
const HOST: &str = "#include \"tiling/tiling_api.h\"\n#include \"acl/acl.h\"\n#include \"acl/acl_op_compiler.h\"\n";

/// Names of the host: tiling functions and acl.
fn is_host(row: &Row) -> bool {
    row.category == "host tiling" || row.category.starts_with("acl: ")
}

/// Rows of the list, counted as in an editor, whose names are not declared.
fn absent(rows: &[Row]) -> BTreeSet<usize> {
    let side = |name, headers, host| undeclared(name, headers, rows, &|r| r.state != "out" && is_host(r) == host);
    let mut found = side("interfaces", KERNEL, false);
    found.extend(side("interfaces_host", HOST, true));
    found
}

/// The wanted rows that do not compile behind the headers.
fn undeclared(file: &str, headers: &str, rows: &[Row], wanted: &dyn Fn(&Row) -> bool) -> BTreeSet<usize> {
    let mut source = headers.to_owned();
    let listed = rows.iter().enumerate().filter(|(_, r)| wanted(r));
    source.extend(listed.map(|(i, r)| probe(i + 2, r)));
    let Err(errors) = crate::support::check_cpp(file, &source) else { return BTreeSet::new() };
    let line = |text: &str| {
        let (number, rest) = text.strip_prefix(LIST)?.strip_prefix(':')?.split_once(':')?;
        rest.contains("error:").then(|| number.parse::<usize>().ok())?
    };
    let found: BTreeSet<usize> = errors.lines().filter_map(line).collect();
    let other = errors.lines().find(|l| l.contains("error:") && line(l).is_none() && !l.contains("cc1plus"));
    assert!(other.is_none() && !found.is_empty(), "the probe itself: {errors}");
    found
}

/// A category that stays out, and why.
fn out() -> Vec<(String, String)> {
    let row = |line: &str| line.split_once('\t').map(|(category, why)| (category.to_owned(), why.to_owned()));
    read(OUT).lines().skip(1).map(|line| row(line).unwrap_or_else(|| panic!("{OUT}: {line}"))).collect()
}

/// A longer list says less than its number.
const MOST_NAMED: usize = 12;

fn document(rows: &[Row]) -> String {
    let mut text = "# Interfaces\n\n\
        Which of the public interfaces of Ascend C for vector cores of A2, of their tiling functions and of acl hostcann has, by\n\
        name: `hostcann/api/interfaces.tsv` lists them with the title of their page or their header. A name counts as present when\n\
        it is declared; which of its overloads and data types are there is for the tests of each, and a name that the basic and\n\
        the high-level interface share counts for both.\n\
        `cargo test -p hostcann-aicore-tests --test suite interfaces::` compiles a declaration per name, compares the list and counts this page.\n\n\
        | Category | There | Not there |\n|---|---|---|\n"
        .to_owned();
    let mut categories: Vec<&str> = Vec::new();
    for row in rows {
        if !categories.contains(&row.category.as_str()) {
            categories.push(&row.category);
        }
    }
    let out = out();
    let (mut there, mut all) = (0, 0);
    for category in categories {
        let is_out = out.iter().any(|(out, _)| out == category);
        for row in rows.iter().filter(|r| r.category == category) {
            assert_eq!(row.state == "out", is_out, "{OUT} says why the category of {} is out", row.name);
        }
        if is_out {
            continue;
        }
        let of: Vec<&Row> = rows.iter().filter(|r| r.category == category).collect();
        let missing: Vec<String> = of.iter().filter(|r| r.state == "absent").map(|r| format!("`{}`", r.name)).collect();
        let present = of.len() - missing.len();
        there += present;
        all += of.len();
        let missing = match missing.len() {
            0 => "–".to_owned(),
            1..=MOST_NAMED => missing.join(", "),
            n => format!("{n} names, `absent` in the list"),
        };
        let _ = writeln!(text, "| {category} | {present} / {} | {missing} |", of.len());
    }
    let _ = writeln!(text, "| **all** | **{there} / {all}** | |\n");
    text += "## What stays out\n\n";
    for (category, why) in out {
        let _ = writeln!(text, "- **{category}**: {why}");
    }
    text
}

fn list(rows: &[Row]) -> String {
    let mut text = "category\tname\tkind\tin\tstate\tpage\n".to_owned();
    for r in rows {
        let _ = writeln!(text, "{}\t{}\t{}\t{}\t{}\t{}", r.category, r.name, r.kind, r.scope, r.state, r.page);
    }
    text
}

#[test]
fn the_list_says_what_is_declared() {
    let mut rows = rows();
    assert!(rows.len() > 900, "{} rows", rows.len());
    let absent = absent(&rows);
    if std::env::var_os("HOSTCANN_UPDATE_INTERFACES").is_some() {
        for (i, row) in rows.iter_mut().enumerate().filter(|(_, r)| r.state != "out") {
            row.state = if absent.contains(&(i + 2)) { "absent" } else { "present" }.to_owned();
        }
        std::fs::write(root().join(LIST), list(&rows)).unwrap();
        std::fs::write(root().join(DOCUMENT), document(&rows)).unwrap();
    }
    let wrong = |(i, r): (usize, &Row)| match (r.state.as_str(), absent.contains(&(i + 2))) {
        ("present", true) => Some(format!("{LIST}:{}: {} is not declared: absent", i + 2, r.name)),
        ("absent", false) => Some(format!("{LIST}:{}: {} is declared: present", i + 2, r.name)),
        _ => None,
    };
    let wrong: Vec<String> = rows.iter().enumerate().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}\nHOSTCANN_UPDATE_INTERFACES=1 corrects the list and the page", wrong.join("\n"));
    assert!(read(DOCUMENT) == document(&rows), "{DOCUMENT} is not that of the list: HOSTCANN_UPDATE_INTERFACES=1");
}
