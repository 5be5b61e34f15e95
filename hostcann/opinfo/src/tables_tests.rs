use super::*;
use hostcann_types::DataType;
use hostcann_types::format::FORMATS as OF_TOOLKIT;
use std::collections::BTreeSet;

/// Who knows a name is this table's; that there is such a type or format is the toolkit's.
#[test]
fn the_framework_knows_the_types_and_formats_of_the_toolkit() {
    let types: BTreeSet<String> =
        DataType::ALL.iter().map(|t| t.token().map_or_else(|| t.name().to_lowercase(), str::to_owned)).collect();
    let known = |table: &[(&str, &str)], letter: char| -> BTreeSet<String> {
        table.iter().filter(|(_, by)| by.contains(letter)).map(|(name, _)| (*name).to_owned()).collect()
    };
    // The second name of float32.
    let framework: BTreeSet<String> = known(&DTYPES, 'f').into_iter().filter(|name| name != "float").collect();
    assert_eq!(framework, types, "left: DTYPES, right: the toolkit's");
    let formats: BTreeSet<&str> = OF_TOOLKIT.iter().flat_map(|format| [format.name, format.text]).collect();
    for (name, _) in super::FORMATS {
        assert!(formats.contains(name), "{name}");
    }
}
