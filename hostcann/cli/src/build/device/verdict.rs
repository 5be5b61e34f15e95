//! clang's own errors in the words of an Ascend C author.

use std::fs;
use std::path::Path;

use super::clang::{Diagnostic, Place};
use super::finding::Finding;
use super::unit::Unit;

/// clang's errors; `walked` are the findings that are there already.
pub fn findings(unit: &Unit, diagnostics: &[Diagnostic], walked: &[Finding]) -> Vec<Finding> {
    let mut found = Vec::new();
    for diagnostic in diagnostics {
        let Some(finding) = finding(unit, diagnostic) else { continue };
        // What lies deep in a library's header has been said of the call that leads there.
        let moved = finding.place != diagnostic.place;
        if !moved || walked.iter().all(|other| line(other) != line(&finding)) {
            found.push(finding);
        }
    }
    found
}

fn line(finding: &Finding) -> Option<(&Path, u32)> {
    finding.place.as_ref().map(|place| (place.file.as_path(), place.line))
}

/// None for what is no error.
fn finding(unit: &Unit, diagnostic: &Diagnostic) -> Option<Finding> {
    if !diagnostic.error {
        return None;
    }
    let host_call = |note: &&(String, Option<Place>)| note.0.contains("call to __host__ function from");
    let refused = diagnostic.notes.iter().find(host_call);
    let declared =
        |at: &Option<Place>| at.as_ref().map(|at| format!(" ({}:{})", at.file.display(), at.line)).unwrap_or_default();
    let quoted = diagnostic.text.split('\'').nth(1).unwrap_or_default();
    let (what, cure) = if let Some((_, at)) = refused {
        not_aicore(quoted, &declared(at))
    } else if diagnostic.text.starts_with("reference to __host__ function") {
        let note = diagnostic.notes.iter().find(|note| note.0.ends_with("declared here"));
        not_aicore(quoted, &note.map(|(_, at)| declared(at)).unwrap_or_default())
    } else if diagnostic.text.starts_with("reference to __host__ variable") {
        if diagnostic.notes.iter().any(is_constant) {
            return None;
        }
        (
            format!("device code uses the variable {quoted} of the host"),
            format!("make {quoted} constexpr, or a member of the kernel's class"),
        )
    } else if let Some(text) = diagnostic.text.strip_prefix("cannot use '") {
        let word = text.split('\'').next().unwrap_or_default();
        (format!("device code uses `{word}`; the device has no exceptions"), format!("remove `{word}`"))
    } else {
        (in_device_words(&diagnostic.text), "write it as the device compiler takes it".to_owned())
    };
    Some(Finding { place: own_place(unit, diagnostic), what, cure })
}

/// A fault inside of a header of somebody else is told where the op's code leads there.
fn own_place(unit: &Unit, diagnostic: &Diagnostic) -> Option<Place> {
    let places = diagnostic.place.iter().chain(diagnostic.notes.iter().filter_map(|note| note.1.as_ref()));
    let own = |place: &&Place| unit.is_own(&place.file);
    places.clone().find(own).or(diagnostic.place.as_ref()).cloned()
}

/// Whether a note names the declaration of a constant. The device compiler folds its value; one that is computed before
/// the kernel runs is found in the object.
fn is_constant((_, place): &(String, Option<Place>)) -> bool {
    let Some(place) = place else { return false };
    let text = fs::read_to_string(&place.file).unwrap_or_default();
    let line = (place.line as usize).checked_sub(1).and_then(|at| text.lines().nth(at)).unwrap_or_default();
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "const")
}

fn not_aicore(name: &str, declared: &str) -> (String, String) {
    (format!("{name} is called from device code, but is not __aicore__"), format!("add __aicore__ to {name}{declared}"))
}

fn in_device_words(text: &str) -> String {
    text.replace("__host__ __device__", "device").replace("__device__", "__aicore__").replace("__host__", "host")
}
