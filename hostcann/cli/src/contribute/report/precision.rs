//! Precision by mode and type under each standard, and how errors spread over sizes of the quotient.

use std::collections::BTreeMap;

use super::Subject;
use super::acceptance::{self, STANDARDS};
use super::doc::{Block, Cell, Section, Table, both, same};
use super::picture::{self, Spread};
use super::scenarios::{Tally, dtype, dtype_order};
use super::words;
use crate::base::plural;
use crate::base::report::{AcceptanceCase, ErrorBins, ErrorsPiece};

/// Mode, place of the type, type.
type Key = (String, (usize, String));

#[derive(Default)]
struct Sum {
    cases: Tally,
    bad: u64,
    elements: u64,
    worst: f64,
}

impl Sum {
    fn add(&mut self, case: &AcceptanceCase) {
        self.cases.add(case);
        for result in &case.results {
            self.bad += result.bad.unwrap_or_default();
            self.elements += result.elements.unwrap_or_default();
            let error = result.max_abs.as_ref().and_then(|error| error.parse().ok());
            self.worst = self.worst.max(error.unwrap_or(0.0));
        }
    }
}

fn key(case: &AcceptanceCase) -> Key {
    (case.mode.clone(), dtype_order(dtype(case)))
}

pub fn section(subject: &Subject) -> Section {
    let mut section = Section::new("precision", both("精度", "Precision"));
    if acceptance::stems(subject).is_empty() {
        section.brief = both("没有tests/aot用例", "no cases in tests/aot");
        section.blocks.push(Block::Text(section.brief.clone()));
        return section;
    }
    section.blocks.push(Block::Text(both(
        "验收标准为AscendOpTest默认阈值（用例自带阈值者从其阈值）；生态标准的中文版与英文版是两个不同的标准，仅供参考，不影响本报告的通过与否。每格：通过/用例数（括号内为按预期超出AscendOpTest阈值的用例数），超差元素/元素数，最大绝对误差。",
        "Acceptance is by AscendOpTest's thresholds (a case's own where it has some); the Chinese and the English edition of the ecosystem standard are two different standards, told for information, and decide nothing here. Each cell: cases passed/all (in brackets those beyond AscendOpTest's threshold as expected), bad elements/all, largest absolute error.",
    )));
    let mut rows: BTreeMap<Key, BTreeMap<&str, Sum>> = BTreeMap::new();
    for standard in STANDARDS {
        for case in acceptance::cases(subject, standard, &mut section) {
            rows.entry(key(&case)).or_default().entry(standard).or_default().add(&case);
        }
    }
    let mut table = Table { head: vec![words::mode(), words::dtype()], rows: Vec::new() };
    table.head.extend([
        same("AscendOpTest"),
        both("生态标准（中文版）", "ecosystem standard (Chinese edition)"),
        both("生态标准（英文版）", "ecosystem standard (English edition)"),
    ]);
    let mut total = Tally::default();
    for ((mode, (_, dtype)), sums) in &rows {
        let mut row = vec![Cell::text(words::mode_name(mode)), Cell::plain(dtype)];
        for standard in STANDARDS {
            row.push(sums.get(standard).map_or(Cell::plain(""), |sum| {
                let cell = sum.cases.cell();
                let numbers = format!("{}; {}/{}; {:.2e}", cell.text.en, sum.bad, sum.elements, sum.worst);
                Cell { text: same(numbers), ..cell }
            }));
        }
        if let Some(sum) = sums.get(STANDARDS[0]) {
            total.passed += sum.cases.passed;
            total.expected += sum.cases.expected;
            total.all += sum.cases.all;
        }
        table.rows.push(row);
    }
    if total.all > 0 {
        section.judge(total.state());
        let (Tally { passed, all, .. }, beyond) = (total, words::beyond(total.expected));
        section.brief = both(
            format!("AscendOpTest {passed}/{all}{}；{}种模式与类型的组合", beyond.zh, rows.len()),
            format!(
                "AscendOpTest {passed} of {all}{}; {} of mode and type",
                beyond.en,
                plural::number(rows.len(), "pair")
            ),
        );
    }
    if !table.rows.is_empty() {
        section.blocks.push(Block::Table(table));
    }
    histograms(subject, &mut section);
    section
}

fn spreads(subject: &Subject) -> Vec<Spread> {
    let mut found: BTreeMap<(Key, String), Spread> = BTreeMap::new();
    for stem in acceptance::stems(subject) {
        // Where it is not fresh the results above are not either, and say so.
        let Ok(ErrorsPiece { edges, errors, .. }) = subject.store.data(&format!("errors.{stem}")) else { continue };
        for ErrorBins { mode, dtype, by, bins } in &errors {
            let key = ((mode.clone(), dtype_order(dtype)), by.clone());
            let spread = found.entry(key).or_insert_with(|| Spread {
                mode: mode.clone(),
                dtype: dtype.clone(),
                by: by.clone(),
                edges: edges.clone(),
                bins: vec![[0; 5]; edges.len() + 2],
            });
            for (sum, count) in spread.bins.iter_mut().zip(bins).flat_map(|(sum, bin)| sum.iter_mut().zip(bin)) {
                *sum += count;
            }
        }
    }
    found.into_values().collect()
}

fn histograms(subject: &Subject, section: &mut Section) {
    let spreads = spreads(subject);
    if spreads.is_empty() {
        return;
    }
    section.blocks.push(Block::Heading(both("误差按商的大小的分布", "Errors by size of the quotient")));
    section.blocks.push(Block::Text(both(
        "全部验收用例的元素，按前两个输入之商的绝对值分组（只有一个输入时按其绝对值）；高度为各组中的比例，不为零的部分至少2像素高；柱上为元素数。单位ulp为期望值处的最后一位。",
        "All elements of the acceptance cases, grouped by the size of the quotient of the first two operands (of the operand where there is one); heights are shares of the group, at least 2 pixels where there is an element; above each bar its number of elements. An ulp is the unit in the last place at the golden.",
    )));
    section.blocks.push(Block::Pictures(spreads.iter().map(picture::histogram).collect()));
    let mut head = vec![words::mode(), words::dtype(), both("分组", "group")];
    head.extend(picture::DEGREES.iter().map(|(zh, en, _)| both(*zh, *en)));
    let mut rows = Vec::new();
    for spread in &spreads {
        for (at, bin) in spread.bins.iter().enumerate().filter(|(_, bin)| bin.iter().sum::<u64>() > 0) {
            let group = format!("{} {}", spread.by, picture::group(&spread.edges, at));
            let mut row =
                vec![Cell::text(words::mode_name(&spread.mode)), Cell::plain(&spread.dtype), Cell::plain(group)];
            row.extend(bin.iter().map(|count| Cell::plain(count.to_string())));
            rows.push(row);
        }
    }
    section.blocks.push(Block::Folded(both("分布的数值", "Numbers of the pictures"), Table { head, rows }));
}
