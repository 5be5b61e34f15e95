//! Whatever is in a file, reading and checking it ends with an answer. `ASCGRAPH_FUZZ=N` makes N mutations.

use ascgraph::dump;
use ascgraph::load::load;

const SEEDS: [&str; 3] = ["1_mul_sub", "9_native_layer_norm", "13_cat_mul"];

/// Words of the format: one in the place of another makes a file that is still read.
const WORDS: [&str; 18] = [
    "\"a0\"",
    "\"a1\"",
    "\"ks0\"",
    "\"load\"",
    "\"mul\"",
    "\"Abs\"",
    "\"Concat\"",
    "\"float16\"",
    "null",
    "0",
    "1",
    "-1",
    "9223372036854775807",
    "\"ks0*ks0*ks0\"",
    "\"9223372036854775807*ks1\"",
    "[]",
    "{}",
    "\"ks0//0\"",
];

/// Values of the file: strings and numbers that are no keys.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(|c: char| c == '"' || c.is_ascii_digit()) {
        let start = at + found;
        let rest = &text[start..];
        let end = match rest.strip_prefix('"') {
            Some(inside) => inside.find('"').map_or(rest.len(), |end| end + 2),
            None => rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()),
        };
        at = start + end;
        if !text[at..].starts_with(':') {
            all.push((start, at));
        }
    }
    all
}

#[test]
fn no_mutation_panics() {
    let rounds: u64 = std::env::var("ASCGRAPH_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(800);
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % below
    };
    let corpus: serde_json::Value = serde_json::from_str(include_str!("corpus.json")).expect("JSON");
    let seeds = SEEDS.map(|name| corpus[name].to_string());
    let (mut read, mut clean) = (0, 0);
    for round in 0..rounds {
        let mut text = seeds[round as usize % seeds.len()].clone();
        for _ in 0..1 + next(3) {
            let all = tokens(&text);
            match next(20) {
                0 => drop(text.pop()),
                _ if all.is_empty() => {}
                1 => {
                    let (start, end) = all[next(all.len())];
                    text.replace_range(start..end, "");
                }
                _ => {
                    let (start, end) = all[next(all.len())];
                    text.replace_range(start..end, WORDS[next(WORDS.len())]);
                }
            }
        }
        if let Ok(loaded) = load(&text) {
            read += 1;
            clean += u64::from(loaded.findings.is_empty());
            for finding in &loaded.findings {
                let _ = finding.to_string();
            }
            let _ = (dump::text(&loaded.fused), dump::dot(&loaded.fused), dump::json(&loaded.fused));
        }
    }
    // The mutations reach the rules, not the parser alone.
    assert!(read * 4 > rounds && clean < read, "{read} of {rounds} were read, {clean} without a finding");
}
