//! Texts of the contribution: the commit's message, the pull request's text from the checkout's template, the results of
//! this commit's runs. A number stands there only when a run of this commit produced it.

use super::definition::configured;
use super::markdown;
use super::profile::{self, Profile};
use super::proposal::HEADINGS;
use super::results::{Missing, Results};
use super::rule::Case;
use super::symbols::{base_name, own_api};
use crate::base::report::{
    ExampleResult, GateOutcome, LayerOutcome, OptestResult, Report, SimBench, Sweep, SweepResult, TestResult,
};
use crate::contribute::report::{gate, named, shown_arguments};

pub struct About {
    pub pascal: String,
    pub at: String,
    /// The first sentence of README's 功能说明
    pub what: String,
    pub apis: Vec<String>,
    pub chips: Vec<String>,
    pub replaced: Vec<String>,
    /// What sources say of this operator, compared with each that it replaces
    pub compared: Vec<String>,
    /// In front of the title of a community task
    pub community: bool,
    pub pages: Vec<String>,
}

impl About {
    pub fn of(case: &Case, replaced: &[String]) -> About {
        let readme = case.tree.text("README.md").unwrap_or_default();
        let what = markdown::section(readme, "功能说明").map_or(String::new(), |(_, body)| {
            let line =
                body.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
            let line = line.trim_start_matches(['-', '*', ' ']);
            line.split_once('：').map_or(line, |(_, rest)| rest).to_owned()
        });
        let mut apis: Vec<String> = own_api(case).iter().map(|(_, one)| base_name(&one.name).to_owned()).collect();
        if apis.is_empty() {
            apis.push(format!("aclnn{}", case.pascal()));
        }
        apis.sort();
        apis.dedup();
        let pages =
            case.tree.texts().map(|(path, _)| path).filter(|path| path.ends_with(".md")).map(|path| case.at(path));
        About {
            pascal: case.pascal(),
            at: case.at(""),
            what,
            apis,
            chips: configured(case),
            replaced: replaced.to_vec(),
            compared: compared(case, replaced),
            community: false,
            pages: pages.collect(),
        }
    }

    fn takes_the_place(&self) -> Option<String> {
        (!self.replaced.is_empty())
            .then(|| format!("替换{}：两者导出同名的aclnn接口与头文件，不能同时打包。", self.replaced.join("、")))
    }
}

/// Lines about each operator whose place this one takes.
fn compared(case: &Case, replaced: &[String]) -> Vec<String> {
    let Some(target) = case.target else { return Vec::new() };
    let (at, own, ran) = (case.at(""), Profile::of_tree(case.tree), ran(case.results, case.dir));
    let of = |dir: &String| profile::comparison((&at, &own), (dir, &Profile::of_checkout(target, dir)), &ran);
    replaced.iter().flat_map(of).collect()
}

/// What runs of this commit found out about values and speed: for a table that compares it with an operator that was not run.
fn ran(results: &Results, op: &str) -> Vec<[String; 2]> {
    const RUNS: [(&str, &str, Summary); 3] = [
        ("exhaustive", "结果逐位比较（遍历，本提交的运行）", sweep),
        ("optest", "AscendOpTest验收用例（本提交的运行）", cases),
        ("bench_sim", "与内置算子指令序列的速度比，几何平均（时序模型预测，非实测）", means),
    ];
    let of = |(verb, what, told): (&str, &str, Summary)| {
        let text = results.of_this_commit(verb, op).and_then(|run| told(run).ok_or(Missing::NoNumbers));
        [what.to_owned(), text.unwrap_or_else(|missing| missing.zh())]
    };
    RUNS.into_iter().map(of).collect()
}

/// The subject of the commit and the title of the pull request, as merged ones have it.
pub fn title(about: &About) -> String {
    const LONGEST: usize = 50;
    let dir = about.at.rsplit('/').next().unwrap_or_default();
    let mark = if about.community { "【社区任务】" } else { "" };
    let long = format!("{mark}feat({dir}): 新增实验算子{}", about.pascal);
    match long.chars().count() > LONGEST {
        true => format!("{mark}feat: 新增{}", about.pascal).chars().take(LONGEST).collect(),
        false => long,
    }
}

pub fn message(about: &About, issue: Option<u64>) -> String {
    let mut parts = vec![title(about)];
    let mut body = format!("{}\n\n接口：{}。\n支持：{}。", about.what, about.apis.join("、"), about.chips.join("、"));
    if let Some(more) = about.takes_the_place() {
        body.push_str(&format!("\n{more}"));
    }
    parts.push(body);
    parts.extend(issue.map(|issue| format!("关联的Issue: #{issue}")));
    parts.join("\n\n") + "\n"
}

/// What runs of this commit gave, as lines of Markdown.
pub fn tests(results: &Results, op: &str) -> Vec<String> {
    let mut lines = vec![match &results.here {
        Some(here) if here.clean => {
            format!("以下结果由提交{}上的运行产生，内核运行于CPU上的向量核仿真，未经硬件实测。", short(&here.commit))
        }
        _ => "内核运行于CPU上的向量核仿真，未经硬件实测。".to_owned(),
    }];
    let whole = results.layers();
    for (verb, what, told) in SOURCES {
        // A run of a few tests is listed only where no layer ran whole.
        let run = whole.as_ref().filter(|_| verb == "test").map_or_else(|| results.of_this_commit(verb, op), Ok);
        lines.push(match run {
            Ok(run) => match told(run) {
                Some(text) => format!("- {what}：{text}{}", command(run)),
                None => format!("- {what}：{}", Missing::NoNumbers.zh()),
            },
            Err(missing) => format!("- {what}：{}", missing.zh()),
        });
    }
    lines
}

type Summary = fn(&Report) -> Option<String>;

/// Stored runs, what they are about, and their numbers.
const SOURCES: [(&str, &str, Summary); 5] = [
    ("test", "测试", layers),
    ("example", "样例", example),
    ("exhaustive", "遍历", sweep),
    ("bench_sim", "性能（时序模型预测，非实测）", model),
    ("optest", "验收用例", cases),
];

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

fn command(run: &Report) -> String {
    let args = shown_arguments(run.arguments.iter().map(String::as_str));
    if args.is_empty() { String::new() } else { format!("（`cargo xtask {}`）", args.join(" ")) }
}

fn layers(run: &Report) -> Option<String> {
    let TestResult { passed, failed, layers, .. } = run.result()?;
    let of = |one: LayerOutcome| format!("{} {}/{}", named(&one.layer).zh, one.passed, one.passed + one.failed);
    let list: Vec<String> = layers?.into_iter().map(of).collect();
    Some(format!("通过{passed}项，失败{failed}项；{}", list.join("，")))
}

fn example(run: &Report) -> Option<String> {
    let ExampleResult { examples, .. } = run.result()?;
    let good = examples.iter().filter(|one| one.ok).count();
    Some(format!("{good}/{}通过", examples.len()))
}

fn sweep(run: &Report) -> Option<String> {
    let Sweep { pairs, mismatches, classes, .. } = run.result::<SweepResult>()?.exhaustive;
    Some(format!("{}类，{pairs}对操作数，{mismatches}处不一致", classes.len()))
}

fn model(run: &Report) -> Option<String> {
    let SimBench { rows, gates } = run.result()?;
    let missed: Vec<String> = gates.iter().filter(|one| one.failed != 0).map(|one| gate(&one.name).zh).collect();
    let held = gates.len() - missed.len();
    let mut text = format!("{}项，{held}/{}门限满足", rows.len(), gates.len());
    if !missed.is_empty() {
        text.push_str(&format!("，未满足：{}", missed.join("、")));
    }
    Some(text)
}

/// By gate, how many times as fast.
fn means(run: &Report) -> Option<String> {
    let SimBench { gates, .. } = run.result()?;
    let of = |one: &GateOutcome| Some(format!("{} {:.2}（{}项）", gate(&one.name).zh, one.mean?, one.rows));
    let all: Vec<String> = gates.iter().filter_map(of).collect();
    (!all.is_empty()).then(|| all.join("，"))
}

fn cases(run: &Report) -> Option<String> {
    let OptestResult { results } = run.result()?;
    let of = |word: &str| results.iter().filter(|one| one.result == word).count();
    let mut text = format!("{}/{}在限值内", of("pass"), results.len());
    if of("expected") > 0 {
        text.push_str(&format!("，{}项按预期超出阈值", of("expected")));
    }
    Some(text)
}

/// The template with its parts filled in; its comments stay.
pub fn pull_request(template: Option<&str>, about: &About, issue: Option<u64>, tests: &[String]) -> String {
    let own = HEADINGS.map(|heading| format!("{heading}\n")).join("\n") + "- [ ] 新特性\n";
    let template = template.unwrap_or(&own);
    let mut description = vec![format!("新增实验算子{}（{}）。{}", about.pascal, about.at, about.what)];
    description.push(format!("接口：{}。支持：{}。", about.apis.join("、"), about.chips.join("、")));
    description.extend(about.takes_the_place());
    if !about.compared.is_empty() {
        description.push(String::new());
        description.extend(about.compared.iter().cloned());
    }
    let documents: Vec<String> = about.pages.iter().map(|page| format!("- {page}")).collect();
    let mut out = String::new();
    let mut waiting: Option<Vec<String>> = None;
    let mut lines = template.lines().peekable();
    while let Some(line) = lines.next() {
        let filled = match line.trim_end() {
            "## 描述" => Some(description.clone()),
            "## 关联的Issue" => Some(issue.map(|issue| format!("#{issue}")).into_iter().collect()),
            "## 测试" => Some(tests.to_vec()),
            "## 文档更新" => Some(documents.clone()),
            _ => None,
        };
        out.push_str(&line.replace("- [ ] 新特性", "- [x] 新特性"));
        out.push('\n');
        waiting = filled.or(waiting);
        // Behind the comments of the part.
        let next = lines.peek().map_or("", |next| next.trim());
        if waiting.is_some() && !next.starts_with("<!--") {
            let text = waiting.take().unwrap_or_default();
            if !text.is_empty() {
                out.push_str(&format!("\n{}\n", text.join("\n")));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::report::BenchRow;
    use crate::base::revision::Revision;
    use serde_json::json;

    fn about() -> About {
        About {
            pascal: "Square".into(),
            at: "experimental/math/square".into(),
            what: "逐元素平方。".into(),
            apis: vec!["aclnnSquare".into()],
            chips: vec!["ascend910b".into()],
            replaced: vec!["experimental/math/old".into()],
            compared: vec!["| 样例数 | 1 | 0 |".into()],
            community: false,
            pages: vec!["experimental/math/square/README.md".into()],
        }
    }

    #[test]
    fn the_template_is_filled_in() {
        let template = "## 描述\n<!--x-->\n<!--y-->\n\n## 关联的Issue\n\n## 测试\n<!--t-->\n\n## 文档更新\n\n## 类型标签\n- [ ] Bug修复\n- [ ] 新特性\n";
        let text = pull_request(Some(template), &about(), Some(7), &["- one".into()]);
        let want = "## 描述\n<!--x-->\n<!--y-->\n\n新增实验算子Square（experimental/math/square）。逐元素平方。\n";
        assert!(text.starts_with(want), "{text}");
        assert!(text.contains("## 关联的Issue\n\n#7\n"), "{text}");
        assert!(text.contains("## 测试\n<!--t-->\n\n- one\n"), "{text}");
        assert!(text.contains("- [ ] Bug修复\n- [x] 新特性\n"), "{text}");
        assert!(text.contains("替换experimental/math/old") && text.contains("| 样例数 | 1 | 0 |"), "{text}");
    }

    #[test]
    fn numbers_of_a_comparison_are_of_this_commit() {
        let revision = json!({"commit": "0123456789abcdef", "clean": true});
        let gates = json!([
            {"name": "tbe-chain", "rows": 4, "failed": 1, "mean": 1.5},
            {"name": "strided", "rows": 0, "failed": 0, "mean": null},
        ]);
        let model = json!({"revision": revision, "rows": vec![BenchRow::default(); 4], "gates": gates});
        let sweep =
            json!({"revision": revision, "exhaustive": {"classes": [{"name": "i8"}], "pairs": 9, "mismatches": 0}});
        let here = Some(Revision { commit: "0123456789abcdef".into(), clean: true });
        let results = Results::of(here, &[("bench_sim", model.clone()), ("exhaustive", sweep)]);
        let found: Vec<String> = ran(&results, "square").into_iter().map(|[_, told]| told).collect();
        assert_eq!(found[0], "1类，9对操作数，0处不一致");
        assert_eq!(found[1], "未在当前提交上运行（没有`optest`的运行记录）");
        assert_eq!(found[2], "tbe模式对比内置算子指令序列 1.50（4项）");
        // And the names of the gates in the text about tests.
        assert_eq!(
            super::model(&serde_json::from_value(model).expect("a report")).as_deref(),
            Some("4项，1/2门限满足，未满足：tbe模式对比内置算子指令序列")
        );
    }

    #[test]
    fn messages_are_short() {
        let text = message(&about(), Some(7));
        assert_eq!(text.lines().next(), Some("feat(square): 新增实验算子Square"));
        let task = About { community: true, ..about() };
        assert_eq!(title(&task), "【社区任务】feat(square): 新增实验算子Square");
        assert!(text.ends_with("\n\n关联的Issue: #7\n"), "{text}");
        let long = About { pascal: "A".repeat(60), ..about() };
        assert_eq!(message(&long, None).lines().next().expect("a subject").chars().count(), 50);
    }

    #[test]
    fn numbers_of_other_commits_are_not_told() {
        crate::test::layer::register(crate::test::operators_layers::all());
        let here = Some(Revision { commit: "0123456789abcdef".into(), clean: true });
        let run = |commit: &str| {
            json!({"revision": {"commit": commit, "clean": true}, "arguments": ["test"],
            "passed": 4711, "failed": 0, "layers": [{"layer": "ut", "passed": 4711, "failed": 0}]})
        };
        let told = |commit: &str| tests(&Results::of(here.clone(), &[("test", run(commit))]), "square").join("\n");
        assert!(
            told("0123456789abcdef").contains("- 测试：通过4711项，失败0项；单元测试 4711/4711（`cargo xtask test`）")
        );
        let other = told("ffff456789abcdef");
        assert!(
            !other.contains("4711") && other.contains("- 测试：未在当前提交上运行（最近一次`test`基于提交ffff456789）")
        );
        assert!(other.contains("- 遍历：未在当前提交上运行（没有`exhaustive`的运行记录）"), "{other}");
        let whole = json!([{"layer": "math_op_api_ut", "passed": 5, "failed": 1}]);
        let example = json!([{"layer": "example", "passed": 6, "failed": 0}]);
        let results = Results::of(here.clone(), &[("test", run("0123456789abcdef"))]);
        let text = tests(&results.with_layers(&[("example", example), ("ut", whole)]), "square").join("\n");
        assert!(text.contains("- 测试：通过11项，失败1项；op_api单元测试 5/6，调用样例 6/6\n"), "{text}");
        assert!(text.contains("- 样例：未在当前提交上运行（没有`example`的运行记录）"), "{text}");
        let dirty = Some(Revision { commit: "0123456789abcdef".into(), clean: false });
        let text = tests(&Results::of(dirty, &[("test", run("0123456789abcdef"))]), "square").join("\n");
        assert!(!text.contains("4711") && text.contains("工作区有未提交的修改"), "{text}");
    }
}
