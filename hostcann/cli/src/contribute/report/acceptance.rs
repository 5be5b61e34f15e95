//! Case files of the operator and what `optest` left about them.

use super::Subject;
use super::doc::{Gaps, Section};
use crate::base::report::{AcceptanceCase, AcceptancePiece};

pub const STANDARDS: [&str; 3] = ["ascendoptest", "ecosystem", "ecosystem-en"];

/// `tests/aot/*_cases.json`, by stem.
pub fn stems(subject: &Subject) -> Vec<String> {
    let files = crate::run::optest::case_files(&subject.op).unwrap_or_default();
    files.iter().filter_map(|file| Some(file.file_stem()?.to_string_lossy().into_owned())).collect()
}

/// What fills results under every standard.
pub fn fill(subject: &Subject) -> Vec<String> {
    let files = crate::run::optest::case_files(&subject.op).unwrap_or_default();
    let mut words = vec!["optest".to_owned()];
    words.extend(files.iter().map(|file| subject.typed(file)));
    words.extend(["--standard".to_owned(), STANDARDS.join(",")]);
    words
}

/// The cases of every file under a standard; files without results are named in the section.
pub fn cases(subject: &Subject, standard: &str, section: &mut Section) -> Vec<AcceptanceCase> {
    let (mut all, mut gaps) = (Vec::new(), Gaps::default());
    for stem in stems(subject) {
        match subject.store.data::<AcceptancePiece>(&format!("acceptance.{stem}.{standard}")) {
            Ok(data) => all.extend(data.cases),
            Err(why) => gaps.add(format!("{stem} ({standard})"), why.text()),
        }
    }
    gaps.tell(section, |_| fill(subject));
    all
}
