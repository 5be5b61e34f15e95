//! The community competition's layout: {NN-N}-{Op}/{Team}/ with the op, its design document and the results of this commit's
//! runs.

use std::path::Path;

use anyhow::Result;

use super::body::About;
use super::rule::Case;
use super::tree::Tree;
use crate::base::ctx::Ctx;
use crate::contribute::report::{self, Subject};

pub struct BundleOptions {
    /// `05-11`
    pub task: String,
    pub team: String,
    /// In place of the op's `docs/design.md`
    pub design: Option<String>,
}

/// The self-verification report from the results of this commit's runs.
pub struct SelfVerification {
    pub files: Vec<(&'static str, String)>,
    /// Parts that were not run or have failed
    pub open: Vec<String>,
}

pub fn report(cx: &Ctx, path: &Path, given: Option<&Path>) -> Result<SelfVerification> {
    let subject = Subject::read(cx, path, given.map(|dir| dir.display().to_string()))?;
    let (document, files) = report::documents(&subject);
    Ok(SelfVerification { files, open: report::open_parts(&document) })
}

pub fn build(case: &Case, options: &BundleOptions, about: &About, report: &[(&str, String)]) -> Tree {
    let base = format!("{}-{}/{}", options.task, about.pascal, options.team);
    let mut bundle = Tree::default();
    for (path, file) in &case.tree.files {
        bundle.files.insert(format!("{base}/{path}"), file.clone());
    }
    if let Some(design) = &options.design {
        bundle.put(&format!("{base}/docs/design.md"), design);
    }
    for (name, text) in report {
        bundle.put(&format!("{base}/docs/{name}"), text);
    }
    bundle
}
