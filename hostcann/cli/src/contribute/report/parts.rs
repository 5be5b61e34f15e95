//! Sections about one kind of run each: tests, checker, measurements on this machine, rules, package, machine, commands.

use std::collections::BTreeSet;

use super::Subject;
use super::doc::{Block, Both, Cell, Gaps, Section, State, Table, Tone, both, same, shown_line};
use super::store::Why;
use super::words;
use crate::base::plural;
use crate::base::report::{
    CheckFinding, Environment, HostBench, HostRow, LayerOutcome, LayerPiece, PackagePiece, RuleFinding, RuleOutcome,
    RulesPiece,
};
use crate::test::layer;

/// Every layer that a plain run of `test` takes.
pub fn tests(subject: &Subject) -> Section {
    let mut section = Section::new("tests", both("测试", "Tests"));
    let fill = subject.command(&["test"]);
    let mut table = Table {
        head: vec![both("层", "layer"), both("通过", "passed"), both("失败", "failed")],
        rows: Vec::new(),
    };
    let (mut passed, mut failed, mut gaps) = (0, 0, Gaps::default());
    for layer in layer::of(subject.in_tree) {
        let name = layer.name();
        match subject.store.data::<LayerPiece>(&format!("layer.{name}")) {
            Err(why) => gaps.add(format!("test --only {name}"), why.text()),
            Ok(data) => {
                for one in &data.outcomes {
                    let (good, bad) = (one.passed, one.failed);
                    (passed, failed) = (passed + good, failed + bad);
                    table.rows.push(row(name, one));
                    section.judge(if bad == 0 { State::Good } else { State::Bad });
                }
            }
        }
    }
    gaps.tell(&mut section, |_| fill.clone());
    if !table.rows.is_empty() {
        section.brief = both(format!("{passed}项通过，{failed}项失败"), format!("{passed} passed, {failed} failed"));
        section.blocks.push(Block::Table(table));
    }
    section
}

fn row(layer: &str, outcome: &LayerOutcome) -> Vec<Cell> {
    let (of, bad) = (outcome.layer.as_str(), outcome.failed);
    let (own, part) = (words::named(layer), words::named(of));
    let name = match of == layer {
        true => own,
        false => both(format!("{}：{}", own.zh, part.zh), format!("{}: {}", own.en, part.en)),
    };
    let tone = if bad == 0 { Tone::Good } else { Tone::Bad };
    vec![Cell::text(name), Cell::toned(outcome.passed.to_string(), tone), Cell::plain(bad.to_string())]
}

/// `test --check`.
pub fn checker(subject: &Subject) -> Section {
    let mut section = Section::new("checker", both("检查器", "Checker"));
    section.blocks.push(Block::Text(both(
        "每次核函数启动都由检查器跟踪：同步缺失、未初始化内存、越界、tiling数据、多核冲突等（docs/guides/checking.md）。",
        "Every launch was watched by the checker: missing synchronisation, memory nobody wrote, bounds, tiling data, conflicts between cores and more (docs/guides/checking.md).",
    )));
    let fill = subject.command(&["test", "--check"]);
    let head = [
        ("层", "layer"),
        ("通过", "passed"),
        ("失败", "failed"),
        ("检查的启动", "launches checked"),
        ("有发现的启动", "with findings"),
    ];
    let mut table = Table { head: head.map(|(zh, en)| both(zh, en)).to_vec(), rows: Vec::new() };
    let (mut launches, mut findings, mut gaps) = (0, 0, Gaps::default());
    let mut found = Vec::new();
    for layer in layer::checked(subject.in_tree) {
        let name = layer.name();
        let data = match subject.store.data::<LayerPiece>(&format!("checked.{name}")) {
            Ok(data) => data,
            Err(why) => {
                gaps.add(format!("test --check --only {name}"), why.text());
                continue;
            }
        };
        let (all, bad) = (data.launches.unwrap_or_default(), data.findings.unwrap_or_default());
        (launches, findings) = (launches + all, findings + bad);
        section.judge(if bad == 0 { State::Good } else { State::Bad });
        found.extend(data.found.iter().flatten().map(|one| finding_row(name, one)));
        for (at, one) in data.outcomes.iter().enumerate() {
            section.judge(if one.failed == 0 { State::Good } else { State::Bad });
            let mut row = row(name, one);
            // Counted for the layer as a whole.
            row.extend(match at {
                0 => [
                    Cell::plain(all.to_string()),
                    Cell::toned(bad.to_string(), if bad == 0 { Tone::Good } else { Tone::Bad }),
                ],
                _ => [Cell::plain(""), Cell::plain("")],
            });
            table.rows.push(row);
        }
    }
    gaps.tell(&mut section, |_| fill.clone());
    if !table.rows.is_empty() {
        // Nothing is good of which nothing was checked.
        section.judge(if launches > 0 { State::Good } else { State::Bad });
        section.brief = both(
            format!("检查{launches}次启动，其中{findings}次有发现"),
            format!("{} checked, {findings} with findings", plural::number(launches, "launch")),
        );
        section.blocks.push(Block::Table(table));
        section.blocks.push(findings_block(found));
    }
    section
}

/// What was found, each place and kind once.
fn findings_block(rows: Vec<Vec<Cell>>) -> Block {
    if rows.is_empty() {
        return Block::Text(both("没有发现。", "Nothing was found."));
    }
    let head = [
        ("层", "layer"),
        ("种类", "kind"),
        ("次数", "times"),
        ("启动失败", "launch failed"),
        ("位置", "place"),
        ("说明", "message"),
    ];
    Block::Table(Table { head: head.map(|(zh, en)| both(zh, en)).to_vec(), rows })
}

/// Operand, rule, what was expected and what came.
fn said(one: &CheckFinding) -> String {
    let part = |before: &str, words: &Option<String>| match words.as_deref().unwrap_or_default() {
        "" => String::new(),
        words => format!("{before}{words}"),
    };
    let operand = part("operand ", &one.operand);
    let colon = if operand.is_empty() { "" } else { ": " };
    let fix = part(". Fix: ", &one.fix);
    format!("{operand}{colon}{}{}{}{fix}", one.message, part("; expected ", &one.expected), part("; got ", &one.got))
}

fn finding_row(layer: &str, one: &CheckFinding) -> Vec<Cell> {
    let stops = match one.stops {
        true => Cell::tinted(both("是", "yes"), Tone::Bad),
        false => Cell::tinted(both("否（无影响的规则）", "no: a rule without an effect"), Tone::Open),
    };
    let place = one.place.iter().chain([&one.kernel]).find(|words| !words.is_empty());
    vec![
        Cell::text(words::named(layer)),
        Cell::plain(&one.class),
        Cell::plain(one.times.to_string()),
        stops,
        Cell::code(place.map_or("", String::as_str)),
        Cell::plain(format!("{}: {}", one.instruction, said(one))),
    ]
}

/// `bench host`.
pub fn host(subject: &Subject) -> Section {
    let mut section = Section::new("host", both("主机上的仿真速度", "Speed of the modelled core on this machine"));
    if subject.companion.as_ref().is_none_or(|companion| companion.bench.is_none()) || !subject.in_tree {
        section.brief = both("该算子没有主机测速程序", "the operator has no benchmark for the host");
        section.blocks.push(Block::Text(section.brief.clone()));
        return section;
    }
    section.blocks.push(Block::Text(both(
        "CPU上的仿真与numpy同机对比，实测；与芯片上的性能无关。",
        "Measured: the modelled core on a CPU beside numpy on the same machine. It says nothing about speed on a chip.",
    )));
    let fill = subject.command(&["bench", "host"]);
    match subject.store.data::<HostBench>("bench_host") {
        Err(why) => section.open(&same("bench host"), &why.text(), &fill),
        Ok(data) => {
            let head = [
                both("行", "row"),
                both("算子（毫秒，中位数）", "operator (ms, median)"),
                both("对比对象", "beside"),
                both("对比对象（毫秒）", "beside (ms)"),
                both("比值", "ratio"),
                both("要求", "required"),
            ];
            let rows: Vec<Vec<Cell>> = data.rows.iter().map(host_row).collect();
            let held = data.rows.iter().filter(|row| row.holds).count();
            section.judge(if held == rows.len() { State::Good } else { State::Bad });
            section.brief =
                both(format!("{held}/{}行满足要求", rows.len()), format!("{held} of {} rows hold", rows.len()));
            let HostBench { elements, reps, sides, .. } = data;
            section.blocks.push(Block::Text(both(
                format!("{elements}个元素，{reps}次调用。{}；{}", sides.op, sides.numpy),
                format!(
                    "{}, {}. {}; {}",
                    plural::number(elements, "element"),
                    plural::number(reps, "call"),
                    sides.op,
                    sides.numpy
                ),
            )));
            section.blocks.push(Block::Table(Table { head: head.to_vec(), rows }));
        }
    }
    section
}

fn host_row(row: &HostRow) -> Vec<Cell> {
    let number = |value: f64| format!("{value:?}");
    let required = row.required.map_or(String::new(), |required| required.to_string());
    let tone = if row.holds { Tone::Good } else { Tone::Bad };
    vec![
        Cell::plain(&row.name),
        Cell::plain(number(row.op.median_ms)),
        Cell::plain(&row.beside.name),
        Cell::plain(number(row.beside.times.median_ms)),
        Cell::toned(number(row.ratio), tone),
        Cell::plain(required),
    ]
}

/// `pr --check`.
pub fn rules(subject: &Subject) -> Section {
    let mut section = Section::new("rules", both("上游规则", "Upstream's rules"));
    let fill = subject.command(&["pr", "--check"]);
    let RulesPiece { checkout, rules } = match subject.store.data("rules") {
        Err(why) => {
            section.open(&same("pr --check"), &why.text(), &fill);
            return section;
        }
        Ok(data) => data,
    };
    let count = |status: &str| rules.iter().filter(|rule| rule.status == status).count();
    let (pass, warnings, errors, not_run) = (count("pass"), count("warning"), count("error"), count("not run"));
    section.judge(if errors == 0 { State::Good } else { State::Bad });
    section.brief = both(
        format!("{pass}/{}条通过，{errors}条错误，{warnings}条警告，{not_run}条未检查", rules.len()),
        format!(
            "{pass} of {} rules pass, {errors} with errors, {warnings} with warnings, {not_run} not run",
            rules.len()
        ),
    );
    section.blocks.push(Block::Text(match checkout {
        true => both("已对照ops-math工作副本检查。", "Checked against a checkout of ops-math."),
        false => both(
            "未对照ops-math工作副本检查，需要它的规则未运行（pr --check --ops-math DIR）。",
            "Without a checkout of ops-math; the rules that need one were not run (pr --check --ops-math DIR).",
        ),
    }));
    let mut table = Table {
        head: vec![both("规则", "rule"), both("标题", "title"), words::state(), both("说明", "message")],
        rows: Vec::new(),
    };
    let findings = |rule: &RuleOutcome| rule.findings.clone().unwrap_or_default();
    for rule in rules.iter().filter(|rule| rule.status != "pass" || !findings(rule).is_empty()) {
        let (status, tone) = match rule.status.as_str() {
            "pass" => (both("通过（已说明）", "pass, explained"), Tone::Good),
            "warning" => (both("警告", "warning"), Tone::Open),
            "error" => (both("错误", "error"), Tone::Bad),
            _ => (both("未检查", "not run"), Tone::Plain),
        };
        let message = match findings(rule).as_slice() {
            [] => rule.why.clone().unwrap_or_default(),
            found => found.iter().map(finding).collect::<Vec<_>>().join("; "),
        };
        table.rows.push(vec![
            Cell::plain(rule.rule.to_string()),
            Cell::text(both(&rule.zh, &rule.title)),
            Cell::tinted(status, tone),
            Cell::plain(message),
        ]);
    }
    if !table.rows.is_empty() {
        section.blocks.push(Block::Table(table));
    }
    section
}

fn finding(one: &RuleFinding) -> String {
    let explained = one.explained.as_ref().map_or(String::new(), |why| format!(" ({why})"));
    format!("{one}{explained}")
}

pub fn package(subject: &Subject) -> Section {
    let mut section = Section::new("package", both("软件包", "Package"));
    let fill = subject.command(&["package"]);
    let head = vec![both("文件", "file"), both("芯片", "SoC"), both("字节", "bytes"), same("SHA-256")];
    let mut table = Table { head, rows: Vec::new() };
    let names = subject.store.names("package.");
    for name in &names {
        let Ok(PackagePiece { file, sha256, bytes, socs, .. }) = subject.store.data(name) else { continue };
        table.rows.push(vec![
            Cell::code(file),
            Cell::plain(socs.join(", ")),
            Cell::plain(bytes.to_string()),
            Cell::code(sha256),
        ]);
    }
    if table.rows.is_empty() {
        let why = names.first().map_or(Why::Missing, |name| subject.store.why(name).unwrap_or(Why::Missing));
        section.open(&same("package"), &why.text(), &fill);
        return section;
    }
    section.judge(State::Good);
    section.brief = same(table.rows.iter().map(|row| row[1].text.zh.clone()).collect::<Vec<_>>().join("; "));
    section.blocks.push(Block::Table(table));
    section
}

/// The machines that the runs were on; they are told apart when they differ.
pub fn environment(subject: &Subject) -> Section {
    let mut section = Section::new("environment", both("环境", "Environment"));
    let mut found: Vec<&Environment> = Vec::new();
    for piece in subject.store.fresh() {
        if !found.contains(&&piece.environment) {
            found.push(&piece.environment);
        }
    }
    if found.is_empty() {
        section.blocks.push(Block::Text(both("没有当前提交上的运行。", "No run is of this commit.")));
        return section;
    }
    type Fact = fn(&Environment) -> Option<String>;
    let facts: [(Both, Fact); 11] = [
        (both("操作系统", "system"), |one| Some(one.system.clone())),
        (both("架构", "architecture"), |one| Some(one.architecture.clone())),
        (same("CPU"), |one| one.cpu.clone()),
        (both("核数", "cores"), |one| (one.cores > 0).then(|| one.cores.to_string())),
        (same("rustc"), |one| one.rustc.clone()),
        (both("C++编译器", "C++ compiler"), |one| one.cxx.clone()),
        (same("CMake"), |one| one.cmake.clone()),
        (same("Ninja"), |one| one.ninja.clone()),
        (same("Python"), |one| one.python.clone()),
        (same("xtask"), |one| Some(one.xtask.clone())),
        (both("工具包", "toolkit"), |one| Some(one.toolkit.clone())),
    ];
    let mut table = Table { head: vec![words::item()], rows: Vec::new() };
    for at in 1..=found.len() {
        table.head.push(if found.len() == 1 { words::value() } else { same(at.to_string()) });
    }
    for (name, fact) in facts {
        let mut row = vec![Cell::text(name)];
        row.extend(found.iter().map(|one| Cell::plain(fact(one).unwrap_or_default())));
        table.rows.push(row);
    }
    let socs: BTreeSet<&str> =
        subject.store.fresh().map(|piece| piece.soc.as_str()).filter(|soc| !soc.is_empty()).collect();
    let mut row = vec![Cell::text(both("芯片", "SoC")), Cell::plain(socs.into_iter().collect::<Vec<_>>().join("; "))];
    row.resize(table.head.len(), Cell::plain(""));
    table.rows.push(row);
    section.blocks.push(Block::Table(table));
    section
}

/// What was typed for the runs that count.
pub fn commands(subject: &Subject) -> Section {
    let mut section = Section::new("commands", both("复现命令", "Commands to repeat"));
    let lines: BTreeSet<String> = subject.store.fresh().map(|piece| shown_line(&piece.arguments)).collect();
    match lines.is_empty() {
        true => section.blocks.push(Block::Text(both("没有当前提交上的运行。", "No run is of this commit."))),
        false => section.blocks.push(Block::Commands(lines.into_iter().collect())),
    }
    section
}
