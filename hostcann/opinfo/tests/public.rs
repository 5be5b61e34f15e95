//! A trial over libraries that are not here: `HOSTCANN_TEST_OPS_INFO=DIR cargo test -p hostcann-opinfo --test public --
//! --ignored --nocapture` reads every *.json of a directory, for example those of a CANN toolkit's opp/built-in.

use std::collections::BTreeMap;

use opinfo::{Library, Origin, Profile, errors, write_ini, write_json};

#[test]
#[ignore = "HOSTCANN_TEST_OPS_INFO names a directory of libraries that are not in this repository"]
fn every_library_comes_back_byte_for_byte() {
    let dir = std::env::var_os("HOSTCANN_TEST_OPS_INFO").expect("HOSTCANN_TEST_OPS_INFO=DIR");
    let mut files: Vec<_> =
        std::fs::read_dir(dir).expect("directory").map(|entry| entry.expect("entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|name| name == "json"));
    files.sort();
    assert!(!files.is_empty(), "no *.json");
    for file in files {
        let bytes = std::fs::read(&file).expect("read");
        let library = Library::of(&bytes, Origin::Json);
        let name = file.file_name().expect("name").to_string_lossy().into_owned();
        assert_eq!(write_json(&library.ops).as_bytes(), bytes, "{name}: JSON -> JSON");
        let ini = write_ini(&library.ops).unwrap_or_else(|error| panic!("{name}: {error}"));
        let back = Library::of(ini.as_bytes(), Origin::Ini);
        assert_eq!(back.ops.len(), library.ops.len());
        assert_eq!(write_json(&back.ops).as_bytes(), bytes, "{name}: JSON -> ini -> JSON");
        assert_eq!(write_ini(&back.ops).as_deref(), Ok(ini.as_str()), "{name}: ini -> ini");
        let findings = library.check(Profile::Any);
        let mut codes: BTreeMap<String, usize> = BTreeMap::new();
        for finding in &findings {
            *codes.entry(format!("{} {}", finding.severity, finding.rule.code())).or_default() += 1;
        }
        println!("{name}: {} operators, {} errors, {codes:?}", library.ops.len(), errors(&findings).count());
        for finding in errors(&findings) {
            println!("  {}", finding.text(&name));
        }
        if std::env::var_os("HOSTCANN_TEST_PRINTS").is_some() {
            findings.iter().for_each(|finding| println!("  {}", finding.text(&name)));
        }
    }
}
