//! What a run works in, and where its files go; where the files of the program itself lie.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::base::installation::{self, Installation};
use crate::base::instrument;
use crate::base::program;
use crate::base::repo_root::repo_root;

/// Products of an installed program, in the project.
const PRODUCTS: &str = ".hostcann";

/// Does not change during a run, and is cheap to clone.
#[derive(Clone)]
pub struct Project {
    /// This repository; of an installed program, what its user works in: a checkout, the directory of an operator.
    pub root: PathBuf,
    /// The program's own files, in the layout of its repository. Nothing is written there by an installed program.
    pub home: PathBuf,
    /// None: the program belongs to this repository, and builds the toolkit from its sources.
    pub installed: Option<Installation>,
    /// Build with a sanitizer, in a tree of its own.
    pub sanitize: Option<instrument::Build>,
    /// Build trees and logs of one of many operators, instead of the common ones.
    place: Option<PathBuf>,
}

impl Project {
    /// # Errors
    /// There is no repository around, or the installation is damaged.
    pub fn here() -> Result<Project> {
        let Some(home) = installation::around(&program::own()?) else { return Ok(Project::at(repo_root()?)) };
        let from = std::env::current_dir().context("cannot find the current directory")?;
        let root = installation::project(&from, PRODUCTS);
        let installed = Installation::read(&home)?;
        Ok(Project { home, installed, ..Project::at(root) })
    }

    pub fn at(repo: PathBuf) -> Project {
        Project { root: repo.clone(), home: repo, installed: None, sanitize: None, place: None }
    }

    /// One operator among others, in a directory of its own.
    pub fn apart(&self, place: PathBuf) -> Project {
        Project { place: Some(place), sanitize: None, ..self.clone() }
    }

    /// Products with a sanitizer lie apart from the others.
    pub fn sanitized(&self, build: instrument::Build) -> Project {
        Project { sanitize: Some(build), ..self.clone() }
    }

    pub fn is_apart(&self) -> bool {
        self.place.is_some()
    }

    pub fn is_installed(&self) -> bool {
        self.installed.is_some()
    }

    /// The ops-math checkout that an installed program works in.
    pub fn checkout(&self) -> Option<PathBuf> {
        let is_one = self.root.join("build.sh").is_file() && self.root.join("experimental").is_dir();
        (self.is_installed() && is_one).then(|| self.root.clone())
    }

    /// `target/` or `.hostcann/`, whatever is built. Not CARGO_TARGET_DIR: build scripts and users find tools and toolkit here.
    pub fn products(&self) -> PathBuf {
        self.root.join(if self.is_installed() { PRODUCTS } else { "target" })
    }

    /// Creates a directory for products. In somebody else's tree git sees nothing of it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(&self, dir: &Path) -> Result<()> {
        let is_new = !dir.exists();
        fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
        if is_new && self.is_installed() {
            let ignored = dir.join(".gitignore");
            fs::write(&ignored, "*\n").with_context(|| format!("cannot write {}", ignored.display()))?;
        }
        Ok(())
    }

    /// [`Project::products`], or what stands for it with a sanitizer.
    pub fn target(&self) -> PathBuf {
        self.sanitize.as_ref().map_or_else(|| self.products(), |build| self.root.join(build.dir()))
    }

    /// The toolkit that the program makes.
    pub fn toolkit(&self) -> PathBuf {
        self.target().join(if self.is_installed() { "toolkit" } else { "hostcann" })
    }

    /// The pinned tools, whatever is built with them.
    pub fn tools(&self) -> PathBuf {
        self.products().join("tools")
    }

    /// Where packages go.
    pub fn build_out(&self) -> PathBuf {
        if self.sanitize.is_some() { self.target().join("build_out") } else { self.root.join("build_out") }
    }

    pub fn work(&self) -> PathBuf {
        self.place.clone().unwrap_or_else(|| self.common_work())
    }

    /// What operators share, also those that are built apart.
    pub fn common_work(&self) -> PathBuf {
        self.target().join(self.work_name())
    }

    fn work_name(&self) -> &'static str {
        if self.is_installed() { "work" } else { "xtask" }
    }

    pub fn log_file(&self, step: &str) -> PathBuf {
        self.work().join("log").join(format!("{step}.log"))
    }

    /// Where the last report of each verb lies.
    pub fn last(&self) -> PathBuf {
        self.products().join(self.work_name()).join("last")
    }

    /// Where runs keep what they find out about operators, a directory for each.
    pub fn results(&self) -> PathBuf {
        self.products().join(self.work_name()).join("results")
    }

    /// Shorter for the reader: relative to the project when it lies inside.
    pub fn show(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installed_program_writes_into_the_project_alone() {
        let temp = tempfile::tempdir().expect("temp dir");
        let installed =
            Installation { version: "1".into(), toolkit: String::new(), libstdcxx: String::new(), libc: String::new() };
        let home = PathBuf::from("/nowhere");
        let project = Project { home, installed: Some(installed), ..Project::at(temp.path().to_path_buf()) };
        project.create(&project.products()).expect("created");
        assert_eq!(fs::read_to_string(temp.path().join(".hostcann/.gitignore")).expect("a file"), "*\n");
        let all =
            [project.products(), project.toolkit(), project.tools(), project.work(), project.last(), project.results()];
        assert!(all.iter().all(|path| path.starts_with(temp.path().join(".hostcann"))), "{all:?}");
        // A checkout that has the folder decides itself what git sees of it.
        fs::create_dir(project.build_out()).expect("mkdir");
        project.create(&project.build_out()).expect("there");
        assert!(!project.build_out().join(".gitignore").exists());
    }
}
