//! `docs --site`: all pages of both languages as a site that can be searched, by mkdocs from pinned wheels.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};
use xshell::cmd;

use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::diag::{HintExt, Kind, failed_with};
use hostcann_cli::base::done::Done;
use hostcann_cli::base::files;
use hostcann_cli::base::plural::number;
use hostcann_cli::base::proc;
use hostcann_cli::base::verb::Verb;
use hostcann_cli::toolchain::wheels::Wheels;

use super::pages::Pages;

const HELP: &str = "\
Examples:
  cargo xtask docs --site
  cargo xtask docs --site --out site      # what the workflow publishes

A link that leads nowhere is an error. `cargo xtask test --only docs` runs the commands of the pages.";

const WHEELS: Wheels = Wheels {
    lock: "xtask/site.lock.txt",
    what: "mkdocs and its theme",
    platforms: "the pinned wheels exist for CPython 3.11 to 3.14 on x86_64 and aarch64 Linux with glibc",
    instead: "; the pages can be read as they are, too",
    download_mb: 12,
    disk_mb: 60,
    per_python: true,
};

/// Make the site of all pages
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Docs {
    /// Make a site that can be searched
    #[arg(long, required = true)]
    site: bool,
    /// Write it to DIR [default: target/site]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Verb for Docs {
    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let out = match &self.out {
            Some(dir) => cx.run.sh.current_dir().join(dir),
            None => cx.project.target().join("site"),
        };
        let repo = cx.project.home.clone();
        let tools = cx.project.products().join("site-tools");
        if !WHEELS.ready(&repo, &tools) {
            WHEELS.install(cx, &tools)?;
        }
        let pages = Pages::collect(&repo)?;
        let work = cx.project.work().join("site");
        stage(&repo, &work, &pages)?;
        cx.console.say("Making", format!("the site of {}", number(pages.pages.len(), "page")));
        build(cx, &tools, &work, &out)?;
        cx.run.artifact(&out.join("index.html"), None);
        Ok(Done::plain().verdict(format!("docs: {} in {}", number(pages.pages.len(), "page"), cx.project.show(&out))))
    }
}

/// Pages and what they link to, as mkdocs reads them.
fn stage(repo: &Path, work: &Path, pages: &Pages) -> Result<()> {
    files::remove_dir_if_there(work)?;
    let root = work.join("pages");
    for page in &pages.pages {
        files::write_if_changed(&root.join(&page.path), page.text.as_bytes())?;
    }
    for asset in &pages.assets {
        let from = repo.join(asset);
        let bytes = fs::read(&from).with_context(|| format!("cannot read {}", from.display()))?;
        files::write_if_changed(&root.join(asset), &bytes)?;
    }
    files::write_if_changed(&work.join("mkdocs.yml"), config(pages).as_bytes())?;
    Ok(())
}

/// YAML takes JSON, but for the function that makes anchors: the one of GitHub and GitCode.
fn config(pages: &Pages) -> String {
    const SLUGIFY: &str = "the function";
    let page = |page: &super::pages::Page| json!({ &page.title: &page.path });
    let nav: Vec<Value> = pages
        .sections()
        .iter()
        .map(|(title, pages)| json!({ title: pages.iter().map(|one| page(one)).collect::<Vec<_>>() }))
        .collect();
    let palette = |scheme: &str, media: &str, icon: &str, name: &str| json!({ "scheme": scheme, "media": media, "toggle": { "icon": icon, "name": name } });
    let text = json!({
        "site_name": "hostcann",
        "site_description": "Ascend C operators without an NPU",
        "docs_dir": "pages",
        "use_directory_urls": false,
        "strict": true,
        "validation": {
            "nav": { "omitted_files": "warn", "not_found": "warn", "absolute_links": "warn" },
            "links": { "not_found": "warn", "anchors": "warn", "absolute_links": "warn", "unrecognized_links": "warn" },
        },
        "nav": nav,
        "theme": {
            "name": "material",
            // No page asks another host for anything.
            "font": false,
            "features": ["navigation.tabs", "navigation.top", "search.highlight", "content.code.copy"],
            "palette": [
                palette("default", "(prefers-color-scheme: light)", "material/weather-night", "Dark mode"),
                palette("slate", "(prefers-color-scheme: dark)", "material/weather-sunny", "Light mode"),
            ],
        },
        "extra": {
            "generator": false,
            "alternate": [
                { "name": "English", "link": "./index.html", "lang": "en" },
                { "name": "简体中文", "link": "./README.zh.html", "lang": "zh" },
            ],
        },
        "plugins": [{ "search": {
            "lang": ["en"],
            // A Chinese character is a word; the filter of other characters would drop it.
            "separator": r"[\s\-_,:;!=\[\]()`\x22/，。、；：（）《》“”]+|(?=[\u4e00-\u9fff])",
            "pipeline": ["stemmer", "stopWordFilter"],
        } }],
        "markdown_extensions": [
            "tables", "md_in_html", "attr_list", "sane_lists", "pymdownx.superfences",
            { "pymdownx.highlight": { "anchor_linenums": false } },
            { "toc": { "permalink": true, "slugify": SLUGIFY } },
        ],
    });
    let slugify = r#"!!python/object/apply:pymdownx.slugs.slugify {"kwds": {"case": "lower"}}"#;
    format!("{text:#}\n").replace(&format!("\"{SLUGIFY}\""), slugify)
}

fn build(cx: &mut Ctx, tools: &Path, work: &Path, out: &Path) -> Result<()> {
    let sh = cx.run.sh.clone();
    let config = work.join("mkdocs.yml");
    let line = cmd!(sh, "python3 -m mkdocs build --strict --clean -f {config} -d {out}");
    let line = line.env("PYTHONPATH", tools).env("NO_MKDOCS_2_WARNING", "1").env("PYTHONSAFEPATH", "1");
    let outcome = cx.step("site", |cx| proc::log_run(cx, "site", line))?;
    if outcome.ok {
        return Ok(());
    }
    let said: Vec<&str> = outcome.text.lines().filter(|line| !line.starts_with("INFO")).collect();
    let message = format!("mkdocs ended with {}", outcome.status);
    Err(failed_with(Kind::Style, message, said.join("\n")).hint(format!(
        "correct the links that it names; the whole output is in {}",
        cx.project.show(&cx.project.log_file("site"))
    )))
}
