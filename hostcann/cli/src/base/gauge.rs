//! How far pip is. What it prints tells of whole files only, of which one may take minutes: what lies in its directory is
//! measured instead.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MB: u64 = 1_000_000;
/// A look at thousands of files takes a while.
const PAUSE: Duration = Duration::from_secs(1);

pub struct Gauge {
    dir: PathBuf,
    download_mb: u64,
    disk_mb: u64,
    /// Bytes of the downloads, when it has begun to install.
    downloaded: Option<u64>,
    bytes: u64,
    looked: Option<Instant>,
}

impl Gauge {
    /// `dir` holds what is downloaded until pip ends, and what is installed.
    pub fn new(dir: &Path, download_mb: u64, disk_mb: u64) -> Gauge {
        Gauge { dir: dir.to_path_buf(), download_mb, disk_mb, downloaded: None, bytes: 0, looked: None }
    }

    /// Takes a line of pip's; how much it has downloaded when it tells that it installs.
    pub fn feed(&mut self, line: &str) -> Option<String> {
        if self.downloaded.is_some() || !line.starts_with("Installing collected packages") {
            return None;
        }
        self.bytes = size(&self.dir);
        self.downloaded = Some(self.bytes);
        Some(megabytes(self.bytes / MB))
    }

    pub fn text(&mut self) -> String {
        if self.looked.is_none_or(|looked| looked.elapsed() > PAUSE) {
            // At its end pip removes what it has downloaded.
            self.bytes = self.bytes.max(size(&self.dir));
            self.looked = Some(Instant::now());
        }
        match self.downloaded {
            None => told("downloading", self.bytes, self.download_mb),
            Some(before) => told("installing", self.bytes.saturating_sub(before), self.disk_mb),
        }
    }
}

/// The sum is of one platform, and an estimate on others.
fn told(what: &str, bytes: u64, all_mb: u64) -> String {
    let done = bytes / MB;
    match bytes.checked_div(all_mb * (MB / 100)) {
        Some(percent @ ..100) => format!("{what}, {done} of {all_mb} MB, {percent} %"),
        _ => format!("{what}, {done} MB"),
    }
}

pub fn megabytes(count: u64) -> String {
    if count >= 1000 { format!("{:.1} GB", count as f64 / 1000.0) } else { format!("{count} MB") }
}

/// Of the files below; pip moves and removes them meanwhile.
fn size(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else { return 0 };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::files;

    #[test]
    fn how_far_pip_is() {
        let temp = tempfile::tempdir().expect("temp dir");
        let add = |name: &str, megabytes: usize| {
            files::write_if_changed(&temp.path().join(name), &vec![0; megabytes * 1_000_000]).expect("write");
        };
        let mut gauge = Gauge::new(temp.path(), 8, 10);
        let text = |gauge: &mut Gauge| {
            gauge.looked = None;
            gauge.text()
        };
        assert_eq!(text(&mut gauge), "downloading, 0 of 8 MB, 0 %");
        add("pip-unpack-x/x.whl", 2);
        assert_eq!(text(&mut gauge), "downloading, 2 of 8 MB, 25 %");
        add("pip-unpack-y/y.whl", 4);
        assert_eq!(gauge.text(), "downloading, 2 of 8 MB, 25 %", "not looked at again at once");
        assert_eq!(gauge.feed("  Downloading y.whl (4.0 MB)"), None);
        assert_eq!(gauge.feed("Installing collected packages: x, y").as_deref(), Some("6 MB"));
        assert_eq!(text(&mut gauge), "installing, 0 of 10 MB, 0 %");
        add("torch/lib/x.so", 9);
        assert_eq!(text(&mut gauge), "installing, 9 of 10 MB, 90 %");
        add("torch/lib/y.so", 3);
        assert_eq!(text(&mut gauge), "installing, 12 MB", "more than on the platform that was measured");
        assert_eq!([megabytes(850), megabytes(1500)], ["850 MB", "1.5 GB"]);
    }
}
