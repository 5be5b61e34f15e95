//! The text of source lines that the model names: `op_kernel/add.h:52`, relative to an operator or to where a program ran.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

/// Where sources may lie.
#[derive(Default)]
pub struct Sources {
    dirs: Vec<PathBuf>,
    /// Files that were read, by the name that the model has for them.
    files: Mutex<BTreeMap<String, Vec<String>>>,
}

impl Sources {
    pub fn new(dirs: Vec<PathBuf>) -> Sources {
        Sources { dirs, ..Sources::default() }
    }

    /// Empty where the file is not there, or where several could be meant.
    pub fn line(&self, place: &str) -> String {
        let Some((file, Ok(number))) = place.rsplit_once(':').map(|(file, number)| (file, number.parse::<usize>()))
        else {
            return String::new();
        };
        // Nothing in here panics while it is held.
        let mut files = self.files.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let lines = files.entry(file.to_owned()).or_insert_with(|| self.read(file));
        number.checked_sub(1).and_then(|at| lines.get(at)).map_or(String::new(), |line| line.trim().to_owned())
    }

    fn read(&self, file: &str) -> Vec<String> {
        let found: Vec<PathBuf> = self.dirs.iter().map(|dir| dir.join(file)).filter(|path| path.is_file()).collect();
        let [one] = &found[..] else { return Vec::new() };
        fs::read_to_string(one).map(|text| text.lines().map(str::to_owned).collect()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_file() {
        let temp = tempfile::tempdir().expect("temp dir");
        let write = |name: &str, text: &str| {
            let path = temp.path().join(name);
            fs::create_dir_all(path.parent().expect("parent")).expect("mkdir");
            fs::write(path, text).expect("write");
        };
        write("a/op_kernel/k.h", "one\n  two();\n");
        write("a/op_kernel/both.h", "a\n");
        write("b/op_kernel/both.h", "b\n");
        let sources = Sources::new(vec![temp.path().join("a"), temp.path().join("b")]);
        assert_eq!(
            (sources.line("op_kernel/k.h:2").as_str(), sources.line("op_kernel/k.h:1").as_str()),
            ("two();", "one")
        );
        for none in ["op_kernel/k.h:3", "op_kernel/k.h:0", "op_kernel/k.h", "op_kernel/none.h:1", "op_kernel/both.h:1"]
        {
            assert_eq!(sources.line(none), "", "{none}");
        }
    }
}
