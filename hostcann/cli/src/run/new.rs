//! `new`: an operator directory in upstream layout that builds, runs and is tested unchanged.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::git::Git;
use crate::base::verb::Verb;
use crate::toolchain::around::CATEGORIES;
use crate::toolchain::clang_format;
use crate::toolchain::tools;

const HELP: &str = "\
Examples:
  cargo xtask new math/square
  cargo xtask new math/row_sum --template reduce --dir ~/my_ops     # in ~/my_ops/math/row_sum
  cargo xtask new math/gcd --template broadcast --dir ~/ops-math/experimental";

/// Create an operator that runs, with documents, an example and unit tests
#[derive(Args)]
#[command(after_help = HELP)]
pub struct New {
    /// Create <category>/<op>: math, conversion or random, and a name in snake case
    #[arg(value_name = "CATEGORY/OP")]
    name: String,
    /// Start from this kernel
    #[arg(long, value_enum, default_value_t = Template::Elementwise)]
    template: Template,
    /// Write <category>/<op> below this directory [default: experimental]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Template {
    /// One input, one output of its shape
    Elementwise,
    /// Two inputs that broadcast to the shape of the output
    Broadcast,
    /// A reduction over the last axis
    Reduce,
}

impl New {
    /// The name, and the directory of the categories.
    fn place(&self, cx: &Ctx) -> Result<(Name, PathBuf)> {
        let name = Name::parse(&self.name)?;
        let base = cx.run.sh.current_dir().join(self.dir.as_deref().unwrap_or(Path::new("experimental")));
        refuse_known(&cx.project.root, &base, &name)?;
        Ok((name, base))
    }
}

impl Verb for New {
    fn check(&self, cx: &mut Ctx) -> Result<()> {
        self.place(cx).map(drop)
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let here = cx.run.sh.current_dir();
        let (name, base) = self.place(cx)?;
        let template = match self.template {
            Template::Elementwise => "elementwise",
            Template::Broadcast => "broadcast",
            Template::Reduce => "reduce",
        };
        let dir = base.join(&name.category).join(&name.op);
        // Line breaks follow the length of the name.
        let tools = tools::ensure(cx, false)?;
        let mut written = Vec::new();
        let owner = Owner { who: contributor(&here), date: Date::of(now()) };
        for (file, text) in render(&cx.project.home.join("hostcann/cli/templates"), template, &name, &owner)? {
            let path = dir.join(file);
            files::write_if_changed(&path, text.as_bytes())?;
            written.push(path);
        }
        clang_format::format(cx, &tools, &written)?;
        show_example(&dir, &name)?;
        let show = |path: &Path| path.strip_prefix(&here).unwrap_or(path).display().to_string();
        for path in &written {
            cx.console.say("Created", show(path));
        }
        cx.run.artifact(&dir, None);
        let shown = show(&dir);
        let verdict = format!("new: {} files in {shown}; next: cargo xtask example --op-dir {shown}", written.len());
        Ok(Done::plain().verdict(verdict))
    }
}

/// The three spellings of an operator's name.
#[derive(Debug, PartialEq, Eq)]
struct Name {
    category: String,
    /// my_op: directory, files, kernel entry
    op: String,
    /// MyOp: op type, aclnn interface
    pascal: String,
}

const LONGEST: usize = 40;

impl Name {
    fn parse(text: &str) -> Result<Name> {
        let bad = |what: String| failed(Kind::Usage, format!("`{text}` is no name for an operator: {what}"));
        let (category, op) = text
            .split_once('/')
            .ok_or_else(|| bad("the category is missing".into()).hint(format!("for example math/{text}")))?;
        if !CATEGORIES.contains(&category) {
            let list = CATEGORIES.join(", ");
            return Err(bad(format!("ops-math has no category `{category}`")).hint(format!("categories: {list}")));
        }
        let parts: Vec<&str> = op.split('_').collect();
        let is_part = |part: &&str| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        if !parts.iter().all(is_part) || !op.starts_with(|first: char| first.is_ascii_lowercase()) {
            return Err(bad(format!("`{op}` is not in snake case"))
                .hint("small letters, digits and single `_`, a letter first; for example math/row_sum"));
        }
        if op.len() > LONGEST {
            return Err(bad(format!("`{op}` has {} letters, at most {LONGEST} are allowed", op.len()))
                .hint("file names, macros and test suites repeat it"));
        }
        if KEYWORDS.split_whitespace().any(|word| word == op) {
            return Err(
                bad(format!("`{op}` is a word of C or C++")).hint("the kernel's entry is a function of this name")
            );
        }
        let pascal: String = parts.iter().map(|part| part[..1].to_ascii_uppercase() + &part[1..]).collect();
        // The build goes from the op type back to file names (opFile.value).
        let back = snake(&pascal);
        if back != op {
            return Err(bad(format!("its op type {pascal} stands for `{back}`"))
                .hint("a part after `_` starts with a letter and has at least two; for example math/conv_two"));
        }
        Ok(Name { category: category.to_owned(), op: op.to_owned(), pascal })
    }

    fn apply(&self, text: &str, owner: &Owner) -> String {
        let Date { year, month } = owner.date;
        text.replace("experimental/math/my_op", &format!("experimental/{}/my_op", self.category))
            .replace("(c) 2026 ", &format!("(c) {year} "))
            .replace("THE_MONTH", &format!("{year}/{month}"))
            .replace("THE_CONTRIBUTOR", owner.who.as_deref().unwrap_or("MyOp operator authors"))
            .replace("MY_OP", &self.op.to_ascii_uppercase())
            .replace("MyOp", &self.pascal)
            .replace("my_op", &self.op)
    }
}

/// As the build does it: `_` between a small letter or digit and a capital, and before the last of several capitals.
fn snake(pascal: &str) -> String {
    let letters: Vec<char> = pascal.chars().collect();
    let mut text = String::new();
    for (i, letter) in letters.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| letters[i]);
        let next_is_small = letters.get(i + 1).is_some_and(char::is_ascii_lowercase);
        let starts = before.is_some_and(|before| !before.is_ascii_uppercase() || next_is_small);
        if letter.is_ascii_uppercase() && starts {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// Op directories are known by name alone, in every category, in this repository and in the checkout that gets the op.
fn refuse_known(repo: &Path, base: &Path, name: &Name) -> Result<()> {
    let mut places = vec![base.to_path_buf(), repo.join("experimental")];
    if base.file_name().is_some_and(|last| last == "experimental") {
        places.extend(base.parent().map(Path::to_path_buf));
    }
    for place in places {
        for category in CATEGORIES {
            let path = place.join(category).join(&name.op);
            if fs::symlink_metadata(&path).is_ok() {
                return Err(failed(Kind::Usage, format!("{} exists already; nothing was written", path.display()))
                    .hint("operators are known by name in every category: take another one"));
            }
        }
    }
    Ok(())
}

/// Whose operator it is, and since when.
struct Owner {
    who: Option<String>,
    date: Date,
}

/// As git signs commits here; a cell of a table keeps what Markdown would take for its end.
fn contributor(here: &Path) -> Option<String> {
    let name = Git::at(here).value(&["config", "user.name"])?;
    let name = name.trim().replace('|', "\\|");
    (!name.is_empty()).then_some(name)
}

/// Where a page shows the example.
const EXAMPLE: &str = "//@example\n";

/// Pages show the example as it is shipped, without the notice: formatted.
fn show_example(dir: &Path, name: &Name) -> Result<()> {
    let example = read(&dir.join(format!("examples/test_aclnn_{}.cpp", name.op)))?;
    let page = dir.join(format!("docs/aclnn{}.md", name.pascal));
    let text = read(&page)?.replace(EXAMPLE, without_notice(&example));
    files::write_if_changed(&page, text.as_bytes())?;
    Ok(())
}

fn without_notice(text: &str) -> &str {
    text.split_once(" */\n\n").map_or(text, |(_, rest)| rest)
}

/// Files of `common` and of the template, whose own go before, by path in the new directory. `{{KEY}}` stands for what
/// `<template>.toml` has for it.
fn render(templates: &Path, template: &str, name: &Name, owner: &Owner) -> Result<BTreeMap<String, String>> {
    let file = templates.join(format!("{template}.toml"));
    let words: BTreeMap<String, String> =
        toml::from_str(&read(&file)?).with_context(|| format!("{} is no table of texts", file.display()))?;
    let mut rendered = BTreeMap::new();
    for part in ["common", template] {
        let dir = templates.join(part);
        for file in files::walk(&dir)? {
            let mut text = with_parts(templates, &read(&dir.join(&file))?)?;
            for (key, word) in &words {
                text = text.replace(&format!("{{{{{key}}}}}"), word);
            }
            rendered.insert(name.apply(&file.to_string_lossy(), owner), name.apply(&text, owner));
        }
    }
    Ok(rendered)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// A line `//@NAME` stands for the file of `parts` without its notice: what several templates have in common.
fn with_parts(templates: &Path, text: &str) -> Result<String> {
    let mut whole = String::new();
    for line in text.lines() {
        match line.strip_prefix("//@") {
            Some(part) if !EXAMPLE.ends_with(&format!("@{part}\n")) => {
                let text = read(&templates.join("parts").join(part))?;
                whole.push_str(&with_parts(templates, without_notice(&text))?);
            }
            _ => whole.push_str(&format!("{line}\n")),
        }
    }
    Ok(whole)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[derive(Debug, PartialEq, Eq)]
struct Date {
    year: u64,
    month: u64,
}

impl Date {
    /// Of seconds since 1970. Years are counted from March 0000, so that the leap day is the last one of its year.
    fn of(seconds: u64) -> Date {
        const DAYS_TO_1970: u64 = 719_468;
        const DAYS_IN_400_YEARS: u64 = 146_097;
        let days = seconds / 86_400 + DAYS_TO_1970;
        let (era, day) = (days / DAYS_IN_400_YEARS, days % DAYS_IN_400_YEARS);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day_of_year = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day_of_year + 2) / 153;
        Date { year: era * 400 + year + month / 10, month: (month + 2) % 12 + 1 }
    }
}

/// C17 and C++20 with the alternative spellings of operators; macros and names that every kernel sees.
const KEYWORDS: &str = "\
alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch char \
char8_t char16_t char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit \
continue decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if \
inline int long main mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public \
reflexpr register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct \
switch synchronized template this thread_local throw true try typedef typeid typename typeof union unsigned using \
virtual void volatile wchar_t while xor xor_eq \
assert errno half linux std stderr stdin stdout unix";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;

    #[test]
    fn names() {
        let name = Name::parse("math/row_sum").expect("a name");
        assert_eq!(name, Name { category: "math".into(), op: "row_sum".into(), pascal: "RowSum".into() });
        for good in ["math/x", "conversion/add2", "random/conv2d_relu", "math/atan2"] {
            assert!(Name::parse(good).is_ok(), "{good}");
        }
        let longest = format!("math/{}", "a".repeat(40));
        assert!(Name::parse(&longest).is_ok());
        let cases = [
            ("square", "the category is missing"),
            ("nn/square", "ops-math has no category `nn`"),
            ("math/", "`` is not in snake case"),
            ("math/Square", "`Square` is not in snake case"),
            ("math/2nd", "`2nd` is not in snake case"),
            ("math/_x", "`_x` is not in snake case"),
            ("math/a__b", "`a__b` is not in snake case"),
            ("math/x_", "`x_` is not in snake case"),
            ("math/sqüare", "`sqüare` is not in snake case"),
            ("math/../x", "`../x` is not in snake case"),
            ("math/a/b", "`a/b` is not in snake case"),
            ("math/class", "`class` is a word of C or C++"),
            ("math/xor_eq", "`xor_eq` is a word of C or C++"),
            ("math/add_2", "its op type Add2 stands for `add2`"),
            ("math/a_b", "its op type AB stands for `ab`"),
            (&format!("{longest}a"), "has 41 letters, at most 40 are allowed"),
        ];
        for (text, message) in cases {
            let error = Name::parse(text).expect_err(text);
            assert_eq!(diag::code(&error), 2, "{text}");
            assert!(diag::causes(&error)[0].contains(message), "{text}: {error:?}");
            assert!(diag::hint(&error).is_some(), "{text}");
        }
    }

    #[test]
    fn op_types_in_snake_case() {
        for (pascal, text) in [("RowSum", "row_sum"), ("Conv2dX", "conv2d_x"), ("ABTest", "ab_test"), ("AB", "ab")] {
            assert_eq!(snake(pascal), text);
        }
    }

    #[test]
    fn every_spelling_is_replaced() {
        let name = Name::parse("conversion/row_sum").expect("a name");
        let text = "(c) 2026 MyOp: NsMyOp MY_OP_H my_op.h experimental/math/my_op 2026 | THE_CONTRIBUTOR | THE_MONTH |";
        let mut owner = Owner { who: Some("Ann".into()), date: Date { year: 2031, month: 2 } };
        let want =
            "(c) 2031 RowSum: NsRowSum ROW_SUM_H row_sum.h experimental/conversion/row_sum 2026 | Ann | 2031/2 |";
        assert_eq!(name.apply(text, &owner), want);
        owner.who = None;
        assert_eq!(name.apply("THE_CONTRIBUTOR", &owner), "RowSum operator authors");
    }

    #[test]
    fn common_text_stands_in_one_place() {
        let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
        let name = Name::parse("math/row_sum").expect("a name");
        for template in ["elementwise", "broadcast", "reduce"] {
            let owner = Owner { who: None, date: Date { year: 2026, month: 1 } };
            let all = render(&templates, template, &name, &owner).expect("files");
            let example = &all["examples/test_aclnn_row_sum.cpp"];
            assert!(example.contains(" */\n\n#include <cmath>\n"), "{example}");
            assert_eq!(example.matches("Copyright").count(), 1);
            assert_eq!(example.matches("int64_t CountOf(const Shape& shape)").count(), 1);
            for (file, text) in &all {
                let text = text.replace(EXAMPLE, "");
                let is_filled = if file.ends_with(".md") { !text.contains("{{") } else { true };
                assert!(is_filled && !text.contains("//@"), "{template}: {file}\n{text}");
            }
            let entry = |kernel: &str| kernel.contains("row_sum(GM_ADDR x1, GM_ADDR x2,");
            assert_eq!(entry(&all["op_kernel/row_sum.cpp"]), template == "broadcast", "its own before the common one");
            assert_eq!(all["README.md"].contains("\\sum_{j}"), template == "reduce", "the formula of its own");
        }
        assert!(with_parts(&templates, "//@nothing.cpp").is_err());
    }

    #[test]
    fn dates() {
        let cases = [
            (0, 1970, 1),
            (951_782_399, 2000, 2),    // 28 February, the last second
            (951_868_800, 2000, 3),    // 1 March, after a leap day that centuries seldom have
            (1_709_164_800, 2024, 2),  // 29 February
            (1_798_761_599, 2026, 12), // 31 December, the last second
            (1_798_761_600, 2027, 1),
        ];
        for (seconds, year, month) in cases {
            assert_eq!(Date::of(seconds), Date { year, month }, "{seconds}");
        }
    }
}
