//! The modelled SoCs. Each has a file in `hostcann/soc`, from which a toolkit's `data/platform_config` is made.

/// The SoC where nobody names another one.
pub const DEFAULT: &str = "Ascend910B3";

/// The families, by the names of folders in a package and of `AddConfig` in a definition.
pub const FAMILIES: [&str; 2] = ["ascend910b", "ascend910_93"];

/// The SoC that a name or the name of a family means; of several in a family the default one, else the first. Case does
/// not matter.
pub fn find<'a, T>(
    socs: &'a [T],
    name: impl Fn(&T) -> &str,
    family: impl Fn(&T) -> String,
    asked: &str,
) -> Option<&'a T> {
    if let Some(soc) = socs.iter().find(|soc| name(soc).eq_ignore_ascii_case(asked)) {
        return Some(soc);
    }
    let of_family: Vec<&T> = socs.iter().filter(|soc| family(soc).eq_ignore_ascii_case(asked)).collect();
    of_family.iter().find(|soc| name(soc) == DEFAULT).or(of_family.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_or_a_family() {
        let socs = [("Ascend910B1", "Ascend910B"), ("Ascend910B3", "Ascend910B"), ("Ascend910_9391", "Ascend910_93")];
        let found = |asked| find(&socs, |soc| soc.0, |soc| soc.1.to_owned(), asked).map(|soc| soc.0);
        assert_eq!(found("ascend910b1"), Some("Ascend910B1"));
        assert_eq!(found("Ascend910B"), Some(DEFAULT));
        assert_eq!(found("ASCEND910_93"), Some("Ascend910_9391"));
        assert_eq!(found("Ascend950"), None);
    }
}
