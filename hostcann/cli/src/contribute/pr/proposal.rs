//! Rules 38-41: the commit, its message, the text of the pull request, and what the gate would make of it.

use std::collections::BTreeSet;

use anyhow::Result;

use super::rule::{Case, Findings, Outcome, Rule, not_run};

pub const RULES: [Rule; 4] = [
    Rule {
        number: 38,
        slug: "one-commit",
        title: "one commit that applies",
        zh: "只有一个提交且可应用",
        why: "The patch applies to the fetched base with `git apply --check`; one commit, no merge; files are 100644.",
        check: applies,
    },
    Rule {
        number: 39,
        slug: "commit-message",
        title: "the commit's message has upstream's form",
        zh: "提交信息符合上游格式",
        why: "docs/CONTRIBUTING_DOCS.md: a subject of at most 50 characters, a blank line, a body with the reason, and a line \
              关联的Issue: #N. The CLA is looked up by the committer's e-mail.",
        check: message,
    },
    Rule {
        number: 40,
        slug: "pull-request",
        title: "the pull request follows the template",
        zh: "PR描述符合模板",
        why: ".gitcode/PULL_REQUEST_TEMPLATE.zh-CN.md: five headings, at least one type, the issue; the tests are those that \
              runs of this commit produced.",
        check: body,
    },
    Rule {
        number: 41,
        slug: "gate",
        title: "the gate builds this operator",
        zh: "门禁会构建该算子",
        why: "scripts/ci/gen_ci_cmd.py makes the gate's commands from the changed paths; an operator without the literal \
              AddConfig(\"ascend910b\" or without op_kernel/ is dropped and acos is built instead.",
        check: gate,
    },
];

fn applies(case: &Case) -> Result<Outcome> {
    let Some(proposal) = case.proposal else { return not_run("a commit is made for a checkout of git: --ops-math") };
    let mut found = Findings::default();
    let base = case.at("");
    match &proposal.applies {
        None => return not_run("the checkout is no repository of git"),
        Some(Err(said)) => {
            found.error(&base, 0, format!("git apply --check: {said}"), "update the checkout, then try again")
        }
        Some(Ok(())) => {}
    }
    if proposal.parents != 1 {
        found.error(
            &base,
            0,
            format!("a commit with {} parents", proposal.parents),
            "one commit on the base, no merge",
        );
    }
    for (path, mode) in &proposal.changes {
        if let Some(mode) =
            mode.as_deref().filter(|mode| *mode != "100644" && !(*mode == "100755" && path.ends_with(".sh")))
        {
            found.error(path, 0, format!("mode {mode}"), "100644");
        }
    }
    found.judged()
}

const DRAFT: &str = "it is complete with --issue N";

fn message(case: &Case) -> Result<Outcome> {
    const LONGEST: usize = 50;
    let Some(proposal) = case.proposal else { return not_run("there is no commit without a checkout: --ops-math") };
    if !proposal.complete {
        return not_run(DRAFT);
    }
    let mut found = Findings::default();
    let at = "the commit's message";
    let lines: Vec<&str> = proposal.message.lines().collect();
    let subject = lines.first().copied().unwrap_or_default();
    let count = subject.chars().count();
    if count == 0 || count > LONGEST {
        found.error(at, 1, format!("the subject has {count} characters"), format!("1 to {LONGEST}"));
    }
    if lines.get(1).is_some_and(|line| !line.is_empty()) {
        found.error(at, 2, "no blank line after the subject", "leave one");
    }
    let issue = |line: &&&str| {
        line.strip_prefix("关联的Issue: #")
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let says = |line: &&&str| {
        !line.trim().is_empty() && !line.starts_with("关联的Issue") && !line.starts_with("Co-authored-by")
    };
    if lines.iter().skip(2).filter(says).count() == 0 {
        found.error(at, 3, "no body", "say why");
    }
    if lines.iter().filter(issue).count() != 1 {
        found.error(at, 0, "no line `关联的Issue: #N`", "--issue N names the reviewed requirement");
    }
    if proposal.email.is_empty() {
        found.error(
            at,
            0,
            "git knows no e-mail of the committer",
            "git config user.email: the address that signed the CLA",
        );
    }
    for (number, line) in
        lines.iter().enumerate().filter(|(_, line)| line.to_ascii_lowercase().starts_with("co-authored-by"))
    {
        let good = line.strip_prefix("Co-authored-by: ").is_some_and(|who| who.contains(" <") && who.ends_with('>'));
        if !good {
            found.warn(at, number + 1, format!("`{line}`"), "Co-authored-by: Name <e-mail>");
        }
    }
    found.judged()
}

/// Headings of the template.
pub const HEADINGS: [&str; 5] = ["## 描述", "## 关联的Issue", "## 测试", "## 文档更新", "## 类型标签"];

fn body(case: &Case) -> Result<Outcome> {
    let Some(proposal) = case.proposal else { return not_run("the template is in a checkout: --ops-math") };
    if !proposal.complete {
        return not_run(DRAFT);
    }
    let mut found = Findings::default();
    let at = "the pull request's text";
    let text = &proposal.body;
    for heading in HEADINGS.iter().filter(|heading| !text.lines().any(|line| line.trim_end() == **heading)) {
        found.error(at, 0, format!("no `{heading}`"), "the template's five headings");
    }
    if !text.lines().any(|line| line.trim_start().starts_with("- [x]")) {
        found.error(at, 0, "no type is ticked", "- [x] 新特性");
    }
    let section =
        |heading: &str| text.split_once(heading).map_or("", |(_, rest)| rest.split("\n## ").next().unwrap_or_default());
    if !section(HEADINGS[1]).contains('#') {
        found.error(at, 0, "no issue", "--issue N names the reviewed requirement");
    }
    if section(HEADINGS[2]).trim().is_empty() {
        found.error(at, 0, "nothing about tests", "what was run on this commit, or that nothing was");
    }
    found.judged()
}

/// The commands that the gate makes of changed paths, as gen_ci_cmd.py does for one experimental operator.
pub fn gate_commands(case: &Case) -> Vec<String> {
    const CATEGORIES: [&str; 3] = ["math", "conversion", "random"];
    let seen: Vec<&String> = case.tree.files.keys().filter(|path| !path.ends_with(".md")).collect();
    let known = CATEGORIES.contains(&case.category) && !seen.is_empty();
    let definition = case.tree.below("op_host").any(|(path, text)| {
        path.matches('/').count() == 1 && path.ends_with("_def.cpp") && text.contains("AddConfig(\"ascend910b\"")
    });
    let kernel = case.tree.below("op_kernel").next().is_some();
    let mut commands = Vec::new();
    let package = if known && definition && kernel { case.dir } else { "acos" };
    commands.push(format!("build.sh --pkg --experimental --vendor_name=experimental --ops={package}"));
    let mut tests: BTreeSet<(&str, &str)> = BTreeSet::new();
    let deep = seen.iter().any(|path| path.contains("/arch35/"));
    for (part, flag) in [("op_host", "ophost"), ("op_api", "opapi"), ("op_kernel", "opkernel"), ("op_graph", "opgraph")]
    {
        if seen.iter().any(|path| path.starts_with(&format!("{part}/")) || path.contains(&format!("/{part}/"))) {
            tests.insert((flag, "ascend910b"));
            if deep && ["ophost", "opkernel"].contains(&flag) {
                tests.insert((flag, "ascend950"));
            }
        }
    }
    if known {
        commands.extend(
            tests
                .iter()
                .map(|(flag, chip)| format!("build.sh -u --experimental --ops={} --{flag} --soc={chip}", case.dir)),
        );
    } else {
        commands.push("build.sh -u --experimental --ops=acos".to_owned());
    }
    let example = if known && definition { case.dir } else { "acos" };
    let eager = case.tree.named("examples", "test_aclnn", ".cpp").next().is_some();
    if example == "acos" || eager {
        commands.push(format!("build.sh --experimental --run_example {example} eager cust --vendor_name=experimental"));
    }
    commands
}

fn gate(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let commands = gate_commands(case);
    let at = case.at("");
    for command in commands.iter().filter(|command| command.ends_with("=acos") || command.contains(" acos ")) {
        let fix = "AddConfig(\"ascend910b\") as a literal in op_host/*_def.cpp, and op_kernel/";
        found.warn(&at, 0, format!("the gate would run `{command}`, not this operator"), fix);
    }
    let api = if case.has_own_api() { vec!["--opapi "] } else { Vec::new() };
    for flag in ["--ophost ", "--opkernel "].into_iter().chain(api) {
        if !commands.iter().any(|command| command.contains(flag)) {
            found.warn(&at, 0, format!("the gate would run no unit tests {}", flag.trim()), "sources of that kind");
        }
    }
    if !commands.iter().any(|command| command.contains(&format!("--run_example {} eager", case.dir))) {
        found.warn(&at, 0, "the gate would run no example", "examples/test_aclnn_*.cpp");
    }
    found.judged()
}
