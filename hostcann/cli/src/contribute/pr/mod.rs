//! `pr`: upstream's rules for an operator directory, and the change that carries it into an ops-math checkout.

mod acceptance;
mod body;
mod bundle;
mod commit;
mod compile;
mod definition;
mod host_code;
mod inputs;
mod installs;
mod kernel;
mod markdown;
mod package;
mod pages;
mod profile;
mod proposal;
mod rename;
mod results;
mod rule;
mod scope;
mod show;
mod slug;
mod style;
mod subject;
mod symbols;
mod target;
mod tests_examples;
mod tree;
mod types;

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use clap::Args;

use crate::base::annotate;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::op_dir::OpDir;
use crate::base::plural::number;
use crate::base::report::PrResult;
use crate::base::term::out;
use crate::base::verb::Verb;
use crate::toolchain::around::CATEGORIES;
use body::About;
use results::Results;
use rule::{Case, Explanation, Outcome, Proposal, Rule, Tooling};
use show::OpenFindings;
use slug::rule_number;
use subject::Op;
use target::Target;
use tree::Tree;

const HELP: &str = "\
Examples:
  cargo xtask pr --check                                  # the rules that need no checkout
  cargo xtask pr --check --ops-math ../ops-math           # all of them
  cargo xtask pr --check --rule 8,licence-header
  cargo xtask pr --list
  cargo xtask pr --explain name-clash
  cargo xtask pr --ops-math ../ops-math --issue 123 --dry-run
  cargo xtask pr --ops-math ../ops-math --issue 123 --rename v2
  cargo xtask pr --ops-math ../ops-math --issue 123 --replace mod --patch op.patch
  cargo xtask pr --ops-math ../ops-math --bundle ../bundle --task 05-11 --team mine
  cargo xtask pr --check --op-dir ../ops-math/experimental/math/acos --ops-math ../ops-math

Without --check, --patch and --bundle the op becomes one commit on a new branch of the checkout, which must be clean.
A finding of severity error stops everything but --check; the text of the pull request is in target/xtask/pr.";

/// Check an op against upstream's rules; create its commit, patch or bundle
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Pr {
    /// Take this op directory in upstream layout [default: the op below experimental/]
    #[arg(long = "op-dir", value_name = "PATH")]
    op_dir: Option<PathBuf>,
    /// Select the op by directory name, if experimental/ has several
    #[arg(long, value_name = "OP", conflicts_with = "op_dir")]
    ops: Option<String>,
    /// Use this ops-math checkout [default: $OPS_MATH_HOME]
    #[arg(long = "ops-math", value_name = "DIR")]
    ops_math: Option<PathBuf>,
    /// Place the op in this category [default: the op's parent directory]
    #[arg(long, value_name = "CATEGORY", value_parser = CATEGORIES)]
    category: Option<String>,
    /// Check only, and write nothing
    #[arg(long)]
    check: bool,
    /// With --check: fail on warnings that xtask/pr.txt does not explain
    #[arg(long, requires = "check")]
    strict: bool,
    /// Apply only these rules, given by number or slug
    #[arg(long = "rule", value_delimiter = ',', value_name = "RULE", value_parser = rule_number)]
    rules: Vec<u8>,
    /// Read this package for rules 42-44 [default: that of the last run, if it is of this commit]
    #[arg(long, value_name = "FILE")]
    package: Option<PathBuf>,
    /// Print what a rule requires and why, and exit
    #[arg(long, value_name = "RULE", value_parser = rule_number)]
    explain: Option<u8>,
    /// Print all rules, each with its number, slug and title, and exit
    #[arg(long, conflicts_with = "explain")]
    list: bool,
    /// Put the number of the reviewed requirement's issue into message and text
    #[arg(long, value_name = "N")]
    issue: Option<u64>,
    /// Read the commit message from FILE instead of generating it
    #[arg(long, value_name = "FILE")]
    message: Option<PathBuf>,
    /// Create this branch [default: add-<op>]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Write the commit as a patch instead of creating a branch
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    patch: Option<PathBuf>,
    /// Write the bundle of the community competition instead: code, documents, design, report
    #[arg(long, value_name = "DIR", conflicts_with_all = ["check", "patch"], requires_all = ["task", "team"])]
    bundle: Option<PathBuf>,
    /// Name the community task, for example 05-11, in --bundle and the title
    #[arg(long, value_name = "NN-N")]
    task: Option<String>,
    /// With --bundle: name the team
    #[arg(long, value_name = "NAME")]
    team: Option<String>,
    /// With --bundle: use this design document instead of the op's docs/design.md
    #[arg(long, value_name = "FILE", requires = "bundle")]
    design: Option<PathBuf>,
    /// Print files, message, branch and text, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Name the contributor in copyright lines and README [default: git's user.name]
    #[arg(long, value_name = "NAME")]
    contributor: Option<String>,
    /// Replace an experimental operator of the checkout: the commit deletes its directory
    #[arg(long, value_name = "OP")]
    replace: Vec<String>,
    /// Rename the op to another version, as upstream does: <op>_v2, aclnn<Op>V2
    #[arg(long, value_name = "VERSION", conflicts_with = "replace")]
    rename: Option<String>,
    /// Accept names that another operator of the checkout has as well
    #[arg(long = "allow-clash")]
    allow_clash: bool,
}

fn all_rules() -> impl Iterator<Item = &'static Rule> {
    let groups: [&'static [Rule]; 13] = [
        &scope::RULES,
        &definition::RULES,
        &kernel::RULES,
        &symbols::RULES,
        &tests_examples::RULES,
        &host_code::RULES,
        &style::RULES,
        &pages::RULES,
        &types::RULES,
        &proposal::RULES,
        &package::RULES,
        &installs::RULES,
        &acceptance::RULES,
    ];
    groups.into_iter().flatten()
}

/// The commit that a delivery would create.
struct Draft {
    proposal: Proposal,
    patch: String,
}

impl Pr {
    /// Creates the commit without a trace in the checkout.
    fn draft(&self, case: &Case, target: &Target, about: &About, message: &str, time: u64) -> Result<Option<Draft>> {
        if !target.is_git() {
            return Ok(None);
        }
        let temp = tempfile::tempdir().context("cannot create a directory for the commit")?;
        let git = commit::quarantined(&target.git(), temp.path())?;
        let email = git.value(&["config", "user.email"]).or_else(|| std::env::var("GIT_COMMITTER_EMAIL").ok());
        // Without an identity git makes no commit; the rule reports it.
        let git = match &email {
            Some(_) => git,
            None => ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"]
                .into_iter()
                .fold(git, |git, name| git.with(name, "nobody")),
        };
        let request = commit::CommitRequest { tree: case.tree, at: case.at(""), gone: &target.gone, message, time };
        let commit = commit::create(&git, &request, temp.path())?;
        let (patch, applies) = commit::patch(&git, &commit, temp.path())?;
        let parents = git.run(&["rev-list", "--parents", "-n", "1", &commit.id])?.split_whitespace().count() - 1;
        let template = target.read(".gitcode/PULL_REQUEST_TEMPLATE.zh-CN.md");
        let tests = body::tests(case.results, case.dir);
        let proposal = Proposal {
            message: message.to_owned(),
            email: email.unwrap_or_default(),
            year: inputs::year(time),
            applies: (!commit.changes.is_empty()).then_some(applies),
            changes: commit.changes,
            parents,
            body: body::pull_request(template.as_deref(), about, self.issue, &tests),
            // A check and a bundle make neither commit nor pull request.
            complete: !(self.check || self.bundle.is_some()) || self.issue.is_some() || self.message.is_some(),
        };
        Ok(Some(Draft { proposal, patch }))
    }

    /// The bundle, and the parts of its report that are open.
    fn bundle(&self, cx: &Ctx, case: &Case, about: &About) -> Result<Option<(Tree, Vec<String>)>> {
        let (Some(_), Some(task), Some(team)) = (&self.bundle, &self.task, &self.team) else { return Ok(None) };
        let design = self.design.as_ref().map(|file| inputs::read(&cx.run.sh.current_dir().join(file))).transpose()?;
        let options = bundle::BundleOptions { task: task.clone(), team: team.clone(), design };
        let report = bundle::report(cx, &self.op_path(cx)?, self.op_dir.as_deref())?;
        Ok(Some((bundle::build(case, &options, about, &report.files), report.open)))
    }

    /// Applies the rules.
    fn judge(&self, cx: &mut Ctx, case: &Case, explained: &[Explanation]) -> Result<OpenFindings> {
        cx.console.say("Checking", case.at(""));
        annotate::look_in(&case.at(""), &self.op_path(cx)?);
        let mut outcomes: Vec<(&Rule, Outcome)> = Vec::new();
        for rule in all_rules().filter(|rule| self.rules.is_empty() || self.rules.contains(&rule.number)) {
            outcomes.push((rule, rule::run(rule, case, explained)?));
        }
        Ok(show::outcomes(cx, &outcomes))
    }

    fn deliver(
        &self,
        cx: &mut Ctx,
        op: &Op,
        target: Option<&Target>,
        draft: Option<&Draft>,
        bundle: Option<&Tree>,
        (message, time, result): (&str, u64, PrResult),
    ) -> Result<Done> {
        if let (Some(dir), Some(bundle)) = (&self.bundle, bundle) {
            let dir = cx.run.sh.current_dir().join(dir);
            bundle.write(&dir)?;
            cx.run.artifact(&dir, None);
            let verdict = format!("pr: {} in {}", number(bundle.files.len(), "file"), dir.display());
            return Ok(Done::with(&result).verdict(verdict));
        }
        let (Some(target), Some(draft)) = (target, draft) else {
            return Err(failed(Kind::Usage, "the checkout is no repository of git").hint("clone ops-math with git"));
        };
        let text = cx.project.work().join("pr").join(format!("{}.md", op.dir));
        files::write_if_changed(&text, draft.proposal.body.as_bytes())?;
        cx.run.artifact(&text, None);
        cx.console.say("Written", format!("{} (text of the pull request)", cx.project.show(&text)));
        if let Some(file) = &self.patch {
            let file = cx.run.sh.current_dir().join(file);
            files::write_if_changed(&file, draft.patch.as_bytes())?;
            cx.run.artifact(&file, None);
            let verdict = format!("pr: {}, {}", cx.project.show(&file), number(draft.proposal.changes.len(), "file"));
            return Ok(Done::with(&result).verdict(verdict));
        }
        let temp = tempfile::tempdir().context("cannot create a directory for the commit")?;
        let at = format!("experimental/{}/{}", op.category, op.dir);
        let request = commit::CommitRequest { tree: &op.tree, at, gone: &target.gone, message, time };
        let branch = self.branch_name(&op.dir);
        let commit = commit::create_on_branch(&target.git(), &request, &branch, temp.path())?;
        let verdict = format!("pr: {} on branch {branch} of {}", &commit.id[..12], target.root.display());
        out!(
            "next: git -C {} push <your fork> {branch}, then open the pull request `{}` with {}",
            target.root.display(),
            message.lines().next().unwrap_or_default(),
            cx.project.show(&text)
        );
        let result = PrResult { commit: Some(commit.id), branch: Some(branch), ..result };
        Ok(Done::with(&result).verdict(verdict))
    }
}

impl Verb for Pr {
    fn writes(&self) -> bool {
        self.explain.is_none() && !self.list
    }

    fn check(&self, cx: &mut Ctx) -> Result<()> {
        self.check_line(cx)
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        if let Some(number) = self.explain {
            show::explain(all_rules().find(|rule| rule.number == number));
            return Ok(Done::plain());
        }
        if self.list {
            return Ok(show::list(all_rules()));
        }
        let target = self.target(cx)?;
        let tools = inputs::tooling(cx)?;
        let (op, target) = self.op(cx, target, &tools)?;
        let results = Results::read(&cx.project, &OpDir { name: op.dir.clone(), path: self.op_path(cx)? })?;
        let tools = Tooling { package: inputs::package(cx, self.package.as_deref(), &results, &op.dir)?, ..tools };
        let mut case = Case {
            dir: &op.dir,
            category: &op.category,
            tree: &op.tree,
            target: target.as_ref(),
            tools: &tools,
            results: &results,
            proposal: None,
            bundle: None,
            open_parts: &[],
            allow_clash: self.allow_clash,
        };
        let about = About { community: self.task.is_some(), ..About::of(&case, &op.replaced) };
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let message = match &self.message {
            Some(file) => inputs::read(&cx.run.sh.current_dir().join(file))?,
            None => body::message(&about, self.issue),
        };
        let draft = match &target {
            Some(target) => self.draft(&case, target, &about, &message, time)?,
            None => None,
        };
        let (bundle, open_parts) = self.bundle(cx, &case, &about)?.unzip();
        let open_parts = open_parts.unwrap_or_default();
        case.proposal = draft.as_ref().map(|draft| &draft.proposal);
        (case.bundle, case.open_parts) = (bundle.as_ref(), &open_parts);
        let open = self.judge(cx, &case, &inputs::explained(cx, &op.moved)?)?;
        if self.rules.is_empty() && self.rename.is_none() {
            show::keep(cx, &op.dir, self.op_path(cx)?, target.is_some(), open.rules.clone());
        }
        let count = (open.errors, open.warnings);
        let result = PrResult {
            op: Some(op.dir.clone()),
            rules: Some(open.rules),
            errors: Some(open.errors),
            warnings: Some(open.warnings),
            ..PrResult::default()
        };
        if self.check {
            return Ok(show::verdict(Done::with(&result), count, self.strict));
        }
        if self.dry_run {
            show::dry_run(draft.as_ref().map(|draft| &draft.proposal), bundle.as_ref(), &self.branch_name(&op.dir));
        }
        if count.0 > 0 {
            return Ok(show::verdict(Done::with(&result), count, self.strict));
        }
        if self.dry_run {
            return Ok(Done::with(&result).verdict("pr: nothing was written (--dry-run)"));
        }
        self.deliver(cx, &op, target.as_ref(), draft.as_ref(), bundle.as_ref(), (&message, time, result))
    }
}

#[cfg(test)]
mod sample_tests;
