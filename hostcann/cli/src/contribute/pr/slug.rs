//! Rules by number or slug, and the slugs that a mistyped one is close to.

use super::all_rules;

/// The number of a rule that is given by its number or its slug.
pub fn rule_number(text: &str) -> Result<u8, String> {
    let found = all_rules().find(|rule| rule.slug == text || rule.number.to_string() == text);
    found.map(|rule| rule.number).ok_or_else(|| {
        let last = all_rules().count();
        let expected = format!("expected a number from 1 to {last} or a slug; `cargo xtask pr --list` lists them");
        match similar(text).as_slice() {
            [] => expected,
            slugs => format!("did you mean {}? {expected}", slugs.join(" or ")),
        }
    })
}

/// Slugs at most two edits away; else those that share a word.
fn similar(text: &str) -> Vec<&'static str> {
    let slugs = || all_rules().map(|rule| rule.slug);
    let close: Vec<_> = slugs().filter(|slug| edits(slug, text) <= 2).collect();
    if !close.is_empty() {
        return close;
    }
    slugs().filter(|slug| slug.split('-').any(|word| text.split('-').any(|given| given == word))).collect()
}

/// Letters to insert, delete or replace (Levenshtein distance).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_selects_the_rule_of_its_number() {
        assert_eq!((rule_number("licence-header"), rule_number("29")), (Ok(29), Ok(29)));
        for rule in all_rules() {
            assert_eq!(
                (rule_number(rule.slug), rule_number(&rule.number.to_string())),
                (Ok(rule.number), Ok(rule.number))
            );
            let plain = rule
                .slug
                .split('-')
                .all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
            assert!(plain && rule.slug.starts_with(|c: char| c.is_ascii_lowercase()), "{}", rule.slug);
            assert_eq!(all_rules().filter(|other| other.slug == rule.slug).count(), 1, "{}", rule.slug);
        }
    }

    #[test]
    fn an_unknown_slug_names_similar_ones() {
        const EXPECTED: &str = "expected a number from 1 to 46 or a slug; `cargo xtask pr --list` lists them";
        let error = |text: &str| rule_number(text).expect_err("no such rule");
        assert_eq!(error("license-header"), format!("did you mean licence-header? {EXPECTED}"));
        assert_eq!(error("gaet"), format!("did you mean gate? {EXPECTED}"));
        assert_eq!(error("kernel"), format!("did you mean kernel-entry or kernel-includes or kernel-test? {EXPECTED}"));
        assert_eq!((error("47"), error("zebra")), (EXPECTED.to_owned(), EXPECTED.to_owned()));
    }

    #[test]
    fn edits_are_counted() {
        for (a, b, count) in
            [("", "", 0), ("abc", "", 3), ("", "ab", 2), ("licence", "license", 1), ("gate", "gaet", 2)]
        {
            assert_eq!(edits(a, b), count, "{a} {b}");
        }
        assert_eq!(edits("kitten", "sitting"), 3);
    }

    /// docs/reference/contribution-rules.md lists what `pr --list` prints.
    #[test]
    fn the_page_lists_every_rule() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/contribution-rules.md");
        let page = std::fs::read_to_string(path).expect("the page of the rules");
        let row = |number: u8, slug: &str, title: &str| format!("| {number} | `{slug}` | {title} |");
        let wanted: Vec<String> = all_rules().map(|rule| row(rule.number, rule.slug, rule.title)).collect();
        let listed: Vec<&str> =
            page.lines().skip_while(|line| *line != "| Number | Slug | What holds |").skip(2).collect();
        let listed: Vec<&str> = listed.into_iter().take_while(|line| line.starts_with('|')).collect();
        assert_eq!(listed, wanted, "docs/reference/contribution-rules.md should have the rows\n{}", wanted.join("\n"));
    }
}
