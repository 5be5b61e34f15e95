//! Shapes that take less than 10 µs, which the community task asks for by name: a chart, a table, and what bounds them.

use std::collections::BTreeSet;

use super::doc::{Block, Both, Cell, Table, both};
use super::{picture, words};
use crate::base::plural;
use crate::perf::predict::matrix::size;
use crate::perf::predict::row::{Row, median};

/// µs.
const SMALL: f64 = 10.0;

/// Nothing where no row is small.
pub fn blocks(rows: &[Row]) -> Vec<Block> {
    let is_small = |row: &&Row| row.op.get("tbe").is_some_and(|us| *us < SMALL);
    let small: Vec<&Row> = rows.iter().filter(is_small).collect();
    if small.is_empty() {
        return Vec::new();
    }
    let heading = both("小shape（小于10微秒）的性能（模型）", "Shapes of less than 10 µs (model)");
    let pictures = charts(&small);
    let table = Block::Folded(
        both("小shape：微秒（模型）与界限", "Small shapes: µs (model) and what bounds them"),
        table(&small),
    );
    vec![Block::Heading(heading), Block::Text(analysis(&small)), Block::Pictures(pictures), table]
}

fn time(row: &Row) -> f64 {
    row.op.get("tbe").copied().unwrap_or_default()
}

fn analysis(rows: &[&Row]) -> Both {
    let floor = median(rows.iter().map(|row| row.limit / time(row)).collect()).unwrap_or_default() * 100.0;
    let ratio = (rows.iter().map(|row| (row.chain / time(row)).ln()).sum::<f64>() / rows.len() as f64).exp();
    let bounds: BTreeSet<&str> = rows.iter().map(|row| row.bound.as_str()).filter(|bound| !bound.is_empty()).collect();
    let count = |bound: &str| rows.iter().filter(|row| row.bound == bound).count();
    let list = |of: fn(usize, &Both) -> String, comma: &str| {
        bounds.iter().map(|bound| of(count(bound), &words::named(bound))).collect::<Vec<_>>().join(comma)
    };
    let zh = list(|count, bound| format!("{}{count}行", bound.zh), "，");
    let en = list(|count, bound| format!("{} {}", bound.en, plural::number(count, "row")), ", ");
    both(
        format!(
            "tbe模式下预测时间小于10微秒的共{}行。模型下限（空核启动加上必须搬运的数据）占预测时间的{floor:.0}%（中位数）；\
             与内置算子指令序列之比的几何平均为{ratio:.2}。界限：{zh}。",
            rows.len()
        ),
        format!(
            "Rows in tbe mode predicted to take less than 10 µs: {}. The model's floor (an empty launch and the bytes that must move) is \
             {floor:.0} % of the predicted time (median); the geometric mean against the built-in operator's instruction sequence is \
             {ratio:.2}. Bound by: {en}.",
            rows.len()
        ),
    )
}

/// One picture for each chip and state of the caches, of contiguous tensors of one shape.
fn charts(rows: &[&Row]) -> Vec<[String; 2]> {
    let kinds: BTreeSet<(&str, &str)> = rows.iter().map(|row| (row.soc.as_str(), row.cache.as_str())).collect();
    let names =
        [both("算子", "operator"), both("内置算子指令序列", "built-in chain"), both("模型下限", "the model's floor")];
    let of = |(soc, cache): (&str, &str)| {
        let mut some: Vec<&&Row> =
            rows.iter().filter(|row| row.case == "same" && row.soc == soc && row.cache == cache).collect();
        some.sort_by_key(|row| row.order());
        let groups: Vec<(String, [f64; 3])> = some
            .iter()
            .map(|row| (format!("{} {}", row.dtype, size(row.elements)), [time(row), row.chain, row.limit]))
            .collect();
        let cache = words::named(cache);
        let title = both(format!("{soc}，{}，微秒（模型）", cache.zh), format!("{soc}, {}, µs (model)", cache.en));
        (!groups.is_empty()).then(|| picture::bars(&title, &groups, &names))
    };
    kinds.into_iter().filter_map(of).collect()
}

fn two(us: f64) -> String {
    format!("{us:.2}")
}

fn table(rows: &[&Row]) -> Table {
    let head = [
        ("芯片", "chip"),
        ("类型，形状", "type, case"),
        ("元素数", "elements"),
        ("缓存", "caches"),
        ("算子", "operator"),
        ("内置算子指令序列", "built-in chain"),
        ("速度比", "times as fast"),
        ("模型下限", "the model's floor"),
        ("算子时间的误差", "error of the operator's time"),
        ("界限", "bound by"),
    ];
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| (&a.soc, a.order()).cmp(&(&b.soc, b.order())));
    let line = |row: &&Row| {
        vec![
            Cell::plain(&row.soc),
            Cell::text(words::typed_case(&row.dtype, &row.case)),
            Cell::plain(size(row.elements)),
            Cell::text(words::named(&row.cache)),
            Cell::plain(row.us_text("tbe", time(row), two)),
            Cell::plain(row.us_text("chain", row.chain, two)),
            Cell::plain(format!("{:.2}x", row.chain / time(row))),
            Cell::plain(two(row.limit)),
            Cell::plain(row.error_text("tbe")),
            Cell::text(words::named(&row.bound)),
        ]
    };
    Table { head: head.map(|(zh, en)| both(zh, en)).to_vec(), rows: rows.iter().map(line).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contribute::report::doc::Language;
    use crate::perf::predict::row::tests::row;

    #[test]
    fn small_rows_have_a_chart_and_an_analysis() {
        let rows = [
            row(("f32", "same", 1 << 14, "warm"), [2.0, 4.0, 3.0, 1.0]),
            row(("f32", "row", 1 << 14, "warm"), [4.0, 8.0, 24.0, 2.0]),
            row(("f32", "same", 1 << 22, "warm"), [10.0, 40.0, 20.0, 8.0]),
        ];
        let found = blocks(&rows);
        let [Block::Heading(_), Block::Text(text), Block::Pictures(pictures), Block::Folded(_, table)] = &found[..]
        else {
            panic!("{found:?}");
        };
        // Both rows are at half of their time; 1.5 and 6 times as fast.
        let en = text.of(Language::En);
        assert!(en.contains("10 µs: 2.") && en.contains("50 %") && en.contains("Bound by: memory 2 rows."), "{text:?}");
        assert!(text.of(Language::Zh).contains("几何平均为3.00。界限：内存2行。"), "{text:?}");
        assert_eq!((pictures.len(), table.rows.len()), (1, 2));
        let last = |at: usize| table.rows[0][at].text.clone();
        assert_eq!([last(1), last(3), last(9)].map(|cell| cell.zh), ["f32 同形状", "热缓存", "内存"]);
        assert!(
            pictures[0][0].contains("f32 16 Ki") && pictures[0][0].contains("2.00") && !pictures[0][0].contains("4 Mi")
        );
        assert_eq!(blocks(&rows[2..]), []);
        let error = Cell::plain("± 4 % (element-wise, long calls)");
        assert!(table.rows.iter().all(|line| line.contains(&error)), "{table:?}");
    }
}
