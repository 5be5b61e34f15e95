//! C++ of `hostcann/nnopbase`: a module is a source with its headers, the one next to it and the public one of the same
//! name, and the modules of a folder include each other without a circle.

use std::collections::{BTreeMap, BTreeSet};

use super::rooms::{Arrows, in_circles};
use super::{Finding, Source};

const LIBRARY: &str = "hostcann/nnopbase/";

pub fn circles(sources: &[Source]) -> Vec<Finding> {
    let mut folders: BTreeMap<&str, Vec<(&str, &Source)>> = BTreeMap::new();
    for source in sources {
        if let Some((folder, file)) = source.path.strip_prefix(LIBRARY).and_then(|path| path.split_once('/'))
            && let Some((module, "cpp" | "h")) = file.rsplit_once('.')
        {
            folders.entry(folder).or_default().push((module, source));
        }
    }
    let of_folder = |(folder, files): (&str, Vec<(&str, &Source)>)| {
        let modules: BTreeSet<&str> = files.iter().map(|(module, _)| *module).collect();
        let mut arrows = Arrows::new();
        for (module, source) in files {
            let used = included(folder, &source.text).filter(|used| *used != module && modules.contains(used));
            arrows.entry(module.to_owned()).or_default().extend(used.map(str::to_owned));
        }
        in_circles(&format!("{LIBRARY}{folder}"), &arrows)
    };
    folders.into_iter().flat_map(of_folder).collect()
}

/// The modules that a text includes: by the headers next to it, and by the public ones, which lie in `<folder>/`.
fn included<'a>(folder: &'a str, text: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| {
        let (path, _) = line.strip_prefix("#include \"")?.split_once('"')?;
        let file = match path.rsplit_once('/') {
            None => path,
            Some((public, file)) if public == folder => file,
            Some(_) => return None,
        };
        file.strip_suffix(".h")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let source =
            |(path, text): &(&str, &str)| Source { path: format!("{LIBRARY}{path}"), text: (*text).to_owned() };
        circles(&files.iter().map(source).collect::<Vec<_>>()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_circle_by_a_public_header() {
        let executor = ("opdev/executor.cpp", "#include \"opdev/executor.h\"\n#include \"context.h\"\n");
        let good =
            ("opdev/context.cpp", "#include \"context.h\"\n#include \"aclnn/executor.h\"\n#include <executor.h>\n");
        let header = ("opdev/context.h", "");
        assert_eq!(found(&[executor, good, header]), [""; 0]);
        let bad = ("opdev/context.cpp", "#include \"context.h\"\n#include \"opdev/executor.h\"\n");
        let expected = "hostcann/nnopbase/opdev: context, executor use each other; modules of a folder are expected to use \
                        each other in one direction";
        assert_eq!(found(&[executor, bad, header]), [expected]);
        let elsewhere = [("gert/executor.cpp", executor.1), bad];
        assert_eq!(found(&elsewhere), [""; 0]);
    }
}
