//! Functional scenarios: what the acceptance cases are about, read from their operands, and what tests by name show beside them.

use std::collections::{BTreeMap, BTreeSet};

use super::doc::{Block, Both, Cell, Section, State, Table, Tone, both, same};
use super::picture;
use super::words;
use super::{Subject, acceptance};
use crate::base::report::{AcceptanceCase, AcceptanceResult, CaseTensor, LayerPiece};
use crate::run::companion::Scenario;

/// From here on a tensor counts as large.
const LARGE: u64 = 1 << 20;
/// From here on a value does.
const LARGE_VALUE: f64 = 1e4;

/// Types in the order that readers expect.
const DTYPES: [&str; 9] = ["float32", "float16", "bfloat16", "int16", "int32", "int8", "uint8", "int64", "float64"];

/// Place of a type among the columns.
pub fn dtype_order(dtype: &str) -> (usize, String) {
    (DTYPES.iter().position(|known| *known == dtype).unwrap_or(DTYPES.len()), dtype.to_owned())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: u64,
    /// They exceed the threshold, and their names say so.
    pub expected: u64,
    pub all: u64,
}

impl Tally {
    pub fn add(&mut self, case: &AcceptanceCase) {
        self.all += 1;
        self.passed += u64::from(is(case, &["pass"]));
        self.expected += u64::from(!is(case, &["pass"]) && is(case, &["pass", "expected"]));
    }

    pub fn state(self) -> State {
        if self.passed + self.expected == self.all { State::Good } else { State::Bad }
    }

    pub fn cell(self) -> Cell {
        Cell::outcomes(self.passed, self.expected, self.all)
    }
}

/// A row of the matrix: its place and its name.
type Key = (u8, Both);

/// `+`, `-`, `0`, or nothing for a range on both sides of zero.
fn sign(input: &CaseTensor) -> Option<char> {
    match input.range? {
        [0.0, 0.0] => Some('0'),
        [low, _] if low >= 0.0 => Some('+'),
        [_, high] if high <= 0.0 => Some('-'),
        _ => None,
    }
}

/// What a case is about.
fn classes(case: &AcceptanceCase) -> Vec<Key> {
    let inputs = &case.inputs;
    let name = |at: usize| inputs.get(at).map_or("", |input| input.name.as_str());
    let shapes: Vec<&[u64]> = inputs.iter().map(|input| input.shape.as_slice()).collect();
    let interface = &case.interface;
    let mut found = vec![(0, both(format!("接口 {interface}"), format!("interface {interface}")))];
    if let [first, second, ..] = inputs.as_slice() {
        let is_scalar = shapes[1].is_empty();
        found.push(match is_scalar {
            true => {
                (1, both(format!("{} 为标量（aclScalar）", name(1)), format!("{} is a scalar (aclScalar)", name(1))))
            }
            false => (
                1,
                both(format!("{}、{} 均为张量", name(0), name(1)), format!("{} and {} are tensors", name(0), name(1))),
            ),
        });
        match (sign(first), sign(second)) {
            (Some(a @ ('+' | '-')), Some(b @ ('+' | '-'))) => {
                let word = |sign| if sign == '+' { both("为正", "positive") } else { both("为负", "negative") };
                let (a, b) = (word(a), word(b));
                found.push((
                    2,
                    both(
                        format!("{} {}，{} {}", name(0), a.zh, name(1), b.zh),
                        format!("{} {}, {} {}", name(0), a.en, name(1), b.en),
                    ),
                ));
            }
            (first, second) => {
                let zero = [(0, first), (1, second)].into_iter().filter(|(_, sign)| *sign == Some('0'));
                found.extend(
                    zero.map(|(at, _)| (3, both(format!("{} 为零", name(at)), format!("{} is zero", name(at))))),
                );
            }
        }
        if !is_scalar && shapes[0] != shapes[1] {
            found.push((6, both("广播", "broadcasting")));
        }
        if first.dtype != second.dtype {
            found.push((7, both("混合数据类型", "mixed data types")));
        }
    }
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    found.push((4, both(format!("{rank} 维"), format!("rank {rank}"))));
    let elements = case.outputs.iter().map(|output| output.shape.iter().product::<u64>()).max().unwrap_or(0);
    match elements {
        0 => found.push((5, both("空张量", "empty tensors"))),
        1 => found.push((5, both("单个元素", "one element"))),
        LARGE.. => found.push((5, both("大张量（不少于2^20个元素）", "large tensors (2^20 elements and more)"))),
        _ => {}
    }
    let ranges = inputs.iter().filter_map(|input| input.range);
    let most = ranges.map(|[low, high]| low.abs().max(high.abs())).fold(0.0, f64::max);
    if most >= LARGE_VALUE {
        found.push((8, both("大数值（绝对值达到10^4以上）", "large values (10^4 and more)")));
    }
    found
}

pub fn dtype(case: &AcceptanceCase) -> &str {
    case.outputs.first().map_or("", |output| output.dtype.as_str())
}

/// Every result is one of these.
fn is(case: &AcceptanceCase, words: &[&str]) -> bool {
    !case.results.is_empty() && case.results.iter().all(|result| words.contains(&result.result.as_str()))
}

pub fn section(subject: &Subject) -> Section {
    let mut section = Section::new("scenarios", both("功能场景", "Functional scenarios"));
    section.blocks.push(Block::Text(both(
        "矩阵由AscendOpTest验收用例（tests/aot）归类得到：每格为通过数/用例数，按AscendOpTest的比较规则判定，括号内为按预期超出阈值的用例数（名称以_expect_fail结尾）；一个用例可属于多个场景。最后一列是以测试名指定的场景（Rust测试、单元测试、样例）。",
        "The matrix sorts the AscendOpTest acceptance cases (tests/aot) by their operands: passed/all by AscendOpTest's comparison, in brackets those that exceed its threshold as their names (_expect_fail) say; a case may belong to several scenarios. The last column is about scenarios that name tests (Rust tests, unit tests, examples).",
    )));
    let cases = acceptance::cases(subject, "ascendoptest", &mut section);
    let mut matrix: BTreeMap<Key, BTreeMap<String, Tally>> = BTreeMap::new();
    for case in &cases {
        for key in classes(case) {
            matrix.entry(key).or_default().entry(dtype(case).to_owned()).or_default().add(case);
        }
    }
    let mut dtypes: Vec<String> =
        cases.iter().map(|case| dtype(case).to_owned()).collect::<BTreeSet<_>>().into_iter().collect();
    dtypes.sort_by_key(|dtype| dtype_order(dtype));
    let mut table = Table { head: vec![words::scenario()], rows: Vec::new() };
    table.head.extend(dtypes.iter().map(same));
    let tests = tests(subject, &mut section);
    if !tests.is_empty() {
        table.head.push(both("测试", "tests"));
    }
    let width = table.head.len();
    for ((_, name), tallies) in &matrix {
        let mut row = vec![Cell::text(name.clone())];
        row.extend(dtypes.iter().map(|dtype| tallies.get(dtype).map_or(Cell::plain(""), |one| one.cell())));
        row.resize(width, Cell::plain(""));
        table.rows.push(row);
    }
    for (name, cell) in tests {
        let mut row = vec![Cell::text(name)];
        row.resize(width - 1, Cell::plain(""));
        row.push(cell);
        table.rows.push(row);
    }
    let mut sum = Tally::default();
    cases.iter().for_each(|case| sum.add(case));
    if !cases.is_empty() {
        section.judge(sum.state());
    }
    let beyond = words::beyond(sum.expected);
    section.brief = both(
        format!("验收用例{}/{}通过{}", sum.passed, sum.all, beyond.zh),
        format!("{} of {} acceptance cases pass{}", sum.passed, sum.all, beyond.en),
    );
    if !table.rows.is_empty() {
        section.blocks.push(Block::Pictures(vec![picture::matrix(&table)]));
        section.blocks.push(Block::Folded(both("场景与数据类型", "Scenarios and data types"), table));
    }
    if !cases.is_empty() {
        section.blocks.push(Block::Folded(both("全部验收用例", "All acceptance cases"), listed(&cases)));
    }
    kit(subject, &mut section);
    section
}

fn listed(cases: &[AcceptanceCase]) -> Table {
    let head = vec![
        words::case(),
        both("接口", "interface"),
        words::mode(),
        both("输入", "inputs"),
        words::result(),
        both("超差元素", "bad elements"),
        both("最大绝对误差", "largest error"),
        both("说明", "message"),
    ];
    let rows = cases.iter().map(|case| {
        let inputs = case.inputs.iter().map(|input| {
            let shape: Vec<String> = input.shape.iter().map(u64::to_string).collect();
            let range = input.range.map_or(String::new(), |[low, high]| format!(" [{low:?}, {high:?}]"));
            format!("{} {}[{}]{range}", input.name, input.dtype, shape.join(", "))
        });
        let inputs: Vec<String> = inputs.collect();
        let words = |of: fn(&AcceptanceResult) -> &str| {
            case.results.iter().map(of).filter(|one| !one.is_empty()).collect::<Vec<_>>().join("; ")
        };
        let bad = case.results.iter().filter_map(|one| Some(format!("{}/{}", one.bad?, one.elements?)));
        let bad: Vec<String> = bad.collect();
        let tone = match (is(case, &["pass"]), is(case, &["pass", "expected"])) {
            (true, _) => Tone::Good,
            (false, true) => Tone::Open,
            (false, false) => Tone::Bad,
        };
        vec![
            Cell::code(&case.case),
            Cell::code(&case.interface),
            Cell::text(words::mode_name(&case.mode)),
            Cell::plain(inputs.join("; ")),
            Cell::toned(words(|one| &one.result), tone),
            Cell::plain(bad.join("; ")),
            Cell::plain(words(|one| one.max_abs.as_deref().unwrap_or_default())),
            Cell::plain(words(|one| &one.message)),
        ]
    });
    Table { head, rows: rows.collect() }
}

/// Scenarios that the operator's metadata tells by names of tests.
fn tests(subject: &Subject, section: &mut Section) -> Vec<(Both, Cell)> {
    let Some(companion) = subject.companion.as_ref().filter(|companion| !companion.scenarios.is_empty()) else {
        return Vec::new();
    };
    let mut known: Vec<(String, bool)> = Vec::new();
    let mut whole = true;
    for layer in ["rust", "ut", "example"] {
        match subject.store.data::<LayerPiece>(&format!("layer.{layer}")) {
            Ok(data) => known.extend(data.tests),
            Err(why) => {
                whole = false;
                section.open(&same(format!("test --only {layer}")), &why.text(), &subject.command(&["test"]));
            }
        }
    }
    let rows = companion.scenarios.iter().map(|one| {
        let cell = judged(one, &known, whole, &subject.command(&["test"]));
        match cell.tone {
            Tone::Good => section.judge(State::Good),
            Tone::Bad => section.judge(State::Bad),
            _ => section.judge(State::Open),
        }
        (both(&one.zh, &one.en), cell)
    });
    rows.collect()
}

/// `fill` runs the tests of all scenarios.
fn judged(scenario: &Scenario, known: &[(String, bool)], whole: bool, fill: &[String]) -> Cell {
    let of = |pattern: &String| known.iter().filter(|(name, _)| matches(pattern, name)).collect::<Vec<_>>();
    let missing: Vec<&String> = scenario.tests.iter().filter(|pattern| of(pattern).is_empty()).collect();
    let found: BTreeSet<&(String, bool)> = scenario.tests.iter().flat_map(of).collect();
    let passed = found.iter().filter(|(_, passed)| *passed).count() as u64;
    let share = Cell::share(passed, found.len() as u64);
    let unknown = || missing.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    match (missing.is_empty(), whole) {
        (true, _) => share,
        // A failure is one whatever else was not run.
        (false, false) if share.tone == Tone::Bad => share,
        (false, false) => Cell { fill: fill.to_vec(), ..Cell::tinted(both("未运行", "not run"), Tone::Open) },
        (false, true) => Cell::tinted(
            both(format!("没有名为{}的测试", unknown()), format!("no test is called {}", unknown())),
            Tone::Bad,
        ),
    }
}

/// `*` stands for any part.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(name) = name.strip_prefix(start) else { return false };
    (0..=name.len()).filter(|at| name.is_char_boundary(*at)).any(|at| matches(rest, &name[at..]))
}

/// The cases of upstream's own kit, which does not run here.
fn kit(subject: &Subject, section: &mut Section) {
    let dir = subject.op.path.join("tests/st");
    let files = crate::base::files::walk(&dir).unwrap_or_default();
    let mut rows = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "csv")) {
        let content = std::fs::read_to_string(dir.join(file)).unwrap_or_default();
        let count = content.lines().skip(1).filter(|line| !line.trim().is_empty()).count();
        rows.push(vec![Cell::code(format!("tests/st/{}", file.display())), Cell::plain(count.to_string())]);
    }
    if rows.is_empty() {
        return;
    }
    section.blocks.push(Block::Text(both(
        "ops-test-kit（ttk）用例：工具不属于本仓库，本报告未由其运行。",
        "Cases of ops-test-kit (ttk): the kit is not part of this repository, this report has not run them with it.",
    )));
    section.blocks.push(Block::Table(Table { head: vec![both("文件", "file"), both("用例数", "cases")], rows }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn case(inputs: Value, out: &[u64]) -> AcceptanceCase {
        read(json!({"interface": "aclnnX", "inputs": inputs, "outputs": [{"dtype": "float32", "shape": out}]}))
    }

    fn read(case: Value) -> AcceptanceCase {
        serde_json::from_value(case).expect("a case")
    }

    fn names(case: &AcceptanceCase) -> Vec<String> {
        classes(case).into_iter().map(|(_, name)| name.en).collect()
    }

    #[test]
    fn what_cases_are_about() {
        let input = |name: &str, dtype: &str, shape: &[u64], range: [f64; 2]| json!({"name": name, "dtype": dtype, "shape": shape, "range": range});
        let a = |range| input("a", "float32", &[2, 3], range);
        let signs = case(json!([a([-5.0, 0.0]), input("b", "float32", &[2, 3], [0.5, 5.0])]), &[2, 3]);
        assert_eq!(names(&signs), ["interface aclnnX", "a and b are tensors", "a negative, b positive", "rank 2"]);
        let zero = case(json!([a([-5.0, 5.0]), input("b", "float16", &[], [0.0, 0.0])]), &[1, 1]);
        assert_eq!(
            names(&zero),
            ["interface aclnnX", "b is a scalar (aclScalar)", "b is zero", "mixed data types", "rank 2", "one element"]
        );
        let wide = case(json!([a([-2e4, 5.0]), input("b", "float32", &[3], [-1.0, 1.0])]), &[1024, 1024]);
        assert_eq!(
            names(&wide)[2..],
            ["broadcasting", "rank 2", "large tensors (2^20 elements and more)", "large values (10^4 and more)"]
        );
        let one = case(json!([input("a", "float32", &[0], [0.0, 1.0])]), &[0]);
        assert_eq!(names(&one), ["interface aclnnX", "rank 1", "empty tensors"]);
    }

    #[test]
    fn cases_beyond_their_threshold_as_expected() {
        let mut sum = Tally::default();
        let mut state = |words: &[&str]| {
            let results: Vec<Value> = words.iter().map(|word| json!({"result": word})).collect();
            sum.add(&read(json!({"results": results})));
            let cell = sum.cell();
            (cell.text.en, cell.tone, sum.state() == State::Good)
        };
        assert_eq!(state(&["pass", "pass"]), ("1/1".to_owned(), Tone::Good, true));
        assert_eq!(state(&["pass", "expected"]), ("1/2 (1)".to_owned(), Tone::Open, true));
        assert_eq!(state(&["expected", "unexpected"]), ("1/3 (1)".to_owned(), Tone::Bad, false));
        assert_eq!(state(&[]), ("1/4 (1)".to_owned(), Tone::Bad, false));
    }

    #[test]
    fn scenarios_name_tests() {
        assert!(
            matches("a::*_b*", "a::x_b_c") && matches("a", "a") && matches("*", "") && !matches("a::*_b", "a::x_bc")
        );
        let scenario = Scenario { zh: "甲".into(), en: "a".into(), tests: vec!["v::*".into(), "S.x".into()] };
        let cell = |known: &[(&str, bool)], whole| {
            let known: Vec<(String, bool)> = known.iter().map(|(name, ok)| ((*name).to_owned(), *ok)).collect();
            let cell = judged(&scenario, &known, whole, &["test".to_owned()]);
            assert_eq!(cell.fill.is_empty(), cell.tone != Tone::Open);
            (cell.text.en, cell.tone)
        };
        assert_eq!(
            cell(&[("v::a", true), ("v::b", true), ("S.x", true), ("o", false)], true),
            ("3/3".into(), Tone::Good)
        );
        assert_eq!(cell(&[("v::a", true), ("S.x", false)], true), ("1/2".into(), Tone::Bad));
        assert_eq!(cell(&[("v::a", true)], false), ("not run".into(), Tone::Open));
        assert_eq!(cell(&[("v::a", false)], false), ("0/1".into(), Tone::Bad));
        assert_eq!(cell(&[("v::a", true)], true), ("no test is called S.x".into(), Tone::Bad));
    }
}
