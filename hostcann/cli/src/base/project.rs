//! The repository or project that a run is in: where its files lie and where products go.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::base::instrument;
use crate::base::repo_root::repo_root;

/// Does not change during a run, and is cheap to clone.
#[derive(Clone)]
pub struct Project {
    /// Root of the repository.
    pub repo: PathBuf,
    /// Build with a sanitizer, in a tree of its own.
    pub sanitize: Option<instrument::Build>,
    /// Build trees and logs of one of many operators, instead of the common ones.
    place: Option<PathBuf>,
}

impl Project {
    /// # Errors
    /// There is no repository around.
    pub fn here() -> Result<Project> {
        Ok(Project::at(repo_root()?))
    }

    pub fn at(repo: PathBuf) -> Project {
        Project { repo, sanitize: None, place: None }
    }

    /// One operator among others, in a directory of its own.
    pub fn apart(&self, place: PathBuf) -> Project {
        Project { repo: self.repo.clone(), sanitize: None, place: Some(place) }
    }

    /// Products with a sanitizer lie apart from the others.
    pub fn sanitized(&self, build: instrument::Build) -> Project {
        Project { sanitize: Some(build), ..self.clone() }
    }

    pub fn is_apart(&self) -> bool {
        self.place.is_some()
    }

    /// `target/`, whatever is built. Not CARGO_TARGET_DIR: build scripts and users find tools and toolkit here.
    pub fn products(&self) -> PathBuf {
        self.repo.join("target")
    }

    /// `target/`, or what stands for it with a sanitizer.
    pub fn target(&self) -> PathBuf {
        self.repo.join(self.sanitize.as_ref().map_or("target".into(), instrument::Build::dir))
    }

    /// The pinned tools, whatever is built with them.
    pub fn tools(&self) -> PathBuf {
        self.products().join("tools")
    }

    /// Where packages go.
    pub fn build_out(&self) -> PathBuf {
        if self.sanitize.is_some() { self.target().join("build_out") } else { self.repo.join("build_out") }
    }

    pub fn work(&self) -> PathBuf {
        self.place.clone().unwrap_or_else(|| self.common_work())
    }

    /// What operators share, also those that are built apart.
    pub fn common_work(&self) -> PathBuf {
        self.target().join("xtask")
    }

    pub fn log_file(&self, step: &str) -> PathBuf {
        self.work().join("log").join(format!("{step}.log"))
    }

    /// Where the last report of each verb lies.
    pub fn last(&self) -> PathBuf {
        self.products().join("xtask/last")
    }

    /// Where runs keep what they find out about operators, a directory for each.
    pub fn results(&self) -> PathBuf {
        self.products().join("xtask/results")
    }

    /// Shorter for the reader: relative to the repository when it lies inside.
    pub fn show(&self, path: &Path) -> String {
        path.strip_prefix(&self.repo).unwrap_or(path).display().to_string()
    }
}
