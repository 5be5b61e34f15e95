//! Pictures of the report: plain SVG in both languages, the same bytes for the same numbers.

use super::doc::{Both, Language, Table, Tone, anchor};
use super::words;
use crate::base::page::svg::{self, INK, Picture};

/// How far an element is from its golden: words and colour.
pub const DEGREES: [(&str, &str, &str); 5] = [
    ("相等", "equal", svg::GREEN),
    ("不超过1 ulp", "within 1 ulp", svg::SKY),
    ("不超过32 ulp", "within 32 ulp", svg::ORANGE),
    ("超过32 ulp", "beyond 32 ulp", svg::VERMILION),
    ("数与非数不一致", "a number against none", "#aa4499"),
];

/// Errors of one mode and type; a bin has the number of elements of each degree.
pub struct Spread {
    pub mode: String,
    pub dtype: String,
    pub by: String,
    pub edges: Vec<i64>,
    pub bins: Vec<[u64; 5]>,
}

const BOTH: [Language; 2] = [Language::Zh, Language::En];

/// Never larger than it is drawn, and scrolled rather than made too small to read.
fn picture(width: f64, height: f64, least: f64, title: &str) -> Picture {
    let least = least.min(width * 0.6);
    let style = format!("role=\"img\" style=\"max-width:{width}px;min-width:{least}px\"");
    let mut picture = Picture::new(width, height, &format!("{style} font-family=\"sans-serif\" font-size=\"13\""));
    picture.title(title);
    picture
}

/// The first column are names, the others results.
pub fn matrix(table: &Table) -> [String; 2] {
    const NAMES: f64 = 310.0;
    const COLUMN: f64 = 84.0;
    const ROW: f64 = 24.0;
    BOTH.map(|language| {
        let columns = table.head.len().saturating_sub(1) as f64;
        let (width, height) = (NAMES + COLUMN * columns, ROW * (table.rows.len() as f64 + 1.0));
        let mut picture = picture(width, height, 640.0, words::scenario().of(language));
        for (at, name) in table.head.iter().enumerate().skip(1) {
            picture.text((NAMES + COLUMN * (at as f64 - 0.5), 17.0), "middle", INK, name.of(language));
        }
        for (down, row) in table.rows.iter().enumerate() {
            let y = ROW * (down as f64 + 1.0);
            for (at, cell) in row.iter().enumerate() {
                let text = cell.text.of(language);
                if at == 0 {
                    picture.text((0.0, y + 17.0), "start", INK, text);
                    continue;
                }
                let colour = match cell.tone {
                    Tone::Good => "var(--good)",
                    Tone::Bad => "var(--bad)",
                    Tone::Open => "var(--open)",
                    Tone::Plain => "var(--panel)",
                };
                let x = NAMES + COLUMN * (at as f64 - 1.0);
                picture.rect((x + 1.0, y + 1.0), (COLUMN - 2.0, ROW - 2.0), colour);
                // What is longer stands in the table.
                let short = if text.chars().count() > 11 { "✗" } else { text };
                let draw = |picture: &mut Picture| picture.text((x + COLUMN / 2.0, y + 17.0), "middle", INK, short);
                match cell.fill.is_empty() {
                    true => draw(&mut picture),
                    false => picture.link(&format!("#{}", anchor(language, &cell.fill)), draw),
                }
            }
        }
        picture.end()
    })
}

/// The name of a group of elements: `[2^4, 2^8)`.
pub fn group(edges: &[i64], at: usize) -> String {
    let power = |edge: i64| if edge == 0 { "1".to_owned() } else { format!("2^{edge}") };
    match (at.checked_sub(1).and_then(|before| edges.get(before)), edges.get(at)) {
        (None, Some(high)) => format!("<{}", power(*high)),
        (Some(low), Some(high)) => format!("[{}, {})", power(*low), power(*high)),
        (Some(low), None) => format!("≥{}", power(*low)),
        (None, None) => "inf, nan".to_owned(),
    }
}

/// What fits below a bar.
fn label(edges: &[i64], at: usize) -> String {
    let power = |edge: i64| if edge == 0 { "1".to_owned() } else { format!("2^{edge}") };
    match (at.checked_sub(1).and_then(|before| edges.get(before)), edges.get(at)) {
        (None, Some(high)) => format!("<{}", power(*high)),
        (Some(low), _) => format!("≥{}", power(*low)),
        (None, None) => "inf/nan".to_owned(),
    }
}

/// 1234567 as 1.2M.
fn rounded(count: u64) -> String {
    match count {
        0..=999 => count.to_string(),
        1_000..=999_499 => format!("{:.0}k", count as f64 / 1e3),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

/// Of a histogram.
const WIDTH: f64 = 560.0;
const LEFT: f64 = 12.0;

/// Where the degrees stand in the legend, each with its words, and where the last one ends.
fn legend(language: Language) -> (Vec<(f64, &'static str)>, f64) {
    const SQUARE: f64 = 14.0;
    const GAP: f64 = 8.0;
    let width = |c: char| if c.is_ascii() { 6.4 } else { 13.0 };
    let mut x = LEFT;
    let place = |(zh, en, _): (&'static str, &'static str, &str)| {
        let words = if language == Language::Zh { zh } else { en };
        let at = x;
        x += SQUARE + words.chars().map(width).sum::<f64>() + GAP;
        (at, words)
    };
    let places = DEGREES.into_iter().map(place).collect();
    (places, x - GAP)
}

pub fn histogram(spread: &Spread) -> [String; 2] {
    const HEIGHT: f64 = 290.0;
    const TOP: f64 = 62.0;
    const BARS: f64 = 150.0;
    BOTH.map(|language| {
        let mode = words::mode_name(&spread.mode);
        let title = format!("{} {}", spread.dtype, mode.of(language));
        let mut picture = picture(WIDTH, HEIGHT, 480.0, &title);
        picture.text((LEFT, 20.0), "start", INK, &title);
        let step = (WIDTH - 2.0 * LEFT) / spread.bins.len().max(1) as f64;
        for (at, bin) in spread.bins.iter().enumerate() {
            let x = LEFT + step * at as f64;
            let all: u64 = bin.iter().sum();
            // What is no number comes last and stands for itself.
            let name = if at == spread.edges.len() + 1 { label(&[], 0) } else { label(&spread.edges, at) };
            picture.text((x + step / 2.0, TOP + BARS + 18.0), "middle", INK, &name);
            if all == 0 {
                continue;
            }
            let mut y = TOP + BARS;
            for (height, (.., colour)) in heights(bin, BARS).into_iter().zip(DEGREES) {
                y -= height;
                if height > 0.0 {
                    picture.rect((x + 3.0, y), (step - 6.0, height), colour);
                }
            }
            picture.text((x + step / 2.0, TOP - 6.0), "middle", INK, &rounded(all));
        }
        picture.text((WIDTH / 2.0, TOP + BARS + 38.0), "middle", INK, &spread.by);
        for ((x, words), (.., colour)) in legend(language).0.into_iter().zip(DEGREES) {
            picture.rect((x, HEIGHT - 22.0), (10.0, 10.0), colour);
            picture.text((x + 14.0, HEIGHT - 12.0), "start", INK, words);
        }
        picture.end()
    })
}

/// Times side by side: a group of three bars for each name.
pub fn bars(title: &Both, groups: &[(String, [f64; 3])], names: &[Both; 3]) -> [String; 2] {
    const COLOURS: [&str; 3] = [svg::BLUE, svg::VERMILION, "#999999"];
    const BAR: f64 = 9.0;
    const GROUP: f64 = 3.0 * BAR + 8.0;
    const NAMES: f64 = 90.0;
    const NUMBERS: f64 = 50.0;
    let top = groups.iter().flat_map(|(_, values)| values).fold(1e-9_f64, |top, value| top.max(*value));
    BOTH.map(|language| {
        let height = 60.0 + GROUP * groups.len() as f64;
        let title = title.of(language);
        let mut picture = picture(WIDTH, height, 480.0, title);
        picture.text((LEFT, 20.0), "start", INK, title);
        for (at, (name, colour)) in names.iter().zip(COLOURS).enumerate() {
            let x = LEFT + 150.0 * at as f64;
            picture.rect((x, 32.0), (10.0, 10.0), colour);
            picture.text((x + 14.0, 42.0), "start", INK, name.of(language));
        }
        for (down, (name, values)) in groups.iter().enumerate() {
            let y = 56.0 + GROUP * down as f64;
            picture.text((NAMES - 8.0, y + 2.0 * BAR), "end", INK, name);
            for (at, (value, colour)) in values.iter().zip(COLOURS).enumerate() {
                let width = (value / top * (WIDTH - NAMES - NUMBERS)).max(1.0);
                picture.rect((NAMES, y + BAR * at as f64), (width, BAR - 1.0), colour);
            }
            let width = values[0] / top * (WIDTH - NAMES - NUMBERS);
            picture.text((NAMES + width + 4.0, y + BAR), "start", INK, &format!("{:.2}", values[0]));
        }
        picture.end()
    })
}

/// Shares of a bar; what is there can be seen.
fn heights(bin: &[u64; 5], bar: f64) -> [f64; 5] {
    const LEAST: f64 = 2.0;
    let all = bin.iter().sum::<u64>() as f64;
    let mut heights = bin.map(|count| if count == 0 { 0.0 } else { (count as f64 / all * bar).max(LEAST) });
    let over = heights.iter().sum::<f64>() - bar;
    if let Some(most) = heights.iter_mut().max_by(|a, b| a.total_cmp(b)) {
        *most -= over;
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_bad_elements_are_seen() {
        assert_eq!(heights(&[50, 50, 0, 0, 0], 100.0), [50.0, 50.0, 0.0, 0.0, 0.0]);
        assert_eq!(heights(&[1_000_000, 0, 0, 1, 0], 100.0), [98.0, 0.0, 0.0, 2.0, 0.0]);
    }

    #[test]
    fn legends_fit() {
        for language in BOTH {
            let (places, end) = legend(language);
            assert!(places.len() == 5 && places.is_sorted() && end < WIDTH, "{end}");
        }
    }

    #[test]
    fn groups_have_names() {
        let names: Vec<String> = (0..4).map(|at| group(&[0, 4], at)).collect();
        assert_eq!(names, ["<1", "[1, 2^4)", "≥2^4", "inf, nan"]);
        assert_eq!([999, 1_000, 1_250_000].map(rounded), ["999", "1k", "1.2M"]);
    }
}
