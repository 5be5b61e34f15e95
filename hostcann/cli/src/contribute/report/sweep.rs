//! The exhaustive sweep: classes, their shards and switches.

use std::collections::BTreeSet;

use super::Subject;
use super::doc::{Block, Cell, Gaps, Section, State, Table, Tone, both};
use super::store::Why;
use crate::base::plural;
use crate::base::report::SweepPiece;

/// All pairs of small types, and what was drawn of the large ones.
pub fn section(subject: &Subject) -> Section {
    let mut section = Section::new("sweep", both("穷举", "Exhaustive sweep"));
    let Some(sweep) = subject.companion.as_ref().and_then(|companion| companion.sweep.as_ref()) else {
        section.brief = both("该算子没有穷举程序", "the operator has no sweep");
        section.blocks.push(Block::Text(section.brief.clone()));
        return section;
    };
    section.blocks.push(Block::Text(both(
        "操作数的所有组合（或抽取的组合）经已安装的算子包计算，结果逐位比较（docs/guides/exhaustive.md）。",
        "All pairs of operands, or drawn ones, through the installed package, compared bit by bit (docs/guides/exhaustive.md).",
    )));
    let mut table = Table {
        head: vec![
            both("类", "class"),
            both("开关", "switches"),
            both("分片", "shard"),
            both("操作数对", "pairs"),
            both("范围", "covered"),
            both("不一致", "mismatches"),
            both("秒", "seconds"),
        ],
        rows: Vec::new(),
    };
    let (mut pairs, mut wrong, mut swept) = (0, 0, BTreeSet::new());
    let mut gaps = Gaps::default();
    for class in &sweep.classes {
        let start = format!("sweep.{class}");
        let names = subject.store.names(&start);
        let mut shards = Vec::new();
        let own = names.iter().filter(|name| **name == start || name[start.len()..].starts_with('.'));
        for data in own.filter_map(|name| subject.store.data::<SweepPiece>(name).ok()) {
            let (one, switches) = (&data.class, data.switches.join(", "));
            let (all, bad) = (one.pairs, one.mismatches);
            (pairs, wrong) = (pairs + all, wrong + bad);
            section.judge(if bad == 0 { State::Good } else { State::Bad });
            if switches.is_empty() {
                shards.push(data.shard.clone());
            }
            let covered = if one.all_pairs { both("全部", "all pairs") } else { both("抽取", "drawn") };
            table.rows.push(vec![
                Cell::code(class),
                Cell::plain(switches),
                Cell::plain(data.shard),
                Cell::plain(all.to_string()),
                Cell::text(covered),
                Cell::toned(bad.to_string(), if bad == 0 { Tone::Good } else { Tone::Bad }),
                Cell::plain(format!("{:?}", one.seconds)),
            ]);
        }
        if is_whole(&shards) {
            swept.insert(class);
        } else {
            gaps.add(class, subject.store.why(&start).unwrap_or(Why::Missing).text());
        }
    }
    if !table.rows.is_empty() {
        let (whole, count) = (swept.len(), sweep.classes.len());
        section.brief = both(
            format!("{whole}/{count}类完成，{pairs}对，{wrong}处不一致"),
            format!(
                "{whole} of {count} classes whole, {}, {}",
                plural::number(pairs, "pair"),
                plural::number(wrong, "mismatch")
            ),
        );
        section.blocks.push(Block::Table(table));
    }
    gaps.tell(&mut section, |classes| subject.command(&["test", "--exhaustive", "--class", &classes.join(",")]));
    section
}

/// Whether these parts, `2/4` and the like, are all parts of one whole.
fn is_whole(shards: &[impl AsRef<str>]) -> bool {
    let parts: BTreeSet<(u64, u64)> = shards
        .iter()
        .filter_map(|shard| shard.as_ref().split_once('/'))
        .filter_map(|(index, count)| Some((count.parse().ok()?, index.parse().ok()?)))
        .collect();
    parts.iter().any(|(count, _)| (1..=*count).all(|index| parts.contains(&(*count, index))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shards_are_a_whole() {
        assert!(is_whole(&["1/1"]) && is_whole(&["2/2", "1/3", "1/2"]));
        assert!(!is_whole(&[""; 0]) && !is_whole(&["1/2"]) && !is_whole(&["1/2", "2/3", "1/3"]));
    }
}
