//! Pages in the Chromium of this machine, for tests: a script runs in the page, and what it returns comes back.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::base::term::err;

/// Before everything else of a page.
const FIRST: &str =
    "<script>const pageErrors = []; addEventListener('error', (e) => pageErrors.push(e.message));</script>";

/// `CHROME`, or what is on the PATH.
fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    let path = std::env::var_os("PATH")?;
    let found =
        std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name))).find(|path| path.is_file());
    std::env::var_os("CHROME").filter(|named| !named.is_empty()).map(PathBuf::from).or(found)
}

/// What the body of a function returns in a page that is shown at 1280 pixels in light and at 390 in dark, each once; empty where
/// there is no browser. No script of the page fails, nothing is wider than the window, and the colours are those asked for.
pub fn opened(page: &str, script: &str) -> Vec<Value> {
    let Some(browser) = browser() else {
        err!("skipped: no Chromium on the PATH and no CHROME, so the page was not opened");
        return Vec::new();
    };
    let shown = |(width, dark): (u32, bool)| {
        let result = loaded(&browser, page, width, dark, script)?;
        assert_eq!(result["errors"], serde_json::json!([]), "at {width} pixels");
        assert_eq!((&result["width"], &result["dark"]), (&width.into(), &dark.into()));
        assert!(result["wide"].as_u64() <= Some(u64::from(width)), "{} pixels wide at {width}", result["wide"]);
        assert_eq!(result["ground"].as_u64() < Some(128), dark, "the ground of the page: {}", result["ground"]);
        Some(result["value"].clone())
    };
    [(1280, false), (390, true)].into_iter().filter_map(shown).collect()
}

/// A browser that does not come up on a busy machine says nothing at all: it is started again. One that is shut off from the
/// directory of temporary files, as a snap is, opens nothing.
fn loaded(browser: &Path, page: &str, width: u32, dark: bool, script: &str) -> Option<Value> {
    let last = format!(
        "<script>{{ const give = (value) => {{
           const made = document.createElement('pre');
           made.textContent = JSON.stringify({{ errors: pageErrors, value, width: innerWidth,
             wide: document.documentElement.scrollWidth, dark: matchMedia('(prefers-color-scheme: dark)').matches,
             ground: Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]) }});
           made.id = 'result';
           parent.document.body.append(made);
         }};
         let value = null;
         try {{ value = (() => {{ {script}\n }})(); }} catch (e) {{ pageErrors.push(String(e)); }}
         give(value); }}</script></body>"
    );
    // In a frame: a window of this browser has a least width.
    let page = page.replacen("<head>", &format!("<head>{FIRST}"), 1).replace("</body>", &last);
    let frame = format!(
        "<!DOCTYPE html><html style=\"color-scheme: light dark\"><body><iframe width=\"{width}\" height=\"1000\" \
         style=\"border: 0\" srcdoc=\"{}\"></iframe></body></html>",
        super::escape(&page)
    );
    let dir = tempfile::tempdir().expect("temp dir");
    let file = dir.path().join("page.html");
    std::fs::write(&file, frame).expect("write");
    let mut said = String::new();
    for start in 0..3 {
        let output = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .arg("--window-size=1400,1100")
            .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)))
            .arg(format!("--user-data-dir={}", dir.path().join(format!("profile{start}")).display()))
            .args(["--virtual-time-budget=2000", "--dump-dom"])
            .arg(&file)
            .output()
            .expect("the browser starts");
        let dom = String::from_utf8_lossy(&output.stdout).into_owned();
        if let Some(result) = dom.split("<pre id=\"result\">").nth(1).and_then(|rest| rest.split("</pre>").next()) {
            let text = result.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            return Some(serde_json::from_str(&text).expect("JSON"));
        }
        if dom.contains("ERR_FILE_NOT_FOUND") || dom.contains("ERR_ACCESS_DENIED") {
            err!("skipped: {} may not read {}", browser.display(), file.display());
            return None;
        }
        said = format!("{dom}\n{}", String::from_utf8_lossy(&output.stderr));
        if !dom.trim().is_empty() {
            break;
        }
    }
    panic!("no result in {said}");
}
